package advice

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/exec/internal/pattern"
)

// A Match is another pattern that could serve instead.
type Match struct {
	Name         string
	Confidence   string  // LOW, MEDIUM or HIGH
	Similarity   float64 // 0 to 1
	Reasoning    string
	Technologies []string
	Reference    string
}

// backups is how many other patterns are asked for.
const backups = 3

// Feasibility weighs a plan against the pattern that it was made from.
type Feasibility struct {
	// Similar finds at most k patterns like the named one, the most similar
	// first. Nil knows none.
	Similar func(ctx context.Context, name string, k int) ([]Match, error)
}

// Name is "feasibility".
func (Feasibility) Name() string { return "feasibility" }

// Advise assesses the case's plan; other patterns are its alternatives. It is
// [ErrNothing] for other kinds of advice and for plans that name no pattern.
func (f Feasibility) Advise(ctx context.Context, c Case) (Advice, error) {
	if c.Kind != Feasible || c.Plan == nil {
		return Advice{}, fmt.Errorf("%w: feasibility is about plans", errOther)
	}
	wanted, ok := pattern.Of(c.Plan)
	if !ok {
		return Advice{}, fmt.Errorf("%w: the plan names no pattern", ErrNothing)
	}
	as := pattern.Assess(c.Plan, wanted)
	a := Advice{
		Advisor: f.Name(), Confidence: 1, Severity: pattern.Rank(as.Risk) / 3,
		Cost: Cost{Calls: 1}, Risk: min(as.Score/6, 1),
		Note:    fmt.Sprintf("pattern %s: technologies %s, risk %s", wanted.Name, as.Alignment, as.Risk),
		Sources: []string{}, Findings: []string{fmt.Sprintf("composite risk %.2f", as.Score)},
	}
	if wanted.Reference != "" {
		a.Sources = append(a.Sources, wanted.Reference)
	}
	for _, m := range as.Missing {
		a.Findings = append(a.Findings, "the pattern wants "+m+", the plan does not have it")
	}
	if !as.WantBackup || f.Similar == nil {
		return a, nil
	}
	found, err := f.Similar(ctx, wanted.Name, backups)
	if err != nil {
		return a, fmt.Errorf("advice: similar patterns: %w", err)
	}
	a.Cost.Calls++
	for _, m := range found[:min(len(found), backups)] {
		a.Alternatives = append(a.Alternatives, Alternative{Description: m.Name + ": " + m.Reasoning,
			Confidence: m.Similarity, Source: m.Reference})
	}
	return a, nil
}
