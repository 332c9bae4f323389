package cmd_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/cmd"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// The command of a host is planlock with what the host adds: here plans of its
// own format, an executor that steps ask for by name, and a gate. This function
// is its main.
func ExampleMain() {
	noKeys := gate.New(
		gate.Info{Name: "nokeys", Doc: "objects to keys in the tree", Level: gate.BlocksStep,
			Phases: []gate.Phase{gate.After}},
		func(_ context.Context, pass *gate.Pass) error {
			for _, change := range pass.Changes {
				if strings.HasSuffix(change.Path, ".pem") {
					pass.Reportf(change.Path, "a key is left in the tree")
				}
			}
			return nil
		})
	scribe := exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
		name := filepath.Join(w.Dir, w.Step.Artifacts.Create[0])
		return exec.Outcome{}, os.WriteFile(name, []byte(w.Method.Prompt+"\n"), 0o644)
	})
	cmd.Main(cmd.With{
		Formats:   []func(string) (*plan.Draft, error){readNote},
		Gates:     []gate.Gate{noKeys},
		Executors: exec.Executors{"scribe": scribe},
	})
}

// readNote reads a note: NAME.note is to become NAME.txt with the same text.
func readNote(path string) (*plan.Draft, error) {
	name, is := strings.CutSuffix(filepath.Base(path), ".note")
	if !is {
		return nil, nil // a plan of another format
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	draft, err := native.Read(path, []byte(note))
	if err == nil {
		step := &draft.Plan.Tasks[0].Steps[0]
		step.Prompt, step.Artifacts = strings.TrimSpace(string(text)), &plan.Artifacts{Create: []string{name + ".txt"}}
		draft.Files = []plan.Source{{Path: path, Digest: ledger.Sum(text)}}
	}
	return draft, err
}

const note = `schema = 1
non_goals = []
[goal]
description = "Write a note"
[[requirements]]
id = "R1"
text = "There is the note"
[[tasks]]
id = 1
description = "Write"
[[tasks.steps]]
id = 1
description = "Write the note"
prompt = "…"
executor = "scribe"
requirements = ["R1"]
rollback = "reversible"
on_failure = "block"
semantic_change = "extending"
limits = { max_files = 1, max_lines = 9 }
artifacts = { create = ["note.txt"] }
postconditions = [{ kind = "env_set", name = "PATH" }]
`
