//go:build unix

package faulty

import "syscall"

// Quota is the error of a user who has no space left.
const Quota = syscall.EDQUOT
