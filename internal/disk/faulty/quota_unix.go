//go:build unix

package faulty

import "syscall"

const quota = syscall.EDQUOT
