//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak is the most memory, in bytes, that a process had at a time.
func peak(p *os.ProcessState) int64 {
	used, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "linux" { // which counts in KiB
		return int64(used.Maxrss) << 10
	}
	return int64(used.Maxrss)
}
