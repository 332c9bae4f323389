package agenttest

import (
	"strings"
	"time"
)

// A Turn is what the model does when it is asked once: it says something, calls
// tools, or does what servers do to agents.
type Turn struct {
	Say   string
	Calls []Call
	Usage Usage // zero: 100 tokens in, 10 out

	// Hang keeps the answer back until the client goes or the server ends.
	Hang bool
	// Delay comes before the answer.
	Delay time.Duration
	// Status answers with this status of HTTP, and Say as its message.
	Status     int
	RetryAfter time.Duration // with a Status: the header of this name
	// TooLong answers as where the context is more than the model can have.
	TooLong bool
	// Cut ends the answer as where it is longer than an answer may be.
	Cut bool
	// Refuse ends the answer as where the model refuses.
	Refuse bool
}

// Usage is what the model says a turn has used.
type Usage struct{ Input, Output int64 }

// A Call is one of a tool of the agent. The server knows the name that the
// agent has for it, and its arguments.
type Call struct {
	kind     string
	path     string
	old, new string
	command  string
}

// Write is a call that writes a file. A relative path is one in the folder that
// the agent says it works in.
func Write(path, text string) Call { return Call{kind: "write", path: path, new: text} }

// Edit is a call that replaces a text of a file.
func Edit(path, before, after string) Call {
	return Call{kind: "edit", path: path, old: before, new: after}
}

// Read is a call that reads a file.
func Read(path string) Call { return Call{kind: "read", path: path} }

// Shell is a call that runs a command.
func Shell(command string) Call { return Call{kind: "shell", command: command} }

// Say is a turn that says something, and so ends the conversation.
func Say(text string) Turn { return Turn{Say: text} }

// Do is a turn that calls tools.
func Do(calls ...Call) Turn { return Turn{Calls: calls} }

// A part is a list of turns for those requests that it is about.
type part struct {
	about func(Request) bool
	turns []Turn
	next  int
}

// take is the next turn; the last one is repeated.
func (s *part) take() Turn {
	if len(s.turns) == 0 {
		return Say("Done.")
	}
	t := s.turns[min(s.next, len(s.turns)-1)]
	s.next++
	return t
}

// Says tells whether the request has a text anywhere.
func Says(text string) func(Request) bool {
	return func(r Request) bool { return strings.Contains(r.Body, text) }
}

// Speaks tells whether the request is one of an API: "anthropic", "responses",
// "chat" or "gemini".
func Speaks(api string) func(Request) bool {
	return func(r Request) bool { return r.API == api }
}
