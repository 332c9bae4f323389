package recovery_test

import (
	"testing"

	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// TestConforms: the built-in rungs keep what rungs promise.
func TestConforms(t *testing.T) {
	s := recovery.Situation{Step: &plan.Step{Address: "1.1", Description: "Do it"}, History: &history.Step{},
		Failure: &history.AttemptFailed{Class: history.Crashed, Reasons: []string{"no"}}}
	for _, r := range []recovery.Rung{recovery.Retry{}, recovery.Backup{}, recovery.Ask{}, recovery.Reflect{}} {
		t.Run(r.Name(), func(t *testing.T) { exectest.RunRung(t, r, s) })
	}
}
