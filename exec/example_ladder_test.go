package exec_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/escalator"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan/native"
)

const letter = `schema = 1
non_goals = []
invariants = []

[goal]
description = "Write a letter"

[[requirements]]
id = "R1"
text = "There is a letter"

[[tasks]]
id = 1
description = "Write"

[[tasks.steps]]
id = 1
description = "Write the letter"
prompt = "Write a long letter"
requirements = ["R1"]
rollback = "reversible"
on_failure = "retry"
max_retries = 1
semantic_change = "extending"
limits = { max_files = 1, max_lines = 9 }
artifacts = { create = ["letter.txt"] }
postconditions = [{ kind = "file_contains", path = "letter.txt", text = "Dear reader" }]
`

// A host brings who acts, who proposes and who is asked, and chooses the ladder
// by a preset. Here the retry fails as well, the advisor proposes another
// prompt, and the rules need not answer.
func ExampleController_advisors() {
	dir, err := os.MkdirTemp("", "letter")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	writer := exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
		fmt.Printf("attempt %d, %s: %s\n", w.Attempt, w.Method.ID, w.Method.Prompt)
		if strings.Contains(w.Method.Prompt, "long") {
			return exec.Outcome{}, fmt.Errorf("timed out")
		}
		return exec.Outcome{}, os.WriteFile(filepath.Join(w.Dir, "letter.txt"), []byte("Dear reader\n"), 0o644)
	})
	shorter := advice.Func(func(_ context.Context, c advice.Case) (advice.Advice, error) {
		prompt := strings.ReplaceAll(c.Method.Prompt, "long", "short")
		return advice.Advice{Advisor: "editor", Note: "less takes less time", Confidence: 0.8,
			Patch: &advice.Patch{Summary: "a shorter letter", Prompt: &prompt}}, nil
	})
	rules, err := escalator.ParseRules("rules.toml", []byte("[[rules]]\nkind = \"step-failed\"\nchoice = \"x\"\nreason = \"nobody is here\"\n"))
	if err != nil {
		fmt.Println(err)
		return
	}

	c := &exec.Controller{Dir: dir, Gates: builtin.Gates(), Executors: exec.Default(writer),
		Policy:   exec.Policy{Preset: "assistant"},
		Advisors: exec.Advisors{advice.Pivot: shorter}, Escalator: rules}
	draft, err := native.Read("letter.toml", []byte(letter))
	if err != nil {
		fmt.Println(err)
		return
	}
	locked, err := c.Lock(context.Background(), draft)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := c.Run(context.Background(), locked)
	fmt.Println(report.Status(), err)
	// Output:
	// attempt 1, primary: Write a long letter
	// attempt 2, primary: Write a long letter
	// attempt 3, patch_1: Write a short letter
	// ACHIEVED <nil>
}
