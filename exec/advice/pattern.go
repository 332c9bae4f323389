package advice

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/pattern"
)

// backups is how many other patterns are asked for.
const backups = 3

// similar is [Builtin.Similar].
type similar func(ctx context.Context, pattern string, k int) ([]history.Approach, error)

// feasible assesses the plan of a case.
func feasible(ctx context.Context, c Case, find similar) (Advice, error) {
	if c.Plan == nil {
		return Advice{}, fmt.Errorf("%w: feasibility is about plans", ErrNothing)
	}
	wanted, ok := pattern.Of(c.Plan)
	if !ok {
		return Advice{}, fmt.Errorf("%w: the plan names no pattern", ErrNothing)
	}
	as := pattern.Assess(c.Plan, wanted)
	a := Advice{
		Advisor: "feasibility", Confidence: 1, Severity: pattern.Rank(as.Risk) / 3,
		Cost: history.AdviceCost{Calls: 1}, Risk: min(as.Score/6, 1),
		Note:    fmt.Sprintf("pattern %s: technologies %s, risk %s", wanted.Name, as.Alignment, as.Risk),
		Sources: []string{}, Findings: []string{fmt.Sprintf("composite risk %.2f", as.Score)},
	}
	if wanted.Reference != "" {
		a.Sources = append(a.Sources, wanted.Reference)
	}
	for _, m := range as.Missing {
		a.Findings = append(a.Findings, "the pattern wants "+m+", the plan does not have it")
	}
	if !as.WantBackup || find == nil {
		return a, nil
	}
	found, err := find(ctx, wanted.Name, backups)
	if err != nil {
		return a, fmt.Errorf("advice: similar patterns: %w", err)
	}
	a.Cost.Calls++
	a.Alternatives = found[:min(len(found), backups)]
	return a, nil
}
