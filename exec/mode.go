package exec

import (
	"github.com/planlock/planlock/plan"
)

// Who chose the mode of a run, as it stands in the journal.
const (
	byHost    = "host"    // a field of the controller, or a flag
	byPlan    = "plan"    // default_mode
	byDefault = "default" // nobody
)

// mode is who is asked at first, and who chose that.
func (e *execution) mode() (plan.Mode, string) {
	switch {
	case e.c.Mode != "" && e.c.ModeBy != "":
		return e.c.Mode, e.c.ModeBy
	case e.c.Mode != "":
		return e.c.Mode, byHost
	case e.Plan.Execution.DefaultMode != "":
		return e.Plan.Execution.DefaultMode, byPlan
	}
	return plan.Dynamic, byDefault
}
