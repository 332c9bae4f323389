//go:build unix

package process

import (
	"fmt"
	"os"
	"syscall"
)

// limits are the lines of a shell script that set the limits of box, before anything runs under them. A limit that is
// lower already stays. Memory limits data and not address space, of which programs in Go reserve more than they use.
func limits(box confinement) (script []string) {
	if box.CPU > 0 {
		script = append(script, fmt.Sprintf("ulimit -t %d 2>/dev/null", max(1, int64(box.CPU.Seconds()+0.999))))
	}
	if box.Memory > 0 {
		script = append(script, fmt.Sprintf("ulimit -d %d 2>/dev/null", max(1, box.Memory/1024)))
	}
	return script
}

// exitStatus is the status as a shell gives it.
func exitStatus(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
