package ledger

import "syscall"

const sysFstatat = syscall.SYS_FSTATAT
