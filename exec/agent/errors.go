package agent

import (
	"errors"
	"fmt"
	"time"

	"github.com/planlock/planlock/exec"
)

// ErrUnknown says that an agent is not known and nothing describes it.
var ErrUnknown = errors.New("agent: no such agent is known")

// ErrNoHome says that the work names no folder that an agent could have for its
// home.
var ErrNoHome = errors.New("agent: there is no home for it: Work.Home is empty")

// A MissingError says that no program of an agent is installed.
type MissingError struct {
	Agent string
	Try   string // what to type
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("agent: %s is not installed; %s", e.Agent, e.Try)
}

// A ModelError says that the command of an agent that somebody describes does not go
// with its model.
type ModelError struct {
	Agent  string
	Needed bool // it needs a model, and none is named; else it takes none
}

func (e *ModelError) Error() string {
	if e.Needed {
		return fmt.Sprintf("agent: %s: its args have {model}, and no model is named", e.Agent)
	}
	return fmt.Sprintf("agent: %s: it takes no model: put {model} in its args", e.Agent)
}

// A LoginError says that an agent is not logged in, or that its login is not
// valid any more.
type LoginError struct {
	Agent string
	Said  string // by the agent; "": nothing was found that would log it in
	Try   string // what to type
}

func (e *LoginError) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("agent: %s is not logged in; %s", e.Agent, e.Try)
	}
	return fmt.Sprintf("agent: %s is not logged in: %q; %s", e.Agent, e.Said, e.Try)
}

// An ObeysError says that an agent would obey a file which nobody accepted as it
// is: mostly an earlier step wrote it. Nothing was started.
type ObeysError struct {
	Agent string
	File  string // told from the folder that it works in; untrusted
}

func (e *ObeysError) Error() string {
	return fmt.Sprintf("agent: %s would obey the file %q, which is not as it was accepted; look at it, have it so in the "+
		"workspace if it is right, and accept it with --ack agent:%s", e.Agent, e.File, e.Agent)
}

// Unwrap says that trying again helps nobody.
func (*ObeysError) Unwrap() error { return exec.ErrDeclined }

// A SilentError says that nothing was heard of an agent for too long, and that
// it was ended.
type SilentError struct {
	Agent string
	For   time.Duration
	Doing string // what it was at, where the protocol told it; untrusted
}

func (e *SilentError) Error() string {
	text := fmt.Sprintf("agent: nothing was heard of %s for %v", e.Agent, e.For)
	if e.Doing != "" {
		text += fmt.Sprintf(", while it was %q", e.Doing)
	}
	return text
}

// A FailedError says that an agent did not do what it was told: it says so, or
// ended without a word.
type FailedError struct {
	Agent string
	Exit  int    // its exit status; 128 plus the signal's number if a signal ended it
	Said  string // why, as far as it said; untrusted
}

func (e *FailedError) Error() string {
	switch {
	case e.Exit != 0 && e.Said != "":
		return fmt.Sprintf("agent: %s ended with exit status %d: %q", e.Agent, e.Exit, e.Said)
	case e.Exit != 0:
		return fmt.Sprintf("agent: %s ended with exit status %d", e.Agent, e.Exit)
	case e.Said != "":
		return fmt.Sprintf("agent: %s failed: %q", e.Agent, e.Said)
	}
	return fmt.Sprintf("agent: %s ended without a last word", e.Agent)
}
