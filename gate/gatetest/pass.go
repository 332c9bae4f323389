package gatetest

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/checks"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/languages"
	"github.com/planlock/planlock/plan"
)

// Files is a folder: content by slash-separated path. A path that ends in "/"
// is a folder.
type Files map[string]string

// Pass builds the pass of step 1.1 of a strict plan, after an attempt that
// turned before into after. What the test is about is set on the result:
// Step.Artifacts, Plan.NonGoals, Runner and so on. Account stays nil, as Judge
// makes it of the step's artifacts. The folders are removed with the test.
func Pass(t testing.TB, before, after Files) *gate.Pass {
	t.Helper()
	old, dir := t.TempDir(), t.TempDir()
	write(t, old, before)
	write(t, dir, after)
	p := &plan.Plan{Schema: 1, Profile: plan.Strict, Goal: "Try a gate", Tasks: []plan.Task{{
		ID: "1", Description: "Try a gate", Steps: []plan.Step{{ID: "1", Address: "1.1",
			Description: "Change something"}}}}}
	pass := &gate.Pass{Phase: gate.After, Plan: p, Task: &p.Tasks[0], Step: &p.Tasks[0].Steps[0], Attempt: 1,
		Dir: dir, Output: &gate.Output{}, Sources: &source.Reader{Languages: languages.All()}}
	pass.Base = scanTree(t, old)
	pass.Before = pass.Base
	pass.Content = contents(old, pass)
	Rescan(t, pass)
	return pass
}

// Rescan looks at pass.Dir again after a test changed it by hand (a mode, a
// link), and fills in what follows from it.
func Rescan(t testing.TB, pass *gate.Pass) {
	t.Helper()
	ctx := context.Background()
	pass.After = scanTree(t, pass.Dir)
	var err error
	pass.Comparison, err = pass.Sources.Compare(ctx, ledger.Diff(pass.Before, pass.After), pass.Content)
	if err != nil {
		t.Fatalf("gatetest: compare the trees: %v", err)
	}
}

// contents opens entries of the tree after from the workspace, all others from
// the folder before.
func contents(old string, pass *gate.Pass) ledger.Content {
	return func(ctx context.Context, e ledger.Entry) (io.ReadCloser, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		dir := old
		if now, ok := pass.After.Lookup(e.Path); ok && now.Same(e) {
			dir = pass.Dir
		}
		return os.Open(filepath.Join(dir, filepath.FromSlash(e.Path)))
	}
}

// scanTree is what a folder holds.
func scanTree(t testing.TB, dir string) *ledger.Tree {
	t.Helper()
	tree, err := (&scan.Scanner{}).Scan(context.Background(), dir, nil)
	if err != nil {
		t.Fatalf("gatetest: scan: %v", err)
	}
	return tree
}

// write makes the files. A name that ends in a slash is a folder.
func write(t testing.TB, dir string, files Files) {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatalf("gatetest: %v", err)
	}
	defer root.Close()
	for name, content := range files {
		p, folder := strings.CutSuffix(name, "/")
		parent := filepath.Dir(filepath.FromSlash(p))
		if folder {
			parent = filepath.FromSlash(p)
		}
		if err := root.MkdirAll(parent, 0o755); err != nil {
			t.Fatalf("gatetest: make folder for %q: %v", name, err)
		}
		if folder {
			continue
		}
		if err := root.WriteFile(filepath.FromSlash(p), []byte(content), 0o644); err != nil {
			t.Fatalf("gatetest: write %q: %v", name, err)
		}
	}
}

// Judge asks one gate about a pass, with the built-in checks and no time limit:
// in the pass's phase if the gate looks in it, else in the gate's first. The
// pass itself stays as it is.
func Judge(ctx context.Context, g gate.Gate, pass *gate.Pass) gate.Judgement {
	info := g.Info()
	phase := pass.Phase
	if !contains(info.Phases, phase) && len(info.Phases) > 0 {
		phase = info.Phases[0]
	}
	js := alone(g).Ask(ctx, ready(pass, phase))
	if len(js) != 1 {
		return gate.Judgement{Gate: info.Name, Level: info.Level, Phase: phase, Err: fmt.Errorf("gatetest: gate %q looks in no phase", info.Name)}
	}
	return js[0]
}

func contains(phases []gate.Phase, p gate.Phase) bool {
	for _, q := range phases {
		if p == q {
			return true
		}
	}
	return false
}

// alone asks g.
func alone(g gate.Gate) *panel.Panel {
	return &panel.Panel{Gates: []gate.Gate{g}, Checks: checks.Kinds(), Timeouts: unlimited}
}

// attempted reports whether an executor has been called when a phase is judged.
func attempted(phase gate.Phase) bool {
	return phase == gate.During || phase == gate.After || phase == gate.Reviewing
}

// ready copies pass as a controller hands it out: with the account of its step
// and its output during and after an attempt, and without both in the other
// phases; for planning and final without step and task.
func ready(pass *gate.Pass, phase gate.Phase) *gate.Pass {
	own := pass.Fresh()
	own.Phase = phase
	if phase == gate.Planning || phase == gate.Final {
		own.Task, own.Step = nil, nil
	}
	if !attempted(phase) {
		own.Output, own.Account = nil, nil
		return own
	}
	if own.Account == nil && own.Step != nil {
		a := ledger.Reconcile(own.Plan.Declared(own.Task, own.Step), own.Changes, own.Symbols)
		own.Account = &a
	}
	return own
}

// sample is a pass with a change of each kind to look at, of paths and of
// symbols, whose commands all succeed.
func sample(t testing.TB) *gate.Pass {
	pass := Pass(t, Files{"a.txt": "one\n", "c.txt": "three\n",
		"p/p.go": "package p\n\nfunc Old() {}\n\nfunc Gone() {}\n"},
		Files{"a.txt": "two\n", "b.json": "{}\n", "p/p.go": "package p\n\nfunc Old() {}\n\nfunc New() {}\n"})
	pass.Runner = succeeding{}
	pass.Introduced = map[string]string{"I1": "base"}
	pass.Step.Artifacts = &plan.Artifacts{Create: []string{"b.json"}, Modify: []string{"a.txt", "p/p.go"},
		Delete: []string{"c.txt"}, SymbolsAdd: []string{"p.New"}, SymbolsRemove: []string{"p.Gone"}}
	pass.Draft = &plan.Draft{Plan: *pass.Plan}
	return pass
}

type succeeding struct{}

func (succeeding) Run(ctx context.Context, _ gate.Command) (gate.CommandResult, error) {
	return gate.CommandResult{}, context.Cause(ctx)
}
