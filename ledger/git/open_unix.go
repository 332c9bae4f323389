//go:build unix

package git

import (
	"os"
	"syscall"
)

// readOnly opens what git would read, following links as git does, and never
// waits for somebody to write to a FIFO.
const readOnly = os.O_RDONLY | syscall.O_NONBLOCK
