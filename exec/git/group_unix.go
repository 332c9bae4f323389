//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// grouped makes a command the leader of a process group, which is asked to end
// when the context ends. end ends what is left of the group.
func grouped(cmd *exec.Cmd) (end func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	signal := func(s syscall.Signal) error { return syscall.Kill(-cmd.Process.Pid, s) }
	cmd.Cancel = func() error { return signal(syscall.SIGTERM) } // on which git takes its locks away
	return func() {
		if cmd.Process != nil {
			_ = signal(syscall.SIGKILL)
		}
	}
}
