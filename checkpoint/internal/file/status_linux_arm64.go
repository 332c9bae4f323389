package file

import "syscall"

const (
	sysStatx   = 291
	sysFstatat = syscall.SYS_FSTATAT
)
