package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
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
	names, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return 0
	}
	for _, name := range names {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil || !carries(name, cookie) {
			continue
		}
		process, err := os.FindProcess(pid) // bound to this process, whoever gets its number later
		if err != nil {
			continue
		}
		if carries(name, cookie) { // a zombie's environment is empty
			found++
			process.Kill()
		}
		process.Release()
	}
	return found
}

func carries(environ, cookie string) bool {
	content, err := os.ReadFile(environ)
	if err != nil {
		return false
	}
	for assignment := range bytes.SplitSeq(content, []byte{0}) {
		if string(assignment) == cookie {
			return true
		}
	}
	return false
}
