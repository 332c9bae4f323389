package remotetest

import (
	"fmt"
	"strings"
	"testing"

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
	return bench(t, 4, 2, blobs, x)
}

func bench(t testing.TB, tasks, steps int, blobs checkpoint.Blobs, x exec.Executor) *exectest.Bench {
	t.Helper()
	return exectest.Around(t, lanes(tasks, steps), exectest.Files{"0.txt": "zero\n"},
		exec.Controller{Blobs: blobs, Gates: builtin.Gates(), Executors: exec.Default(x)})
}

// cookie is the variable that the plan lets through to its commands: what they
// leave behind is known by it.
const cookie = "PLANLOCK_TEST_DOSE"

// lanes is a plan of tasks that are independent, of some steps each that follow
// one another; the first step of the first fails once, and has a backup.
func lanes(tasks, steps int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `schema = 1
non_goals = []
invariants = []
[execution]
jobs = %d
[sandbox]
env = [%q]
[goal]
description = "Write files"
`, tasks, cookie)
	for i := 1; i <= tasks; i++ {
		fmt.Fprintf(&b, "[[requirements]]\nid = \"R%d\"\ntext = \"File %d is written\"\n", i, i)
	}
	for i := 1; i <= tasks; i++ {
		fmt.Fprintf(&b, "[[tasks]]\nid = %d\ndescription = \"File %d\"\n", i, i)
		for n := 1; n <= steps; n++ {
			run, what, change := fmt.Sprintf("sleep 0.02; echo line %d >> %d.txt; echo done %d", n, i, n), "modify", "modifying"
			if n == 1 {
				what, change = "create", "extending"
			}
			if i == 1 && n == 1 {
				run = "echo half > 1.txt; exit 3"
			}
			fmt.Fprintf(&b, `[[tasks.steps]]
id = %[1]d
description = "Write line %[1]d"
run = %[2]q
requirements = ["R%[3]d"]
rollback = "reversible"
on_failure = "block"
semantic_change = %[4]q
artifacts = { %[5]s = ["%[3]d.txt"] }
limits = { max_files = 1, max_lines = 9 }
postconditions = [{ kind = "file_contains", path = "%[3]d.txt", text = "line %[1]d" }]
`, n, run, i, change, what)
			if i == 1 && n == 1 {
				b.WriteString("[[tasks.steps.backups]]\nid = 1\ndescription = \"Otherwise\"\nrun = \"echo line 1 > 1.txt\"\n")
			}
		}
	}
	for i := 1; i <= tasks; i++ {
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
