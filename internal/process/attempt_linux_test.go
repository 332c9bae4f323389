//go:build linux && (amd64 || arm64)

package process_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// asAttempt makes this test binary try one thing, and end with 0 if that was
// possible.
const asAttempt = "PLANLOCK_TEST_ATTEMPT"

// attempt is what this process does where it was started to try something.
func attempt(name string) {
	runtime.LockOSThread()
	try, ok := attempts[name]
	if !ok {
		fmt.Println("no such attempt:", name)
		os.Exit(99)
	}
	switch err := try(); {
	case errors.Is(err, errLacking):
		fmt.Println(err)
		os.Exit(98)
	case err != nil:
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("it was possible")
	os.Exit(0)
}

// errLacking is of an attempt that nobody can make, because the kernel has no
// such thing.
var errLacking = errors.New("this kernel has no such thing")

// raw is one system call.
func raw(number uintptr, args ...uintptr) error {
	_, err := rawResult(number, args...)
	return err
}

func rawResult(number uintptr, args ...uintptr) (uintptr, error) {
	var a [6]uintptr
	copy(a[:], args)
	result, _, errno := syscall.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
	if errno != 0 {
		return result, errno
	}
	return result, nil
}

func pointer(text string) uintptr {
	b, err := syscall.BytePtrFromString(text)
	if err != nil {
		panic(err)
	}
	kept = append(kept, b)
	return uintptr(unsafe.Pointer(b))
}

var kept []*byte // so that memory whose address the kernel gets stays

func zeros(n int) uintptr {
	b := make([]byte, n)
	kept = append(kept, &b[0])
	return uintptr(unsafe.Pointer(&b[0]))
}

// words is memory that holds numbers.
func words(n ...uint64) uintptr {
	n = append(n, 0)
	kept = append(kept, (*byte)(unsafe.Pointer(&n[0])))
	return uintptr(unsafe.Pointer(&n[0]))
}

func here() uintptr { return ^uintptr(99) }

func victim() int {
	pid, err := strconv.Atoi(os.Getenv("VICTIM"))
	if err != nil {
		panic(err)
	}
	return pid
}

func out(name string) string { return filepath.Join(os.Getenv("OUT"), name) }

func opened(path string, flags int) error {
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func socket(family, kind, protocol int) error {
	fd, err := syscall.Socket(family, kind, protocol)
	if err == nil {
		syscall.Close(fd)
	}
	return err
}

func dial(network, address string) error {
	c, err := net.DialTimeout(network, address, time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	if network != "udp" {
		return nil
	}
	c.SetDeadline(time.Now().Add(time.Second))
	if _, err := c.Write([]byte("ping")); err != nil {
		return err
	}
	_, err = c.Read(make([]byte, 8)) // somebody answers
	return err
}

// remote are the two vectors of process_vm_readv and writev.
func remote(number uintptr) error {
	at, err := strconv.ParseUint(os.Getenv("VICTIM_AT"), 10, 64)
	if err != nil {
		return err
	}
	local := words(uint64(zeros(8)), 8)
	n, err := rawResult(number, uintptr(victim()), local, 1, words(at, 8), 1, 0)
	if err == nil && n != 8 {
		err = errors.New("short")
	}
	return err
}

// anyOf tries paths that there may be.
func anyOf(pattern string, try func(path string) error) error {
	paths, _ := filepath.Glob(pattern)
	err := errors.New("none is there")
	for _, path := range paths {
		if err = try(path); err == nil {
			return nil
		}
	}
	return err
}

func blockDevices(flags int) error {
	return anyOf("/sys/block/*", func(path string) error {
		return opened("/dev/"+filepath.Base(path),
			flags|syscall.O_NONBLOCK)
	})
}

// mounted mounts something over a folder, and takes it away again where that
// was possible.
func mounted(source, kind string, flags uintptr) error {
	if err := os.Mkdir("point", 0o700); err != nil {
		return err
	}
	err := syscall.Mount(source, "point", kind, flags, "")
	if err == nil {
		syscall.Unmount("point", syscall.MNT_DETACH)
	}
	return err
}

func childIn(flags uintptr) error {
	attr := &syscall.SysProcAttr{Cloneflags: flags}
	pid, err := syscall.ForkExec("/bin/true", []string{"true"}, &syscall.ProcAttr{Sys: attr})
	if err == nil {
		syscall.Wait4(pid, nil, 0, nil)
	}
	return err
}

// attempts are what needs more than a shell. Numbers are those of system calls
// that are the same everywhere, or from package syscall.
var attempts = map[string]func() error{
	"setxattr": func() error { return syscall.Setxattr(out("old"), "user.planlock", []byte("x"), 0) },
	"fchmod by a descriptor": func() error {
		f, err := os.Open(out("old"))
		if err != nil {
			return err
		}
		return f.Chmod(0o600)
	},
	"file flags": func() error {
		f, err := os.Open(out("old"))
		if err != nil {
			return err
		}
		// Those that are there stay: a file system may refuse to take them away.
		flags := words(0)
		if err := raw(syscall.SYS_IOCTL, f.Fd(), 0x80086601, flags); err != nil {
			return err
		}
		*(*uint64)(unsafe.Pointer(kept[len(kept)-1])) |= 0x40 // no dump
		return raw(syscall.SYS_IOCTL, f.Fd(), 0x40086602, flags)
	},
	"unnamed file": func() error {
		fd, err := syscall.Open(os.Getenv("OUT"), 0x410000|syscall.O_RDWR, 0o600) // O_TMPFILE
		if err == nil {
			syscall.Close(fd)
		}
		return err
	},
	"exchange": func() error {
		os.WriteFile("mine", []byte("x"), 0o600)
		return raw(renameat2, here(), pointer("mine"), here(), pointer(out("old")), 2)
	},
	"victim's memory, read":  func() error { return remote(processVMReadv) },
	"victim's memory, write": func() error { return remote(processVMReadv + 1) },
	"victim's memory file": func() error {
		f, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", victim()), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return f.Close()
	},
	"ptrace": func() error { return syscall.PtraceAttach(victim()) },
	"pidfd":  func() error { return raw(434, uintptr(victim()), 0) },
	"descriptor of another": func() error {
		fd, err := rawResult(434, uintptr(victim()), 0)
		if err != nil {
			return err
		}
		return raw(438, fd, 1, 0)
	},
	"signal":              func() error { return syscall.Kill(victim(), syscall.SIGUSR1) },
	"kcmp":                func() error { return raw(kcmp, uintptr(victim()), uintptr(os.Getpid()), 0, 1, 1) },
	"priority of another": func() error { return syscall.Setpriority(syscall.PRIO_PROCESS, victim(), 19) },
	"limits of another":   func() error { return raw(prlimit, uintptr(victim()), 7, words(1024, 1024), 0) },

	"unix socket":     func() error { return dial("unix", os.Getenv("SOCKET")) },
	"abstract socket": func() error { return dial("unix", "@"+os.Getenv("ABSTRACT")) },
	"tcp":             func() error { return dial("tcp", os.Getenv("TCP")) },
	"udp":             func() error { return dial("udp", os.Getenv("UDP")) },
	"raw socket":      func() error { return socket(syscall.AF_INET, syscall.SOCK_RAW, 1) },
	"packet socket":   func() error { return socket(syscall.AF_PACKET, syscall.SOCK_RAW, 0) },
	"vsock":           func() error { return socket(40, syscall.SOCK_STREAM, 0) },
	"kernel crypto":   func() error { return socket(38, syscall.SOCK_SEQPACKET, 0) },
	"firewall":        func() error { return firewall() },
	"devices of the network": func() error {
		list, err := net.Interfaces()
		if err == nil && len(list) < 2 {
			err = errors.New("only loopback")
		}
		return err
	},

	"no new privileges": func() error {
		if set, err := rawResult(syscall.SYS_PRCTL, 39); err != nil || set == 1 {
			return errors.New("they are excluded")
		}
		return nil
	},
	"capabilities": func() error {
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(status)) {
			if text, ok := strings.CutPrefix(line, "CapEff:"); ok {
				if caps, err := strconv.ParseUint(strings.TrimSpace(text), 16, 64); err != nil ||
					caps&(1<<21|1<<16|1<<17|1<<19|1<<24|1<<2|1<<27) == 0 {
					return errors.New("none that leads out")
				}
			}
		}
		return nil
	},
	"character device": func() error { return syscall.Mknod("dev", syscall.S_IFCHR|0o600, 1<<8|1) },
	"block device":     func() error { return syscall.Mknod("dev", syscall.S_IFBLK|0o600, 254<<8) },
	"/dev/mem":         func() error { return opened("/dev/mem", os.O_RDWR) },
	"/dev/kmsg":        func() error { return opened("/dev/kmsg", os.O_WRONLY) },
	"write a disk":     func() error { return blockDevices(os.O_WRONLY) },
	"read a disk":      func() error { return blockDevices(os.O_RDONLY) },

	"mount":         func() error { return mounted("none", "tmpfs", 0) },
	"bind mount":    func() error { return mounted(os.Getenv("OUT"), "", syscall.MS_BIND) },
	"remount":       func() error { return syscall.Mount("", "/", "", syscall.MS_REMOUNT|syscall.MS_BIND, "") },
	"unmount":       func() error { return syscall.Unmount(".git", syscall.MNT_DETACH) },
	"mount_setattr": func() error { return raw(442, here(), pointer("/"), 0, words(0, 1, 0, 0), 32) },
	"open_tree":     func() error { return raw(428, here(), pointer("/"), 1) },
	"fsopen":        func() error { return raw(430, pointer("tmpfs"), 0) },
	"pivot_root":    func() error { return syscall.PivotRoot(".", ".") },
	"chroot":        func() error { return syscall.Chroot(".") },

	"unshare user":  func() error { return childIn(syscall.CLONE_NEWUSER) },
	"unshare mount": func() error { return syscall.Unshare(syscall.CLONE_NEWNS) },
	"clone mount":   func() error { return childIn(syscall.CLONE_NEWNS) },
	"clone3":        func() error { return raw(435, words(0, 0, 0, 0, 0, 0, 0, 0), 4) },
	"setns": func() error {
		f, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", victim()))
		if err != nil {
			return err
		}
		return raw(setns, f.Fd(), 0)
	},
	"keyctl": func() error { return raw(keyctl, 0, ^uintptr(2), 1) },
	"add_key": func() error {
		return raw(keyctl-2, pointer("user"), pointer("planlock"), pointer("x"), 1,
			^uintptr(2))
	},
	"bpf":         func() error { return raw(bpfCall, 0, words(2|4<<32, 4|1<<32), 72) },
	"perf":        func() error { return raw(perf, words(1|64<<32), 0, ^uintptr(0), ^uintptr(0), 0) },
	"io_uring":    func() error { return raw(425, 1, zeros(120)) },
	"userfaultfd": func() error { return raw(userfaultfd, 1) },
	"module":      func() error { return raw(initModule, zeros(8), 8, pointer("")) },
	"kexec":       func() error { return raw(kexec, 0, 0, 0, 0) },
	"reboot":      func() error { return raw(syscall.SYS_REBOOT, 1, 2, 3, 0) }, // with a wrong key
	"clock":       func() error { return raw(syscall.SYS_SETTIMEOFDAY, zeros(16), 0) },
	"swap":        func() error { return raw(syscall.SYS_SWAPOFF, pointer("none")) },
	"accounting":  func() error { return raw(syscall.SYS_ACCT, pointer("acct")) },
	"kernel log":  func() error { return raw(syscall.SYS_SYSLOG, 3, zeros(64), 64) },
	"host name": func() error {
		name, err := os.Hostname()
		if err != nil {
			return err
		}
		return syscall.Sethostname([]byte(name))
	},
	"handle": func() error {
		type handle struct {
			size uint32
			kind int32
			id   [128]byte
		}
		h := handle{size: 128}
		var mount int32
		at := uintptr(unsafe.Pointer(&h))
		if err := raw(nameToHandle, here(), pointer(out("old")), at, uintptr(unsafe.Pointer(&mount)), 0); err != nil {
			return err
		}
		root, err := os.Open(os.Getenv("OUT"))
		if err != nil {
			return err
		}
		return raw(nameToHandle+1, root.Fd(), at, syscall.O_RDWR)
	},
	"personality": func() error { return raw(syscall.SYS_PERSONALITY, 0x0400000) }, // readable is executable
	"type into a terminal": func() error {
		f, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
		if err != nil {
			return err
		}
		if err := raw(syscall.SYS_IOCTL, f.Fd(), 0x5412, zeros(1)); errors.Is(err, syscall.EPERM) {
			return err
		}
		return nil // it was not the filter that refused
	},
	"other calling convention": func() error {
		if runtime.GOARCH != "amd64" {
			return errors.New("there is none")
		}
		return raw(0x40000000 | syscall.SYS_GETPID)
	},

	"32-bit program":        func() error { return runOld(32, endOld) },
	"32-bit socketcall":     func() error { return runOld(32, socketOld) },
	"32-bit call":           func() error { return runOld(64, endOld) },
	"socketcall of 64 bits": func() error { return runOld(64, socketOld) },

	"descriptors left open": func() error {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			return err
		}
		for _, entry := range entries {
			path, err := os.Readlink("/proc/self/fd/" + entry.Name())
			fd, _ := strconv.Atoi(entry.Name())
			if err == nil && fd > 2 && !strings.Contains(path, "anon_inode") && !strings.HasSuffix(path, "/fd") &&
				!strings.HasPrefix(path, "/proc") && !strings.HasPrefix(path, "/sys/fs/cgroup") && path != "/dev/null" {
				fmt.Println(fd, path)
				return nil
			}
		}
		return errors.New("none but the three")
	},
	"control groups": func() error {
		err := anyOf("/sys/fs/cgroup/*/cgroup.procs", func(path string) error { return opened(path, os.O_WRONLY) })
		if err != nil {
			err = opened("/sys/fs/cgroup/cgroup.procs", os.O_WRONLY)
		}
		return err
	},
	"cores": func() error {
		return syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{Cur: 1 << 20, Max: 1 << 20})
	},
	"more processor time": func() error {
		return syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: 1 << 30, Max: 1 << 30})
	},
	"more priority": func() error { return syscall.Setpriority(syscall.PRIO_PROCESS, 0, -5) },
	"real time":     func() error { return raw(syscall.SYS_SCHED_SETSCHEDULER, 0, 1, words(1)) },
	"message queue": func() error {
		key, err := strconv.Atoi(os.Getenv("QUEUE"))
		if err != nil {
			return err
		}
		return raw(syscall.SYS_MSGGET, uintptr(key), 0)
	},
}

// firewall asks for a change of the routes of this network, which needs power
// over it.
func firewall() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	request := make([]byte, 40)
	copy(request, "lo")
	request[16] = syscall.IFF_UP | syscall.IFF_LOOPBACK&0xff
	if err := raw(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCGIFFLAGS,
		uintptr(unsafe.Pointer(&request[0]))); err != nil {
		return err
	}
	// as they are
	return raw(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request[0])))
}
