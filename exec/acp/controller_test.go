package acp_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/acp"
	"github.com/planlock/planlock/exec/acp/acptest"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// A run is a plan of one step that creates a.txt, carried out by an agent in a
// layer and in the sandbox.
const onePlan = `schema = 1
[goal]
description = "A file"
[[requirements]]
id = "R1"
text = "a.txt is there"
[[non_goals]]
id = "N1"
text = "keep.txt stays"
paths = ["keep.txt"]
[[tasks]]
id = 1
description = "Files"
[[tasks.steps]]
id = 1
description = "Write a.txt"
prompt = "Write good into a.txt"
requirements = ["R1"]
semantic_change = "extending"
rollback = "reversible"
on_failure = "retry"
max_retries = 1
postconditions = [{ kind = "command", run = "grep -q good a.txt" }]
[tasks.steps.artifacts]
create = ["a.txt"]
[tasks.steps.limits]
max_files = 1
max_lines = 10
`

func TestController(t *testing.T) {
	good := acptest.Act{Write: "a.txt", Text: "good\n", Ask: true}
	for _, test := range []struct {
		name   string
		script acptest.Script
		status history.Status // "": anything but achieved
		says   string         // part of what the run says
	}{
		{"write", one(good, acptest.Act{Say: "Done."}), history.Achieved, ""},
		{"refused before it is written", one(acptest.Act{Write: "keep.txt", Text: "x", Ask: true}, good, acptest.Act{Say: "Done."}),
			history.Achieved, ""},
		{"undeclared without asking is undone", one(acptest.Act{Write: "b.txt", Text: "x"}, good), "", "b.txt"},
		{"a lie", one(acptest.Act{Write: "a.txt", Tell: true}, acptest.Act{Say: "Done."}), "", "a.txt"},
		{"a failure is told", acptest.Script{Turns: []acptest.Turn{
			{If: "Earlier attempts failed", Acts: []acptest.Act{good}}, {Acts: []acptest.Act{{Write: "a.txt", Text: "bad\n"}}}}},
			history.Achieved, ""},
		{"an exhausted context begins anew", acptest.Script{Turns: []acptest.Turn{
			{If: "half way", Acts: []acptest.Act{good}}, {Acts: []acptest.Act{{Say: "half way"}}, Stop: "max_tokens"}}}, history.Achieved, ""},
		{"it ends midway", one(acptest.Act{Write: "a.txt", Text: "good\n"}, acptest.Act{Exit: 4}), "", "exit status 4"},
		{"logged out", acptest.Script{LoggedOut: true}, "", "is not logged in"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := exectest.New(t, onePlan, exectest.Files{"keep.txt": "kept\n"}, acp.Quick(test.script.Executor(t)))
			run := b.Run(t)
			status := history.Status("")
			if end := run.Report.Run.Ended; end != nil {
				status = end.Status
			}
			if test.status != "" && status != test.status || test.status == "" && status == history.Achieved {
				t.Errorf("status %q, want %q: %v", status, test.status, run.Err)
			}
			var said strings.Builder
			for _, step := range run.Report.Run.Steps {
				for _, a := range step.Attempts {
					if a.Failure != nil {
						said.WriteString(strings.Join(a.Failure.Reasons, "\n") + "\n")
					}
				}
			}
			if !strings.Contains(said.String(), test.says) {
				t.Errorf("it says %q, want %q", said.String(), test.says)
			}
			if text, _ := os.ReadFile(filepath.Join(b.Dir, "keep.txt")); string(text) != "kept\n" {
				t.Errorf("keep.txt holds %q", text)
			}
			if _, err := os.Stat(filepath.Join(b.Dir, "b.txt")); err == nil {
				t.Error("b.txt is there")
			}
			text, _ := os.ReadFile(filepath.Join(b.Dir, "a.txt"))
			if want := map[bool]string{true: "good\n"}[status == history.Achieved]; string(text) != want {
				t.Errorf("a.txt holds %q, want %q", text, want)
			}
		})
	}
}

// A run that is stopped ends its agent, and leaves nothing of it.
func TestControllerStopped(t *testing.T) {
	ctx, stop := context.WithCancelCause(context.Background())
	script := one(acptest.Act{Write: "a.txt", Text: "good\n"}, acptest.Act{Say: "waiting"}, acptest.Act{Hang: true})
	x := acp.Quick(script.Executor(t))
	b := exectest.New(t, onePlan, exectest.Files{"keep.txt": "kept\n"}, exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		w.Activity = func(text string) {
			if text == "answering" {
				stop(errors.New("enough"))
			}
		}
		return x.Execute(ctx, w)
	}))
	_, err := b.Controller.Run(ctx, b.Lock(t))
	if err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(b.Dir, "a.txt")); err == nil {
		t.Error("a.txt is there")
	}
}
