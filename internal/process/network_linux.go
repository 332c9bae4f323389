package process

import (
	"fmt"
	"syscall"
	"unsafe"
)

// leaveNetwork gives the present thread a network of its own, with nothing but
// the loopback device, which is up.
func leaveNetwork() error {
	if err := syscall.Unshare(syscall.CLONE_NEWNET); err != nil {
		return fmt.Errorf("unshare: %w", err)
	}
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	defer syscall.Close(socket)
	request := loopbackUp()
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(socket), syscall.SIOCSIFFLAGS,
		uintptr(unsafe.Pointer(&request)))
	if errno != 0 {
		return fmt.Errorf("loopback device: %w", errno)
	}
	return nil
}

// flagsRequest is the kernel's ifreq.
type flagsRequest struct {
	name  [syscall.IFNAMSIZ]byte
	flags uint16
	_     [22]byte
}

// loopbackUp asks for the loopback device to be up.
func loopbackUp() flagsRequest {
	request := flagsRequest{flags: syscall.IFF_UP | syscall.IFF_RUNNING}
	copy(request.name[:], "lo")
	return request
}
