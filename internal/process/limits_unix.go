//go:build unix

package process

import (
	"fmt"
	"os"
	"syscall"
)

// limits are the lines of a shell script that set the limits of box, before
// anything runs under them. A limit that is lower already stays. Memory limits
// data and not address space, of which programs in Go reserve more than they
// use.
func limits(box confinement) (script []string) {
	if box.CPU > 0 {
		// at the end of them a signal says so; whoever ignores it is ended
		seconds := max(1, int64(box.CPU.Seconds()+0.999))
		script = append(script, fmt.Sprintf("ulimit -S -t %d 2>/dev/null", seconds), fmt.Sprintf("ulimit -H -t %d 2>/dev/null", seconds+1))
	}
	if box.Memory > 0 && box.reached.Memory != byGroup {
		script = append(script, fmt.Sprintf("ulimit -d %d 2>/dev/null", max(1, box.Memory/1024)))
	}
	if box.FileSize > 0 {
		script = append(script, fmt.Sprintf("ulimit -f %d 2>/dev/null", (box.FileSize+511)/512))
	}
	if n := box.processes(); n > 0 && box.reached.Processes == byNamespace {
		// and the shell itself
		script = append(script, fmt.Sprintf("ulimit -p %d 2>/dev/null || ulimit -u %d 2>/dev/null", n+1, n+1))
	}
	if box.confines() {
		script = append(script, "ulimit -c 0 2>/dev/null") // no cores
	}
	return script
}

// limitsFiles and limitsProcesses say that there are such limits on this
// system.
const limitsFiles, limitsProcesses = true, true

// exhausted says which quota a command used up that ended with a status; nil:
// none, as far as can be told.
func (box confinement) exhausted(state *os.ProcessState, exit int) *LimitError {
	signal := syscall.Signal(exit - 128)
	switch {
	case box.CPU > 0 && (signal == syscall.SIGXCPU ||
		signal == syscall.SIGKILL && state.UserTime()+state.SystemTime() >= box.CPU):
		return &LimitError{Of: Processor, Limit: int64(box.CPU)}
	case box.FileSize > 0 && signal == syscall.SIGXFSZ:
		return &LimitError{Of: Disk, Limit: box.FileSize}
	}
	return nil
}

// exitStatus is the status as a shell gives it.
func exitStatus(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
