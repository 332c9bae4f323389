package process

import (
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"syscall"
	"unsafe"
)

// restrict confines the present thread, and so what it forks, as box says, and
// reports whether the thread is spoiled for other work.
func restrict(box confinement) (spoiled bool, err error) {
	if box.reached.staged { // the child restricts itself
		if box.reached.Tree != pidTree {
			return false, nil
		}
		return true, narrow()
	}
	if box.reached.Tree == pidTree && box.reached.NoNetwork {
		spoiled = true
		if err := leaveNetwork(); err != nil {
			return spoiled, fmt.Errorf("take the network away: %w", err)
		}
	}
	if box.reached.Protected {
		spoiled = true
		if err := protect(box); err != nil {
			return spoiled, fmt.Errorf("make the repository read-only: %w", err)
		}
	}
	if box.confines() {
		spoiled = true
		if err := landlock(box); err != nil {
			return spoiled, fmt.Errorf("confine the file system: %w", err)
		}
	}
	return spoiled, nil
}

// onThread calls f on a thread of its own, which is not the process's first
// one, and which ends with f if f says that it is spoiled for other work. (What
// /proc shows of a process is its first thread.)
func onThread(f func() (spoiled bool)) {
	go func() {
		runtime.LockOSThread()
		if syscall.Gettid() == syscall.Getpid() {
			done := make(chan struct{})
			go func() {
				defer close(done)
				runtime.LockOSThread()
				if !f() {
					runtime.UnlockOSThread()
				}
			}()
			<-done
			runtime.UnlockOSThread()
			return
		}
		if !f() {
			runtime.UnlockOSThread()
		}
	}()
}

// onSpoiledThread calls f on a thread that ends with it.
func onSpoiledThread(f func() error) error {
	result := make(chan error, 1)
	onThread(func() bool {
		result <- f()
		return true
	})
	return <-result
}

// leaveMounts gives the present thread mounts of its own.
func leaveMounts() error {
	if err := syscall.Unshare(syscall.CLONE_NEWNS); err != nil {
		return fmt.Errorf("unshare: %w", err)
	}
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	return nil
}

// protect makes the protected paths that are there read-only for the present
// thread and its children, and hides the sockets of services. Landlock, which comes after it, keeps them from
// mounting anything otherwise.
func protect(box confinement) error {
	if err := leaveMounts(); err != nil {
		return err
	}
	for _, path := range box.protected() {
		err := syscall.Mount(path, path, "", syscall.MS_BIND|syscall.MS_REC, "")
		if errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("bind %q: %w", path, err)
		}
		var about syscall.Statfs_t
		if err := syscall.Statfs(path, &about); err != nil {
			return fmt.Errorf("look at %q: %w", path, err)
		}
		flags := uintptr(syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY) | kept(int64(about.Flags))
		if err := syscall.Mount("", path, "", flags, ""); err != nil {
			return fmt.Errorf("make %q read-only: %w", path, err)
		}
	}
	for _, path := range box.doors() {
		err := syscall.Mount("/dev/null", path, "", syscall.MS_BIND, "")
		if err != nil && !errors.Is(err, syscall.ENOENT) && !errors.Is(err, syscall.ENOTDIR) {
			return fmt.Errorf("hide %q: %w", path, err)
		}
	}
	return nil
}

// kept are the flags of a mount that a mount of the same content must not lose.
// statfs and mount number them alike, but for the last.
func kept(flags int64) uintptr {
	const relatime = 0x1000
	all := uintptr(flags) & (syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC |
		syscall.MS_NOATIME | syscall.MS_NODIRATIME)
	if flags&relatime != 0 {
		all |= syscall.MS_RELATIME
	}
	return all
}

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
