package planlock_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan/native"
)

const greeting = `schema = 1
non_goals = []
invariants = []

[goal]
description = "Leave a greeting"

[[requirements]]
id = "R1"
text = "greeting.txt says hello"

[[tasks]]
id = 1
description = "Greet"

[[tasks.steps]]
id = 1
description = "Write the greeting"
prompt = "Write hello into greeting.txt, and nothing else."
requirements = ["R1"]
rollback = "reversible"
on_failure = "block"
semantic_change = "extending"
limits = { max_files = 1, max_lines = 1 }
artifacts = { create = ["greeting.txt"] }
postconditions = [{ kind = "file_contains", path = "greeting.txt", text = "hello" }]
`

// A plan that an honest agent carries out, and the same plan with one that does
// more than it declared.
func Example() {
	ctx := context.Background()
	write := func(w exec.Work, name string) error {
		return os.WriteFile(filepath.Join(w.Dir, name), []byte("hello\n"), 0o644)
	}
	honest := exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		return exec.Outcome{}, write(w, "greeting.txt")
	})
	eager := exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		if err := write(w, "greeting.txt"); err != nil {
			return exec.Outcome{}, err
		}
		return exec.Outcome{Output: "done, and improved"}, write(w, "improvement.txt")
	})
	for _, agent := range []exec.Executor{honest, eager} {
		dir, _ := os.MkdirTemp("", "example-")
		defer os.RemoveAll(dir)
		draft, err := native.Read("plan.toml", []byte(greeting))
		if err != nil {
			fmt.Println(err)
			return
		}
		c := &exec.Controller{Dir: dir, Gates: builtin.Gates(), Executors: exec.Default(agent)}
		locked, err := c.Lock(ctx, draft)
		if err != nil {
			fmt.Println(err)
			return
		}
		report, _ := c.Run(ctx, locked)
		fmt.Println(report.Status())
		for _, attempt := range report.Run.Step("1.1").Attempts {
			if attempt.Failure != nil {
				fmt.Println(attempt.Accounted.Account)
			}
		}
	}
	// Output:
	// ACHIEVED
	// NOT_ACHIEVED
	// expected   create greeting.txt
	// happened   create greeting.txt
	//            create improvement.txt  ← not declared
}
