package exectest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// Files are the contents of a workspace, by slash-separated path.
type Files map[string]string

// A Bench is a workspace, a plan and a controller with the built-in gates that
// are set up for a test.
type Bench struct {
	Dir        string // the workspace, a temporary folder
	Draft      *plan.Draft
	Controller *exec.Controller
}

// New sets a bench up. text is the path of a plan, or, if it has more than one
// line, the plan itself. All acknowledgements that the plan needs are given
// when it is locked.
func New(t testing.TB, text string, files Files, executor exec.Executor) *Bench {
	t.Helper()
	b := Around(t, text, files, exec.Controller{Executors: exec.Default(executor), Gates: builtin.Gates()})
	for _, step := range b.Draft.Plan.Steps() {
		b.Controller.Executors[step.By()] = executor
		for i := range step.Backups {
			b.Controller.Executors[step.Backups[i].By(step)] = executor
		}
	}
	return b
}

// Around sets a bench up around a host's own controller: the bench has a copy of
// it, which works in the folder of the bench.
func Around(t testing.TB, text string, files Files, c exec.Controller) *Bench {
	t.Helper()
	b := &Bench{Dir: t.TempDir(), Controller: &c}
	c.Dir = b.Dir
	for name, content := range files {
		if err := Put(b.Dir, name, content); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if strings.Contains(text, "\n") {
		b.Draft, err = native.Read("plan.toml", []byte(text))
	} else {
		b.Draft, err = native.ReadFile(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Put writes a file into a folder, and makes its folders.
func Put(dir, name, content string) error {
	full := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	return os.WriteFile(full, []byte(content), 0o644)
}

// Lock locks the plan, with every acknowledgement that it and its agents need.
func (b *Bench) Lock(t testing.TB) *plan.Locked {
	t.Helper()
	var codes []string
	for _, a := range b.Draft.Plan.Acknowledgements() {
		codes = append(codes, a.Code)
	}
	agents, err := b.Controller.Needs(context.Background(), b.Draft)
	if err != nil {
		t.Fatalf("needs: %v", err)
	}
	for _, n := range agents {
		if !slices.Contains(codes, n.Code) {
			codes = append(codes, n.Code)
		}
	}
	locked, err := b.Controller.Lock(context.Background(), b.Draft, codes...)
	if err != nil {
		t.Fatalf("lock: %v", err)
	}
	return locked
}

// Run locks the plan and runs it.
func (b *Bench) Run(t testing.TB) *Result {
	t.Helper()
	report, err := b.Controller.Run(context.Background(), b.Lock(t))
	return &Result{Report: report, Err: err, Dir: b.Dir}
}

// Tree is the workspace as it is now.
func (b *Bench) Tree(t testing.TB) *ledger.Tree {
	t.Helper()
	scanner := scan.Scanner{Scope: b.Draft.Plan.Scope}
	tree, err := scanner.Scan(context.Background(), b.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// A Result is how a run went.
type Result struct {
	*exec.Report
	Err error // what Run returned
	Dir string
}

// Run sets a bench up and runs its plan.
func Run(t testing.TB, plan string, files Files, executor exec.Executor) *Result {
	t.Helper()
	return New(t, plan, files, executor).Run(t)
}

// Want fails the test if the run did not end with a status, and shows the
// report; and if the report is not what can be read in the journal of the run,
// where that lies in the workspace.
func (r *Result) Want(t testing.TB, status history.Status) {
	t.Helper()
	if r.Status() != status {
		t.Errorf("the run ended %q, want %q\n%v\n%s", r.Status(), status, r.Err, r.Report)
	}
	if r.Report == nil || r.Run == nil || r.Run.Head.Seq == 0 {
		return
	}
	read, err := exec.Workspace{Dir: r.Dir}.History(context.Background(), r.Run.Started.Run)
	if err == nil && read.Head == r.Run.Head && !reflect.DeepEqual(read, r.Run) {
		t.Errorf("the report is not what the journal says:\n%+v\n%+v", r.Run, read)
	}
}

// Failed is the failure of a step, or nil.
func (r *Result) Failed(step plan.Address) *history.StepFailed {
	if s := r.Report.Run.Step(step); s != nil {
		return s.Failed
	}
	return nil
}

// Read is the content of a file of the workspace; "" if there is none.
func (r *Result) Read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.Dir, filepath.FromSlash(name)))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}
