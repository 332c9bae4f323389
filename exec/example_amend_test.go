package exec_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

const postscript = `
[[tasks.steps]]
id = 2
description = "Write a postscript"
prompt = "Write a postscript"
requirements = ["R1"]
rollback = "reversible"
on_failure = "block"
semantic_change = "extending"
limits = { max_files = 1, max_lines = 9 }
artifacts = { create = ["postscript.txt"] }
postconditions = [{ kind = "file_contains", path = "postscript.txt", text = "Dear reader" }]
`

// A run was interrupted, and meanwhile more is wanted of it. The amended plan
// is the plan with further steps; whoever may say so confirms it by its code,
// and the run goes on under the new lock.
func ExampleController_Amend() {
	dir, err := os.MkdirTemp("", "letter")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx, interrupt := context.WithCancel(context.Background())
	c := &exec.Controller{Dir: dir, Gates: builtin.Gates(),
		Executors: exec.Default(exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			interrupt()
			name := w.Step.Artifacts.Create[0]
			return exec.Outcome{}, errors.Join(ctx.Err(), os.WriteFile(filepath.Join(w.Dir, name), []byte("Dear reader\n"), 0o644))
		}))}
	read := func(text string) *plan.Draft {
		draft, err := native.Read("letter.toml", []byte(text))
		if err != nil {
			panic(err)
		}
		return draft
	}
	locked, err := c.Lock(ctx, read(letter))
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := c.Run(ctx, locked)
	fmt.Println(err)

	ctx = context.Background()
	more := read(letter + postscript)
	amended, err := c.Amend(ctx, report.Run.Started.Run, exec.Amendment{
		Draft: more, Acknowledged: []string{exec.AmendmentCode(&more.Plan)}, By: "editor", Reason: "something was forgotten",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("added:", amended.Added)
	report, err = c.Resume(ctx, amended.Locked, amended.Run)
	fmt.Println(report.Status(), err)
	// Output:
	// context canceled
	// added: [1.2]
	// ACHIEVED <nil>
}
