package history_test

import (
	"testing"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// The mode of a step acts where it asks for more than that of the run.
func TestModeOf(t *testing.T) {
	for _, tt := range []struct {
		run  plan.Mode
		by   string
		step plan.Mode
		want plan.Mode
	}{
		{plan.Silent, "plan", plan.Collaborative, plan.Collaborative},
		{plan.Silent, "host", plan.Collaborative, plan.Silent},
		{plan.Silent, "person", plan.Education, plan.Silent},
		{plan.Dynamic, "default", plan.Education, plan.Education},
		{plan.Dynamic, "host", plan.Collaborative, plan.Collaborative},
		{plan.Dynamic, "plan", plan.Silent, plan.Dynamic},
		{plan.Dynamic, "plan", "", plan.Dynamic},
		{plan.Collaborative, "plan", plan.Silent, plan.Collaborative},
		{plan.Collaborative, "plan", plan.Education, plan.Collaborative},
		{plan.Education, "host", plan.Collaborative, plan.Collaborative},
	} {
		run := &history.Run{}
		run.Started.ModeBy = tt.by
		if got := run.ModeOf(&plan.Step{Mode: tt.step}, tt.run); got != tt.want {
			t.Errorf("run %s (%s), step %q: %s, want %s", tt.run, tt.by, tt.step, got, tt.want)
		}
	}
	if got := (&history.Run{}).ModeOf(nil, plan.Dynamic); got != plan.Dynamic {
		t.Errorf("a step that the plan does not have: %s", got)
	}
}
