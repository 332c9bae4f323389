package advice

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/internal/cause"
)

// A Remembered is what worked against a cause before. Package learn yields
// them.
type Remembered struct {
	RootCause  string
	Fix        string
	Confidence float64 // 0 to 1
}

// A Pivoter proposes other approaches by kind of failure: what worked before,
// then what commonly helps.
type Pivoter struct {
	// Memory is what worked before; nil knows nothing.
	Memory []Remembered
}

// Name is "pivoter".
func (Pivoter) Name() string { return "pivoter" }

// common is what commonly helps against an error.
var common = map[cause.Error]Alternative{
	cause.ImportError: {Description: "look for the missing dependency, and use what is already there instead",
		Confidence: 0.8},
	cause.TypeError: {Description: "read the type definitions, and look for where they differ", Confidence: 0.7},
	cause.TestFailure: {Description: "read what the test expects, and look for what is not awaited or not yet there",
		Confidence: 0.6},
	cause.OutOfMemory: {Description: "work on less at a time", Confidence: 0.7},
	cause.Timeout:     {Description: "do less in one go, and say what is left", Confidence: 0.5},
	cause.SyntaxError: {Description: "write the smallest thing that parses, and build on it", Confidence: 0.6},
	cause.MissingFile: {Description: "look for where the file should come from, and make it there", Confidence: 0.6},
	cause.Undeclared:  {Description: "reach the same with the declared files alone", Confidence: 0.6},
}

// Advise proposes alternatives, the most promising first. One that was proposed
// earlier in this run for the same step is not proposed again. [ErrNothing]
// where none is left, and for other kinds of advice.
func (p Pivoter) Advise(ctx context.Context, c Case) (Advice, error) {
	if err := context.Cause(ctx); err != nil {
		return Advice{}, err
	}
	if c.Kind != Pivot {
		return Advice{}, fmt.Errorf("%w: the pivoter knows other approaches only", errOther)
	}
	root := cause.Of(c.Failure, c.Attempts)
	var all []Alternative
	for _, m := range p.Memory {
		if m.RootCause == string(root.Error) {
			all = append(all, Alternative{Description: m.Fix, Confidence: m.Confidence, Source: "memory"})
		}
	}
	if a, ok := common[root.Error]; ok {
		a.Source = "heuristic"
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(a, b Alternative) int { return cmp.Compare(b.Confidence, a.Confidence) })
	for _, earlier := range c.Earlier {
		all = slices.DeleteFunc(all, func(a Alternative) bool {
			return earlier.Kind == string(Pivot) &&
				earlier.Note == a.Description
		})
	}
	if len(all) == 0 {
		return Advice{}, fmt.Errorf("%w: no other approach is known", ErrNothing)
	}
	best := all[0]
	return Advice{
		Advisor: p.Name(), RootCause: string(root.Error), Note: best.Description, Confidence: best.Confidence,
		Severity: root.Severity,
		Risk:     cause.Risk(best.Confidence, root.Severity, cost(c)), Alternatives: all, Cost: Cost{Calls: 1},
		Patch: &Patch{Summary: "another approach: " + best.Description,
			Feedback: []string{"try another approach: " + best.Description}},
	}, nil
}
