package exec_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// withCheckpoint is a plan as the reader of phase plans makes it: work, a
// checkpoint, more work.
func withCheckpoint() *plan.Draft {
	return plan.Assemble(plan.Parts{Format: "phase-plan", Plan: plan.Plan{Goal: "g", Tasks: []plan.Task{
		{ID: "1", Title: "work"},
		{ID: "2", Title: "look", Kind: "checkpoint:human-verify", Description: "Open the page.\nSee that it is blue."},
		{ID: "3", Title: "more", DependsOn: []string{"2"}},
	}}})
}

func TestCheckpointsAskAPerson(t *testing.T) {
	tests := map[string]struct {
		choices  []string
		mode     plan.Mode
		want     history.Status
		attempts []string
	}{
		"settled":        {[]string{"y"}, "", history.Partial, []string{"1.1#1 primary", "3.1#1 primary"}},
		"carried out":    {[]string{"g"}, "", history.Partial, []string{"1.1#1 primary", "2.1#1 primary", "3.1#1 primary"}},
		"given up":       {[]string{"x"}, "", history.NotAchieved, []string{"1.1#1 primary"}},
		"nobody answers": {nil, "", history.Partial, []string{"1.1#1 primary"}},
		"nobody asked":   {nil, plan.Silent, history.Partial, []string{"1.1#1 primary", "2.1#1 primary", "3.1#1 primary"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			record, who := &exectest.Record{}, &person{choices: tt.choices}
			b := exectest.New(t, "schema = 1\n", nil, nil)
			b.Draft = withCheckpoint()
			b.Controller.Executors[""] = record.Of(exectest.Script{"1.1": exectest.Write("blue", "b\n"),
				"2.1": exectest.Nothing(), "3.1": exectest.Write("more", "m\n")})
			b.Controller.Escalator, b.Controller.Mode = who, tt.mode
			report, _ := b.Controller.Run(context.Background(), b.Lock(t))
			if got := report.Run.Ended; got == nil || got.Status != tt.want {
				t.Errorf("the run ended %v, want %v", got, tt.want)
			}
			if diff := cmp.Diff(tt.attempts, record.Attempts()); diff != "" {
				t.Error(diff)
			}
			if tt.mode == plan.Silent {
				return
			}
			kinds := []ask.Kind{ask.Checkpoint}
			if tt.choices == nil { // and what follows on the rest, which waits for the checkpoint
				kinds = append(kinds, ask.Chain)
			}
			var asked []ask.Kind
			for _, q := range who.asked {
				asked = append(asked, q.Kind)
			}
			if !slices.Equal(asked, kinds) || who.asked[0].Why != "a person is to look at what was done" {
				t.Fatalf("asked %+v", who.asked)
			}
			if diff := cmp.Diff([]string{"look", "Open the page.", "See that it is blue."},
				who.asked[0].Evidence); diff != "" {
				t.Error(diff)
			}
		})
	}
}
