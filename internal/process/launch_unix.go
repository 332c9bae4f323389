//go:build unix && !linux

package process

import (
	osexec "os/exec"
	"strings"
	"syscall"
)

const groupTree = "process group"

// groupReason says why a tree is not held better.
const groupReason = "no PID namespaces on this system, so a process that leaves its session can outlive the command"

// launch starts cmd as the leader of a session, hands its tree to started,
// waits until cmd has ended, and ends what is left of its process group.
func launch(cmd *osexec.Cmd, box confinement, started func(tree)) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if script := limits(box); len(script) > 0 {
		script = append(script, `exec "$@"`)
		cmd.Args = append([]string{"/bin/sh", "-c", strings.Join(script, "\n"), "planlock", cmd.Path}, cmd.Args[1:]...)
		cmd.Path = "/bin/sh"
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	g := &group{pid: cmd.Process.Pid}
	started(g)
	err := cmd.Wait()
	g.finish()
	if cmd.ProcessState == nil {
		return err
	}
	return nil
}
