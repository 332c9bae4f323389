package remotetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/builtin"
)

// Bench sets up a workspace and a controller for a plan of four tasks that are
// independent, of two steps of the shell each; the first step of the first task
// fails once, and has a backup.
func Bench(t testing.TB, blobs checkpoint.Blobs, x exec.Executor) *exectest.Bench {
	t.Helper()
	return exectest.Around(t, lanes(4), exectest.Files{"0.txt": "zero\n"},
		exec.Controller{Blobs: blobs, Gates: builtin.Gates(), Executors: exec.Default(x)})
}

// Same fails the test unless two runs of that plan say the same of their steps,
// but for times and places.
func Same(t testing.TB, here, there *history.Run) {
	t.Helper()
	if d := cmp.Diff(steps(here), steps(there)); d != "" {
		t.Errorf("steps (-here +there):\n%s", d)
	}
}

// lanes is a plan of tasks that are independent, of two steps each; the first
// step of the first fails once, and has a backup.
func lanes(n int) string {
	var b strings.Builder
	b.WriteString("schema = 1\nnon_goals = []\ninvariants = []\n[execution]\njobs = 4\n[goal]\ndescription = \"Write files\"\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "[[requirements]]\nid = \"R%d\"\ntext = \"File %d is written\"\n", i, i)
	}
	for i := 1; i <= n; i++ {
		run := fmt.Sprintf("printf one > %d.txt", i)
		if i == 1 {
			run = "echo half > 1.txt; exit 3"
		}
		fmt.Fprintf(&b, `[[tasks]]
id = %[1]d
description = "File %[1]d"
[[tasks.steps]]
id = 1
description = "Write the first line"
run = %[2]q
requirements = ["R%[1]d"]
rollback = "reversible"
on_failure = "block"
semantic_change = "extending"
artifacts = { create = ["%[1]d.txt"] }
limits = { max_files = 1, max_lines = 9 }
postconditions = [{ kind = "file_contains", path = "%[1]d.txt", text = "one" }]
`, i, run)
		if i == 1 {
			b.WriteString("[[tasks.steps.backups]]\nid = 1\ndescription = \"Otherwise\"\nrun = \"printf one > 1.txt\"\n")
		}
		fmt.Fprintf(&b, `[[tasks.steps]]
id = 2
description = "Write the second line"
run = "printf two >> %[1]d.txt; echo done %[1]d"
requirements = ["R%[1]d"]
rollback = "reversible"
on_failure = "block"
semantic_change = "modifying"
artifacts = { modify = ["%[1]d.txt"] }
limits = { max_files = 1, max_lines = 9 }
postconditions = [{ kind = "file_contains", path = "%[1]d.txt", text = "two" }]
`, i)
	}
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "[[speclets]]\nid = \"l%d\"\ntasks = [%d]\nparallel_allowed = true\n", i, i)
	}
	return b.String()
}

// steps is what a run says of its steps, without times and places.
func steps(run *history.Run) (all []string) {
	for _, s := range run.Steps {
		text := fmt.Sprintf("%s %s", s.Address, s.Status)
		for _, a := range s.Attempts {
			text += fmt.Sprintf(" | %s %s", a.Method.Method, a.Method.Executor)
			if a.Said != nil {
				text += fmt.Sprintf(" said %q exit %d %s", a.Said.Output, a.Said.Exit, a.Said.Error)
			}
			if a.Accounted != nil {
				text += fmt.Sprint(" ", a.Accounted.Account)
			}
			if a.Failure != nil {
				text += fmt.Sprint(" ", a.Failure.Class, a.Failure.Reasons)
			}
		}
		all = append(all, text)
	}
	return all
}
