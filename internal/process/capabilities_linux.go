package process

import (
	"fmt"
	"math/bits"
	"syscall"
	"unsafe"
)

// Numbers of linux/capability.h and linux/prctl.h, and what commands of root
// keep.
const (
	capVersion   = 0x20080522
	prCapBSet    = 23
	prCapBSetCut = 24

	// keptCaps are what root's ordinary programs need for files, users and
	// ports: chown, dac_override, fowner, fsetid, kill, setgid, setuid,
	// setpcap, net_bind_service and setfcap.
	keptCaps = 1<<0 | 1<<1 | 1<<3 | 1<<4 | 1<<5 | 1<<6 | 1<<7 | 1<<8 | 1<<10 | 1<<31
)

// A capHeader says in which form capData follows, and whose it is.
type capHeader struct {
	version uint32
	pid     int32
}

// capData is 32 of the capabilities; there are two of it.
type capData struct{ effective, permitted, inheritable uint32 }

// narrow takes from what the present thread starts the capabilities that it
// could regain by being root, and lets the first program keep them all, which
// needs them to make its mounts and then drops them.
func narrow() error {
	header, data := capHeader{version: capVersion}, [2]capData{}
	at, from := uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&data))
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CAPGET, at, from, 0); errno != 0 {
		return fmt.Errorf("capabilities: %w", errno)
	}
	for i := range data {
		data[i].inheritable = data[i].permitted
	}
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CAPSET, at, from, 0); errno != 0 {
		return fmt.Errorf("capabilities: %w", errno)
	}
	for number := range uintptr(64) {
		has, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prCapBSet, number, 0, 0, 0, 0)
		if errno != 0 {
			break // there are no more
		}
		if has == 0 || number < bits.UintSize && uint64(keptCaps)&(1<<number) != 0 {
			continue
		}
		if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prCapBSetCut, number, 0, 0, 0, 0); errno != 0 {
			return fmt.Errorf("capability %d: %w", number, errno)
		}
	}
	return nil
}
