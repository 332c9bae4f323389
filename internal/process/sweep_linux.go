package process

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// sweepTime bounds the hunt for processes that carry a cookie, and betweenTime
// the wait for those that are between two programs.
const (
	sweepTime   = 5 * time.Second
	betweenTime = 100 * time.Millisecond
)

// sweep ends every process whose environment holds cookie, until there is none,
// and returns how many are left. A process that was started with another
// environment, in another process group, is not found.
func sweep(cookie string) (left int) {
	for begin := time.Now(); ; {
		left, hidden := strike(cookie)
		if took := time.Since(begin); left == 0 && (hidden == 0 || took > betweenTime) || took > sweepTime {
			return left
		}
	}
}

// strike kills every process that carries cookie now, and returns how many it
// found alive, and how many could not be told yet.
func strike(cookie string) (found, hidden int) {
	folder, err := os.Open("/proc")
	if err != nil {
		return 0, 0
	}
	names, err := folder.Readdirnames(-1)
	folder.Close()
	if err != nil {
		return 0, 0
	}
	buf := make([]byte, 32<<10)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		there, empty := carries(name, cookie, buf)
		if empty && between(name) {
			hidden++
		}
		if !there {
			continue
		}
		process, err := os.FindProcess(pid) // bound to this process, whoever gets its number later
		if err != nil {
			continue
		}
		if there, _ := carries(name, cookie, buf); there { // a zombie's environment is empty
			found++
			process.Kill()
		}
		process.Release()
	}
	return found, hidden
}

// between reports whether a process is on its way from one program to another:
// its old memory is gone, and the kernel has not said yet where its environment
// is, which reads as empty meanwhile.
func between(pid string) bool {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false
	}
	const state, size, environment = 0, 20, 47 // fields 3, 23 and 50, counted from behind the name
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	return len(fields) > environment && fields[state][0] != 'Z' && string(fields[size]) != "0" &&
		string(fields[environment]) == "0"
}

// carries reports whether the environment of a process holds cookie as one of
// its assignments, and whether it is empty. It reads by way of buf, which is
// longer than two cookies.
func carries(pid, cookie string, buf []byte) (found, empty bool) {
	fd, err := syscall.Open("/proc/"+pid+"/environ", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return false, false
	}
	defer syscall.Close(fd)
	buf[0] = 0 // so that each assignment stands between two zeros
	empty = true
	for kept := 1; ; {
		n, err := syscall.Read(fd, buf[kept:])
		if err == syscall.EINTR {
			continue
		}
		ended := err != nil || n <= 0
		if ended {
			buf[kept], n = 0, 1 // a program may have cut off the last zero
		}
		empty = empty && ended
		whole := buf[:kept+n]
		if at := bytes.Index(whole, []byte("\x00"+cookie+"\x00")); at >= 0 {
			return true, false
		}
		if ended {
			return false, empty
		}
		tail := whole[max(0, len(whole)-len(cookie)-1):]
		kept = copy(buf, tail)
	}
}

// endHolders ends who traces pid, and who traces that one, as long as they are
// in a namespace of processes below this one. A tracer may keep a process from
// ending that was ended by force (PTRACE_O_TRACEEXIT); where that is the first
// one of a namespace, nothing else in there ends either.
func endHolders(pid int) {
	own := len(strings.Fields(about("self", "NSpid")))
	for range 64 { // two may trace each other
		tracer, err := strconv.Atoi(about(strconv.Itoa(pid), "TracerPid"))
		if err != nil || tracer == 0 || len(strings.Fields(about(strconv.Itoa(tracer), "NSpid"))) <= own {
			return
		}
		syscall.Kill(tracer, syscall.SIGKILL)
		pid = tracer
	}
}

// about is what the kernel says of a process under a name; "" where that is
// nothing.
func about(pid, name string) string {
	status, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(status)) {
		if text, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(text)
		}
	}
	return ""
}
