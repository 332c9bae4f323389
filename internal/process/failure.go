package process

import (
	"errors"
	"fmt"
	"syscall"
)

// ErrOutOfMemory is wrapped where a command failed after the kernel ended one
// of its processes for using more memory than it was allowed. It is known only
// where a control group limits memory ([Reached].Memory); elsewhere a process
// fails to get memory, and says so itself or not.
var ErrOutOfMemory = errors.New("out of memory")

// A LimitError says that a command went over the memory it was allowed. It
// wraps [ErrOutOfMemory].
type LimitError struct {
	Command string
	Limit   int64 // bytes
}

// Error names the command and the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("process: %q ran %v: all its processes together may use %d bytes; raise memory in [sandbox], or let it use less",
		e.Command, ErrOutOfMemory, e.Limit)
}

// Unwrap makes errors.Is find ErrOutOfMemory.
func (e *LimitError) Unwrap() error { return ErrOutOfMemory }

// A ViewError says that a command cannot be shown a view. The command was not
// started.
type ViewError struct {
	At     string // the path where the view would be
	Reason error
}

// Error says which view, and why not.
func (e *ViewError) Error() string {
	return fmt.Sprintf("process: commands cannot be shown a view at %q: %v; let them work in a clone", e.At, e.Reason)
}

// Unwrap is the reason.
func (e *ViewError) Unwrap() error { return e.Reason }

// plain is the innermost error: a reason is part of the envelope and must not
// hold paths or numbers.
func plain(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}
