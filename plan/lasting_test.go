package plan_test

import (
	"testing"

	"github.com/planlock/planlock/plan"
)

// What held after a step is to hold at the end, unless a later step says otherwise.
func TestTakesOver(t *testing.T) {
	one := 1
	there := plan.Check{Kind: "file_exists", Path: "out/a.txt"}
	holds := plan.Check{Kind: "file_contains", Path: "out/a.txt", Text: "one"}
	green := plan.Check{Kind: "command", Run: "go test ./srv"}
	symbol := plan.Check{Kind: "symbol_exists", Symbol: "srv.Limit"}
	declares := func(a plan.Artifacts) plan.Step {
		return plan.Step{Artifacts: &a, Description: "a.txt, out/a.txt, Limit"}
	}
	checks := func(list ...plan.Check) plan.Step {
		return plan.Step{Artifacts: &plan.Artifacts{}, Postconditions: list}
	}
	for name, tt := range map[string]struct {
		later plan.Step
		check plan.Check
		want  bool
	}{
		"it supersedes the step":                   {plan.Step{Supersedes: []string{"1.1"}}, green, true},
		"it supersedes another":                    {plan.Step{Supersedes: []string{"1.2"}}, green, false},
		"it deletes the file":                      {declares(plan.Artifacts{Delete: []string{"out/a.txt"}}), there, true},
		"it deletes what was in it":                {declares(plan.Artifacts{Delete: []string{"out/**"}}), holds, true},
		"it deletes another":                       {declares(plan.Artifacts{Delete: []string{"out/b.txt"}}), there, false},
		"it modifies the file":                     {declares(plan.Artifacts{Modify: []string{"out/a.txt"}}), holds, false},
		"it creates what was gone":                 {declares(plan.Artifacts{Create: []string{"a.txt"}}), plan.Check{Kind: "file_absent", Path: "a.txt"}, true},
		"it removes the symbol":                    {declares(plan.Artifacts{SymbolsRemove: []string{"srv.Limit"}}), symbol, true},
		"it adds the symbol":                       {declares(plan.Artifacts{SymbolsAdd: []string{"srv.Limit"}}), symbol, false},
		"it adds the symbol that was gone":         {declares(plan.Artifacts{SymbolsAdd: []string{"srv.Limit"}}), plan.Check{Kind: "symbol_absent", Symbol: "srv.Limit"}, true},
		"its check wants the opposite":             {checks(plan.Check{Kind: "file_absent", Path: "./out/a.txt"}), there, true},
		"its check wants another text":             {checks(plan.Check{Kind: "file_contains", Path: "out/a.txt", Text: "two"}), holds, false},
		"its check wants the same":                 {checks(green), green, false},
		"its command wants another status":         {checks(plan.Check{Kind: "command", Run: "go test ./srv", Exit: &one}), green, true},
		"its command is turned round":              {checks(green), plan.Check{Kind: "command", Run: "! go test ./srv"}, true},
		"its check wants the symbol gone":          {checks(plan.Check{Kind: "symbol_absent", Symbol: "srv.Limit"}), symbol, true},
		"it declares nothing and names the file":   {plan.Step{Prompt: "move out/a.txt away"}, there, true},
		"it declares nothing and names the symbol": {plan.Step{Description: "drop Limit"}, symbol, true},
		"it declares nothing and names another":    {plan.Step{Run: "rm out/a.txt_old"}, there, false},
		"its words do not say what goes":           {plan.Step{Run: "sed -i s/one// out/a.txt"}, holds, false},
		"nothing of a command is in words":         {plan.Step{Run: "go test ./srv"}, green, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.later.TakesOver("1.1", tt.check); got != tt.want {
				t.Errorf("it is %v", got)
			}
		})
	}
	for kind, want := range map[string]bool{"file_exists": true, "command": true, "coverage": true, "file_changed": false,
		"go_api_compatible": false, "env_set": false, "tool_available": false} {
		if got := (plan.Check{Kind: kind}).Lasts(); got != want {
			t.Errorf("%s lasts: %v", kind, got)
		}
	}
}
