//go:build unix

package attempt

import "syscall"

// errQuota says that the user may not store more.
const errQuota = syscall.EDQUOT
