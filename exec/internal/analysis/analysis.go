package analysis

import (
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/compliance"
	"github.com/planlock/planlock/plan"
)

// An Analysis is what one run teaches about its plan.
type Analysis struct {
	Failures        Failures
	Backups         Backups
	Escalations     Escalations
	Propagation     Propagation
	Compliance      compliance.Review
	KPIs            KPIs
	Recommendations []Recommendation
}

// Of analyses a run, as far as it has come.
func Of(p *plan.Plan, r *history.Run) Analysis {
	a := Analysis{
		Failures: failures(p, r), Backups: backups(p, r), Escalations: escalations(r),
		Propagation: propagation(r), Compliance: compliance.After(p, r), KPIs: measure(p, r),
	}
	a.Recommendations = recommend(p, r, a)
	return a
}
