package advice_test

import (
	"fmt"
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
			t.Run(fmt.Sprintf("%T/%s", x, kind), func(t *testing.T) { exectest.RunAdvisor(t, x, c) })
		}
	}
}
