//go:build !unix && !windows

package process

import (
	"os"
	osexec "os/exec"
)

const groupTree = "process"

// groupReason says why a tree is not held better.
const groupReason = "this system has no way to hold a process tree"

// limitsFiles and limitsProcesses say that there are such limits on this
// system.
const limitsFiles, limitsProcesses = false, false

// launch runs cmd, and can end nothing but cmd itself.
func launch(cmd *osexec.Cmd, _ confinement, started func(tree)) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	started(single{cmd.Process})
	if err := cmd.Wait(); cmd.ProcessState == nil {
		return err
	}
	return nil
}

type single struct{ process *os.Process }

func (s single) terminate() { s.process.Signal(os.Interrupt) }
func (s single) kill()      { s.process.Kill() }

// exhausted says nothing: no signal tells which quota was used up here.
func (confinement) exhausted(*os.ProcessState, int) *LimitError { return nil }

func exitStatus(state *os.ProcessState) int { return state.ExitCode() }
