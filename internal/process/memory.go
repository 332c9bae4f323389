package process

import (
	"errors"
	"fmt"
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
