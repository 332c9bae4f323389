package advice

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/cause"
)

// common is what commonly helps against an error.
var common = map[cause.Error]history.Approach{
	cause.ImportError: {Description: "look for the missing dependency, and use what is already there instead",
		Confidence: 0.8},
	cause.TypeError: {Description: "read the type definitions, and look for where they differ", Confidence: 0.7},
	cause.TestFailure: {Description: "read what the test expects, and look for what is not awaited or not yet there",
		Confidence: 0.6},
	cause.Unmet:       {Description: "read what the check expects, and bring about what it does not find", Confidence: 0.6},
	cause.OutOfMemory: {Description: "work on less at a time", Confidence: 0.7},
	cause.Timeout:     {Description: "do less in one go, and say what is left", Confidence: 0.5},
	cause.SyntaxError: {Description: "write the smallest thing that parses, and build on it", Confidence: 0.6},
	cause.MissingFile: {Description: "look for where the file should come from, and make it there", Confidence: 0.6},
	cause.Undeclared:  {Description: "reach the same with the declared files alone", Confidence: 0.6},
}

// pivot proposes other approaches to a failure, given what worked before.
func pivot(c Case, memory map[string][]history.Approach) (Advice, error) {
	root := cause.Of(c.Failure, c.Attempts)
	var all []history.Approach
	for _, known := range memory[string(root.Error)] {
		known.Source = fromMemory
		all = append(all, known)
	}
	if a, ok := common[root.Error]; ok {
		a.Source = "heuristic"
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(a, b history.Approach) int { return cmp.Compare(b.Confidence, a.Confidence) })
	for _, earlier := range c.Earlier {
		all = slices.DeleteFunc(all, func(a history.Approach) bool {
			return earlier.Kind == string(Pivot) && earlier.Note == a.Description
		})
	}
	if len(all) == 0 {
		return Advice{}, fmt.Errorf("%w: no other approach is known", ErrNothing)
	}
	best := all[0]
	return Advice{
		Advisor: "pivoter", RootCause: string(root.Error), Note: best.Description, Confidence: best.Confidence,
		Severity: root.Severity, Risk: cause.Risk(best.Confidence, root.Severity, cause.Cost(c.Attempts)),
		Alternatives: all, Cost: history.AdviceCost{Calls: 1},
		Patch: &Patch{Summary: "another approach: " + best.Description,
			Feedback: []string{"try another approach: " + best.Description}},
	}, nil
}
