package process

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
)

// sweepTime bounds the hunt for processes that carry a cookie.
const sweepTime = 5 * time.Second

// sweep ends every process whose environment holds cookie, until there is none, and returns how many are left.
// A process that was started with another environment, in another process group, is not found.
func sweep(cookie string) (left int) {
	for limit := time.Now().Add(sweepTime); ; {
		if left = strike(cookie); left == 0 || time.Now().After(limit) {
			return left
		}
	}
}

// strike kills every process that carries cookie now, and returns how many it found alive.
func strike(cookie string) (found int) {
	folder, err := os.Open("/proc")
	if err != nil {
		return 0
	}
	names, err := folder.Readdirnames(-1)
	folder.Close()
	if err != nil {
		return 0
	}
	buf := make([]byte, 32<<10)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || !carries(name, cookie, buf) {
			continue
		}
		process, err := os.FindProcess(pid) // bound to this process, whoever gets its number later
		if err != nil {
			continue
		}
		if carries(name, cookie, buf) { // a zombie's environment is empty
			found++
			process.Kill()
		}
		process.Release()
	}
	return found
}

// carries reports whether the environment of a process holds cookie as one of its assignments. It reads by way of buf, which is
// longer than two cookies.
func carries(pid, cookie string, buf []byte) bool {
	fd, err := syscall.Open("/proc/"+pid+"/environ", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer syscall.Close(fd)
	buf[0] = 0 // so that each assignment stands between two zeros
	for kept := 1; ; {
		n, err := syscall.Read(fd, buf[kept:])
		if err == syscall.EINTR {
			continue
		}
		ended := err != nil || n <= 0
		if ended {
			buf[kept], n = 0, 1 // a program may have cut off the last zero
		}
		whole := buf[:kept+n]
		if at := bytes.Index(whole, []byte("\x00"+cookie+"\x00")); at >= 0 {
			return true
		}
		if ended {
			return false
		}
		tail := whole[max(0, len(whole)-len(cookie)-1):]
		kept = copy(buf, tail)
	}
}
