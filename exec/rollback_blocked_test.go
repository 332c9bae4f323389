package exec_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// blockedSteps are two tasks of two steps that are not critical, each of which makes
// a file.
func blockedSteps() string {
	text := `schema = 1
requirements = [{ id = "R1", text = "files" }]
non_goals = []
invariants = []
[goal]
description = "Write files"
[defaults]
executor = "script"
requirements = ["R1"]
rollback = "reversible"
on_failure = "retry"
max_retries = 1
semantic_change = "extending"
limits = { max_files = 1, max_lines = 9 }
`
	for i, file := range []string{"a.txt", "b.txt", "c.txt", "d.txt"} {
		if i%2 == 0 {
			text += fmt.Sprintf("[[tasks]]\nid = %d\ndescription = \"Task\"\n", i/2+1)
		}
		text += fmt.Sprintf(`[[tasks.steps]]
id = %d
description = "Make a file"
run = "true"
critical_flag = false
artifacts = { create = [%q] }
postconditions = [{ kind = "file_exists", path = %q }]
`, i%2+1, file, file)
	}
	return text
}

// TestRollbackToABlockedStep sets a run back to a step that never began, behind
// which another one was completed: the work of that is gone, as its step is.
func TestRollbackToABlockedStep(t *testing.T) {
	b := exectest.New(t, blockedSteps(), nil, nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	b.Controller.Executors["script"] = exectest.Script{
		"1.1": exectest.Fail("not today"),
		"2.1": exectest.Write("c.txt", "c\n"),
		"2.2": exectest.Write("d.txt", "d\n"),
	}
	b.Controller.Observe = func(_ context.Context, e event.Event) {
		if _, ok := e.Fact.(*history.StepCompleted); ok && e.Step == "2.1" {
			cancel(errors.New("stop"))
		}
	}
	base := b.Tree(t).Digest()
	if _, err := b.Controller.Run(ctx, b.Lock(t)); err == nil {
		t.Fatal("the run was not interrupted")
	}
	if b.Tree(t).Digest() == base {
		t.Fatal("step 2.1 was not completed")
	}
	done, err := b.Controller.Rollback(t.Context(), "", "1.2", "ana", "once more")
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Tree(t).Digest(); got != base {
		t.Errorf("the tree is %s after the rollback, want the base %s", got.Short(), base.Short())
	}
	run, err := (exec.Workspace{Dir: b.Dir}).History(t.Context(), done.Run)
	if err != nil || run.Step("2.1").Status != history.Pending {
		t.Errorf("step 2.1 is %v, %v", run.Step("2.1").Status, err)
	}
}
