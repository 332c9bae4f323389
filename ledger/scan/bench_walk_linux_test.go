//go:build amd64 || arm64 || riscv64

package scan

import (
	"sync"
	"syscall"
	"testing"
	"unsafe"
)

// bareWalk is the least work that sees every entry without knowing anything:
// raw listings and a status of each name, by two threads that take folders from
// one stack. It keeps nothing.
func bareWalk(b *testing.B, root string) func() {
	b.Helper()
	top := append([]byte(root), 0)
	return func() {
		var (
			mu     sync.Mutex
			cond   = sync.NewCond(&mu)
			stack  = [][]byte{top}
			active int
		)
		var threads sync.WaitGroup
		for range 2 {
			threads.Go(func() {
				raw := make([]byte, 64<<10)
				var st syscall.Stat_t
				var found [][]byte
				mu.Lock()
				defer mu.Unlock()
				for {
					for len(stack) == 0 && active > 0 {
						cond.Wait()
					}
					if len(stack) == 0 {
						cond.Broadcast()
						return
					}
					take := min(len(stack), 16)
					batch := append([][]byte(nil), stack[len(stack)-take:]...)
					stack = stack[:len(stack)-take]
					active++
					mu.Unlock()
					found = found[:0]
					for _, dir := range batch {
						found = bareFolderWalk(dir, raw, &st, found)
					}
					mu.Lock()
					active--
					stack = append(stack, found...)
					if len(found) > 0 || active == 0 {
						cond.Broadcast()
					}
				}
			})
		}
		threads.Wait()
	}
}

func bareFolderWalk(dir, raw []byte, st *syscall.Stat_t, found [][]byte) [][]byte {
	fd, _, no := syscall.Syscall6(syscall.SYS_OPENAT, ^uintptr(99), uintptr(unsafe.Pointer(&dir[0])),
		syscall.O_RDONLY|syscall.O_DIRECTORY, 0, 0, 0)
	if no != 0 {
		return found
	}
	defer syscall.Close(int(fd))
	for {
		n, err := syscall.Getdents(int(fd), raw)
		if err != nil || n <= 0 {
			return found
		}
		for rest := raw[:n]; len(rest) > 19; {
			size := int(rest[16]) | int(rest[17])<<8
			name := rest[19:]
			if name[0] != '.' || name[1] != 0 && (name[1] != '.' || name[2] != 0) {
				syscall.Syscall6(sysFstatat, fd, uintptr(unsafe.Pointer(&name[0])), uintptr(unsafe.Pointer(st)),
					atNoFollow, 0, 0)
				if rest[18] == syscall.DT_DIR {
					end := 0
					for name[end] != 0 {
						end++
					}
					path := make([]byte, 0, len(dir)+end+2)
					path = append(append(path, dir[:len(dir)-1]...), '/')
					found = append(found, append(append(path, name[:end]...), 0))
				}
			}
			rest = rest[size:]
		}
	}
}
