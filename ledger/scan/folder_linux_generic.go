//go:build linux && (arm64 || riscv64)

package scan

import "syscall"

const sysFstatat = syscall.SYS_FSTATAT
