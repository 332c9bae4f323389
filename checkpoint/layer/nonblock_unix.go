//go:build unix

package layer

import "syscall"

// nonblock opens without waiting for whoever is at the other end of a pipe.
const nonblock = syscall.O_NONBLOCK
