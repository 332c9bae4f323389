package acp

import (
	"fmt"
	"strings"
	"time"
)

// A LoginError says that an agent serves nobody who has not logged in.
type LoginError struct {
	Agent   string
	Methods []string // the ways to log in that the agent names; untrusted
	Login   string   // what to type; "": not known
	Text    string   // what the agent said; untrusted
}

func (e *LoginError) Error() string {
	text := fmt.Sprintf("acp: %s is not logged in", e.Agent)
	if e.Text != "" {
		text += fmt.Sprintf(" (it says %q)", e.Text)
	}
	if e.Login != "" {
		text += "; type  " + e.Login + "  and run again"
	} else {
		text += fmt.Sprintf("; start %s in a terminal and log in, or set its key in the environment, and run again", e.Agent)
	}
	if len(e.Methods) > 0 {
		text += fmt.Sprintf("; its ways to log in: %q", strings.Join(e.Methods, ", "))
	}
	return text
}

// A ProtocolError says how a program does not speak the protocol: another
// version, lines that are no messages, bytes that are no text, more than can be
// read, no answer.
type ProtocolError struct {
	Agent  string
	Reason string // what it did
	Hint   string // what to type next; may be empty
}

func (e *ProtocolError) Error() string {
	text := fmt.Sprintf("acp: %s does not keep to the Agent Client Protocol: %s", e.Agent, e.Reason)
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// A RefusalError says that the agent, or the model behind it, will not do what it
// was told.
type RefusalError struct {
	Agent string
	Text  string // what it said last; untrusted
}

func (e *RefusalError) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("acp: %s refuses the step, and does not say why", e.Agent)
	}
	return fmt.Sprintf("acp: %s refuses the step: %q", e.Agent, e.Text)
}

// A SilenceError says that the agent showed no sign of life for too long.
type SilenceError struct {
	Agent string
	For   time.Duration
	Doing string // what it was at; "": nothing was seen
}

func (e *SilenceError) Error() string {
	text := fmt.Sprintf("acp: %s said nothing for %s", e.Agent, e.For)
	if e.Doing != "" {
		text += fmt.Sprintf(", while it was %q", e.Doing)
	}
	return text
}

// An AskingError says that the agent does not stop asking for permission.
type AskingError struct {
	Agent string
	Times int
	Last  string // why it was refused last; "": it was allowed
}

func (e *AskingError) Error() string {
	text := fmt.Sprintf("acp: %s asked for permission %d times and does not stop", e.Agent, e.Times)
	if e.Last != "" {
		text += "; the last time it was refused: " + e.Last
	}
	return text
}

// An EndedError says that the program ended while it was at work.
type EndedError struct {
	Agent string
	Code  int    // its exit status; 128 plus the signal's number if a signal ended it
	Tail  string // the end of what it printed besides messages, at most 1 KiB; untrusted
}

func (e *EndedError) Error() string {
	text := fmt.Sprintf("acp: %s ended in the middle of its work with exit status %d", e.Agent, e.Code)
	if e.Tail != "" {
		text += fmt.Sprintf("; its last output: %q", e.Tail)
	}
	return text
}

// An AnswerError is an error with which the agent answered.
type AnswerError struct {
	Agent  string
	Method string // what it was asked, as in "session/prompt"
	Code   int    // of JSON-RPC
	Text   string // untrusted
}

func (e *AnswerError) Error() string {
	return fmt.Sprintf("acp: %s answered %s with an error: %q (code %d)", e.Agent, e.Method, e.Text, e.Code)
}

// A ChoiceError says that the agent does not have the model or the mode that it
// was to use.
type ChoiceError struct {
	Agent string
	What  string // "model" or "mode"
	Want  string
	Have  []string // none: it lets nobody choose; untrusted
}

func (e *ChoiceError) Error() string {
	if len(e.Have) == 0 {
		return fmt.Sprintf("acp: %s lets nobody choose its %s; leave %q out, and choose it in the agent's own settings",
			e.Agent, e.What, e.Want)
	}
	return fmt.Sprintf("acp: %s has no %s %q; it has %q", e.Agent, e.What, e.Want, strings.Join(e.Have, ", "))
}
