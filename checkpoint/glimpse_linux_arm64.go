package checkpoint

import "syscall"

const (
	sysStatx   = 291
	sysFstatat = syscall.SYS_FSTATAT
)
