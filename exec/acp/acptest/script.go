package acptest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/exec/acp"
)

// A Script is what an agent does. The zero value does nothing in each turn, and
// says that it is done.
type Script struct {
	// Name and Version are what it says it is; "": "fake", "1.0".
	Name    string `json:",omitempty"`
	Version string `json:",omitempty"`
	// Protocol is the version that it speaks; 0: 1.
	Protocol int `json:",omitempty"`
	// LoggedOut says that it opens a session for nobody, unless Key is a variable
	// of its environment, and it is told to use that.
	LoggedOut bool   `json:",omitempty"`
	Key       string `json:",omitempty"`
	// Loads says that it keeps its sessions in HOME, and loads them again.
	Loads bool `json:",omitempty"`
	// Models and Modes can be chosen.
	Models, Modes []string `json:",omitempty"`
	// First is what it does before it answers anything.
	First []Act `json:",omitempty"`
	// Turns are answers to prompts, in the order of the conversation; the last one
	// goes for all further ones. A turn with an If is the answer to any prompt
	// that holds that text.
	Turns []Turn `json:",omitempty"`

	model, mode string // that were chosen
}

// A Turn is an answer to a prompt.
type Turn struct {
	If   string `json:",omitempty"`
	Acts []Act  `json:",omitempty"`
	Stop string `json:",omitempty"` // the stop reason; "": "end_turn"
}

// An Act is one thing that it does: all that is set, in the order of the fields.
type Act struct {
	Say   string   `json:",omitempty"`
	Think string   `json:",omitempty"`
	Plan  []string `json:",omitempty"`
	// Write is a file that gets Text; Delete one that goes. Each is told as a tool
	// call. With Ask it asks first, and obeys; without, it does it.
	Write  string `json:",omitempty"`
	Text   string `json:",omitempty"`
	Delete string `json:",omitempty"`
	Ask    bool   `json:",omitempty"`
	// Tell is what it says that it does to Write, and does not do.
	Tell bool `json:",omitempty"`
	// Input, Output and Cost are told as usage: tokens of the turn, dollars of
	// the session.
	Input, Output int     `json:",omitempty"`
	Cost          float64 `json:",omitempty"`
	// Raw is printed as it is, and Print to standard error, Times times (0: once).
	Raw   []byte `json:",omitempty"`
	Print string `json:",omitempty"`
	Times int    `json:",omitempty"`
	// Asks is how often it asks for permission to edit Write.
	Asks int `json:",omitempty"`
	// Show is a variable of the environment whose value it says; "model" and "mode"
	// are those that were chosen.
	Show string `json:",omitempty"`
	// Fork starts a process that goes on, and writes the file after a second.
	Fork string `json:",omitempty"`
	// Wait is for how long it waits; Hang that it waits for ever, even if it is
	// asked to stop; UntilStopped that it waits for that.
	Wait         time.Duration `json:",omitempty"`
	Hang         bool          `json:",omitempty"`
	UntilStopped bool          `json:",omitempty"`
	// Fail is an error that answers the prompt, with Code (0: -32603).
	Fail string `json:",omitempty"`
	Code int    `json:",omitempty"`
	// Exit ends the program with this status.
	Exit int `json:",omitempty"`
}

// Executor drives an agent with this script.
func (s Script) Executor(t testing.TB) *acp.Executor {
	t.Helper()
	program, text := s.started(t)
	name := s.Name
	if name == "" {
		name = "fake"
	}
	return &acp.Executor{Args: []string{program}, Env: []string{variable + "=" + text}, Label: name}
}

// started is the program that is the agent, and its script as it is handed over.
func (s Script) started(t testing.TB) (program, text string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return program, string(script)
}

// Program writes the agent as a program called name into a folder, and returns
// its path. It acts as the script says whatever its arguments are.
func (s Script) Program(t testing.TB, dir, name string) string {
	t.Helper()
	program, text := s.started(t)
	quote := func(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
	path := filepath.Join(dir, name)
	shell := "#!/bin/sh\n" + variable + "=" + quote(text) + " exec " + quote(program) + "\n"
	if err := os.WriteFile(path, []byte(shell), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
