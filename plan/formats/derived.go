package formats

import (
	"fmt"

	"github.com/planlock/planlock/plan"
)

// derived tells once which checks were read from words that do not ask for
// them, so that nobody wonders why a step failed.
func derived(d *plan.Draft) []plan.Diagnostic {
	n, first := 0, ""
	for _, s := range d.Plan.Steps() {
		for _, c := range s.Postconditions {
			if !c.Derived {
				continue
			}
			if n++; n == 1 {
				first = fmt.Sprintf("at the end of step %s: %s", s.Address, c)
			}
		}
	}
	switch n {
	case 0:
		return nil
	case 1:
	default:
		first += fmt.Sprintf("; and %d more", n-1)
	}
	return []plan.Diagnostic{{Code: "derived-checks", Severity: plan.Note, Pos: d.Position(""),
		Message: "files that the text says to create or delete are looked for " + first,
		Hint:    "where the text does not mean that, say it otherwise; a native plan (convert it) has the checks as postconditions"}}
}
