package file

import "syscall"

const (
	sysStatx   = 332
	sysFstatat = syscall.SYS_NEWFSTATAT
)
