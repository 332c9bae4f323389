package history_test

import (
	"testing"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// TestASwitchNamesAllThatCausedIt, and a switch without triggers its cause.
func TestASwitchNamesAllThatCausedIt(t *testing.T) {
	s := history.ModeSwitched{From: plan.Dynamic, To: plan.Collaborative, Cause: "consecutive failures",
		Triggers: []string{"consecutive failures", "backup depletion"}}
	if got := s.String(); got != "dynamic to collaborative: consecutive failures, backup depletion" {
		t.Error(got)
	}
	if s.Triggers = nil; s.Causes() != "consecutive failures" {
		t.Error(s.Causes())
	}
}
