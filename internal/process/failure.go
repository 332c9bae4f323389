package process

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"
)

// ErrOutOfMemory is wrapped where a command failed after the kernel ended one
// of its processes for using more memory than it was allowed. It is known only
// where a control group limits memory ([Reached].Memory); elsewhere a process
// fails to get memory, and says so itself or not.
var ErrOutOfMemory = errors.New("out of memory")

// ErrExhausted is wrapped where a command failed because it used up its
// processor time, or what it may write.
var ErrExhausted = errors.New("used up what its sandbox allows")

// A Quota is what a sandbox allows a command only so much of.
type Quota string

// The quotas, named as their keys in a plan's [sandbox].
const (
	Memory    Quota = "memory" // bytes
	Processor Quota = "cpu"    // nanoseconds of each process
	Disk      Quota = "disk"   // bytes of each file
)

// A LimitError says that a command went over what it was allowed. It wraps
// [ErrOutOfMemory] or [ErrExhausted].
type LimitError struct {
	Command string
	Of      Quota
	Limit   int64
}

// Error names the command and the limit.
func (e *LimitError) Error() string {
	switch e.Of {
	case Processor:
		return fmt.Sprintf("process: %q %v: %v of processor time; raise cpu in [sandbox], or let it do less",
			e.Command, ErrExhausted, time.Duration(e.Limit))
	case Disk:
		return fmt.Sprintf("process: %q %v: files of %d bytes; raise disk in [sandbox], or let it write less",
			e.Command, ErrExhausted, e.Limit)
	}
	return fmt.Sprintf("process: %q ran %v: all its processes together may use %d bytes; raise memory in [sandbox], or let it use less",
		e.Command, ErrOutOfMemory, e.Limit)
}

// Unwrap makes errors.Is find what was used up.
func (e *LimitError) Unwrap() error {
	if e.Of == Memory {
		return ErrOutOfMemory
	}
	return ErrExhausted
}

// refused says that a command which failed used up what its files may hold, where
// the system told it instead of ending it, and it says so at its end; nil: it does
// not, as far as can be told.
func (box confinement) refused(output string) *LimitError {
	const end = 4 << 10
	if box.FileSize > 0 && limitsFiles && saysTooLarge(output[max(0, len(output)-end):]) {
		return &LimitError{Of: Disk, Limit: box.FileSize}
	}
	return nil
}

// saysTooLarge reports whether a program says that its write was refused for the size
// of its file.
func saysTooLarge(text string) bool {
	return strings.Contains(strings.ToLower(text), "file too large") || strings.Contains(text, "EFBIG")
}

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
