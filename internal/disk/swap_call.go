//go:build linux || darwin

package disk

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unsafe"
)

// calls are the calls of the system that package syscall does not name
// everywhere, and their flags. A number of 0 is none.
type calls struct {
	rename                uintptr // renameat2(2), renameatx_np(2)
	noReplace, swap       uintptr
	unlink, removesFolder uintptr // unlinkat(2)
	syncAll               uintptr // syncfs(2)
}

var system = sync.OnceValue(func() calls {
	switch runtime.GOOS + "/" + runtime.GOARCH {
	case "linux/amd64":
		return calls{316, 1, 2, 263, 0x200, tells(306)}
	case "linux/arm64", "linux/riscv64", "linux/loong64":
		return calls{276, 1, 2, 35, 0x200, tells(267)}
	case "darwin/amd64", "darwin/arm64":
		return calls{488, 4, 2, 472, 0x80, 0}
	}
	return calls{}
})

// tells is the number of syncfs if the kernel tells when that fails: since 5.8.
func tells(syncfs uintptr) uintptr {
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	major, rest, _ := strings.Cut(string(release), ".")
	minor, _, _ := strings.Cut(rest, ".")
	x, xerr := strconv.Atoi(major)
	y, yerr := strconv.Atoi(minor)
	if errors.Join(err, xerr, yerr) != nil || x < 5 || x == 5 && y < 8 {
		return 0
	}
	return syncfs
}

func renameFlag(from *os.File, name string, into *os.File, to string, exchanges bool) error {
	old, err := syscall.BytePtrFromString(name)
	if err != nil {
		return err
	}
	target, err := syscall.BytePtrFromString(to)
	if err != nil {
		return err
	}
	flag := system().noReplace
	if exchanges {
		flag = system().swap
	}
	return call(system().rename, from.Fd(), uintptr(unsafe.Pointer(old)), into.Fd(),
		uintptr(unsafe.Pointer(target)), flag)
}

func removeFolder(_ *os.Root, dir *os.File, name string) error {
	text, err := syscall.BytePtrFromString(name)
	if err != nil {
		return err
	}
	return call(system().unlink, dir.Fd(), uintptr(unsafe.Pointer(text)), system().removesFolder, 0, 0)
}

func syncAll(dir *os.File) error { return call(system().syncAll, dir.Fd(), 0, 0, 0, 0) }

// call calls the system. What says that it does not know the call or its flags
// is unsupported.
//
//go:uintptrescapes
func call(number, a, b, c, d, e uintptr) error {
	if number == 0 {
		return errors.ErrUnsupported
	}
	for {
		_, _, no := syscall.Syscall6(number, a, b, c, d, e, 0)
		switch no {
		case 0:
			return nil
		case syscall.EINTR:
		case syscall.EINVAL: // the others that say so are errors.ErrUnsupported as they are
			return errors.Join(errors.ErrUnsupported, no)
		default:
			return no
		}
	}
}
