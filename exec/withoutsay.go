package exec

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/preset"
	"github.com/planlock/planlock/plan"
)

const namedSteps = 10 // in one warning

// withoutSay warns of a preset that somebody chose, and that decides nothing:
// after a failure every step blocks or asks, so that its backups alone are
// tried.
func (e *execution) withoutSay() []string {
	if e.c.Ladder != nil || e.c.Preset == preset.Default {
		return nil
	}
	var steps []string
	for i := range e.Plan.Tasks {
		for j := range e.Plan.Tasks[i].Steps {
			s := &e.Plan.Tasks[i].Steps[j]
			if s.OnFailure != plan.Block && s.OnFailure != plan.Ask {
				return nil
			}
			steps = append(steps, string(s.Address))
		}
	}
	named := strings.Join(steps[:min(len(steps), namedSteps)], ", ")
	if more := len(steps) - namedSteps; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return []string{fmt.Sprintf("preset %q has no say after a failure of %s: on_failure is \"block\" or \"ask\" there, so that only backups are tried; "+
		"say on_failure = \"retry\" where the preset is to decide", e.c.Preset, named)}
}
