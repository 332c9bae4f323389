package advice_test

import (
	"testing"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/exectest"
)

// TestConforms: the built-in advisor keeps what advisors promise.
func TestConforms(t *testing.T) {
	for _, kind := range advice.Kinds() {
		c := failed("train --batch-size 8", "CUDA out of memory")
		c.Kind = kind
		t.Run(string(kind), func(t *testing.T) { exectest.RunAdvisor(t, advice.Builtin{}, c) })
	}
}
