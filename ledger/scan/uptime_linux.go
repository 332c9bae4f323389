package scan

import (
	"os"
	"syscall"
	"time"
	"unsafe"
)

// sinceBoot reads the clock that counts from the start of the machine.
func sinceBoot() time.Duration {
	const bootTime = 7 // CLOCK_BOOTTIME
	var now syscall.Timespec
	if _, _, no := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, bootTime, uintptr(unsafe.Pointer(&now)), 0); no != 0 {
		return 0
	}
	return time.Duration(now.Nano())
}

// clockName tells apart the clocks that sinceBoot reads: in a time namespace of
// its own a process may see another one. It is "" where the system has no such
// namespaces.
func clockName() string {
	name, _ := os.Readlink("/proc/self/ns/time")
	return name
}
