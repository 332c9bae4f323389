package history

import (
	"slices"
	"strings"
)

// Tries are what was tried of a step since the run was last set back to before
// it. An attempt that was lost or cut off through nobody's fault is none, nor is
// work that was accepted afterwards.
type Tries struct {
	Retries int      // attempts that repeat a method
	Backups []string // that were tried, in that order; never nil
	Patches int      // of advisors that were tried
}

// Tries counts what was tried of the step.
func (s *Step) Tries() Tries {
	n := Tries{Backups: []string{}}
	var used []string
	for _, a := range s.Attempts {
		name := a.Method.Method
		switch {
		case a.Method.Reinstates > 0, a.Failure != nil && a.Failure.Class.ThroughNoFault():
			continue
		case slices.Contains(used, name):
			n.Retries++
			continue
		case strings.HasPrefix(name, "backup_"):
			n.Backups = append(n.Backups, name)
		case strings.HasPrefix(name, "patch_"):
			n.Patches++
		}
		used = append(used, name)
	}
	return n
}
