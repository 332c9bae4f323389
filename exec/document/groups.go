package document

import (
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// A group is steps that were attempted at once, each in a lane.
type group struct {
	Number int            `json:"number"` // from 1, in the run
	Steps  []plan.Address `json:"steps"`  // in the order in which their work was joined
}

func (g group) String() string {
	names := make([]string, len(g.Steps))
	for i, a := range g.Steps {
		names[i] = string(a)
	}
	return "at once: " + strings.Join(names, ", ")
}

// groups are those of a run.
func groups(r *history.Run) (list []group) {
	for _, g := range r.Groups {
		list = append(list, group{Number: g.Number, Steps: g.Steps})
	}
	return list
}
