package plan_test

import (
	"testing"

	"github.com/planlock/planlock/plan"
)

func TestOnlyRepeats(t *testing.T) {
	for text, want := range map[string]bool{
		"Try again":                            true,
		"Do the same thing once more":          true,
		"Re-run the primary method":            true,
		"Same as primary":                      true,
		"Retry with a delay":                   true,
		"The step as before, unchanged":        true,
		"Do the same by hand":                  false,
		"Use another approach":                 false,
		"Use the primary method":               false,
		"Re-read the schema":                   false,
		"The same with half of the rows":       false,
		"Generate it from the comments, again": false,
		"":                                     false,
	} {
		if got := (&plan.Backup{Description: text}).OnlyRepeats(); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestSameAgain(t *testing.T) {
	step := &plan.Step{Run: "make", Executor: "sh"}
	for name, tt := range map[string]struct {
		backup plan.Backup
		want   bool
	}{
		"the same command":                 {plan.Backup{Run: "make", Description: "Copy it"}, true},
		"by the same executor":             {plan.Backup{Run: "make", Executor: "sh"}, true},
		"by another executor":              {plan.Backup{Run: "make", Executor: "ssh"}, false},
		"with a tool":                      {plan.Backup{Run: "make", ToolPath: "bin/tool"}, false},
		"another command":                  {plan.Backup{Run: "make all"}, false},
		"only words that say it once more": {plan.Backup{Description: "Try again"}, true},
		"nothing":                          {plan.Backup{}, false},
	} {
		if got := step.SameAgain(&tt.backup); got != tt.want {
			t.Errorf("%s: %t, want %t", name, got, tt.want)
		}
	}
	if (&plan.Step{}).SameAgain(&plan.Backup{}) {
		t.Error("two that say nothing do nothing the same")
	}
}
