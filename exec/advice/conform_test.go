package advice_test

import (
	"testing"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/exectest"
)

// TestConforms: the built-in advisors keep what advisors promise.
func TestConforms(t *testing.T) {
	for _, x := range []advice.Advisor{advice.Reflector{}, advice.Pivoter{}, advice.Researcher{}, advice.Feasibility{},
		advice.Builtin()} {
		for _, kind := range []advice.Kind{advice.Reflection, advice.Research, advice.Pivot, advice.Feasible} {
			c := failed("train --batch-size 8", "CUDA out of memory")
			c.Kind = kind
			if err := exectest.TestAdvisor(x, c); err != nil {
				t.Errorf("%T, %s: %v", x, kind, err)
			}
		}
	}
}
