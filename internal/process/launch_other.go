//go:build !unix && !windows

package process

import (
	"os"
	osexec "os/exec"
)

const groupTree = "process"

func treeAbility() (tree, reason string) {
	return groupTree, "this system has no way to hold a process tree"
}

func networkAbility() (ok bool, reason string) { return false, "not on this system" }

func landlockAbility() (version int, reason string) { return 0, "not on this system" }

func protectAbility() (ok bool, reason string) { return false, "not on this system" }

func stageAbility() (ok bool, reason string) { return false, "" }

func mountsAbility() (ok bool, reason string) { return false, "" }

func tetherAbility(string) bool { return false }

func groupAbility() (hierarchies, string) { return hierarchies{}, "no control groups on this system" }

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

func exitStatus(state *os.ProcessState) int { return state.ExitCode() }
