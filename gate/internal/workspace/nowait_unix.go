//go:build unix

package workspace

import "syscall"

// noWait keeps the opening of a FIFO that was swapped in from waiting for a
// writer.
const noWait = syscall.O_NONBLOCK
