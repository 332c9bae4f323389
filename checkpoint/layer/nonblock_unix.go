//go:build unix

package layer

import "syscall"

// nonblock opens without waiting for whoever is at the other end of a pipe, and
// noFollow only what is no link.
const (
	nonblock = syscall.O_NONBLOCK
	noFollow = syscall.O_NOFOLLOW
)
