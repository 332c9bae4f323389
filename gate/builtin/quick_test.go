package builtin_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/gate/checks"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
	"github.com/planlock/planlock/plan"
)

// forbidden is a runner that must not be asked.
type forbidden struct{ t *testing.T }

func (f forbidden) Run(context.Context, gate.Command) (gate.CommandResult, error) {
	f.t.Error("a command was run")
	return gate.CommandResult{}, errors.New("not here")
}

// TestQuickGatesOnlyLook asks the gates about steps that changed nothing and
// ask for next to nothing: nobody watches them then, so that they must neither
// read contents nor run commands.
func TestQuickGatesOnlyLook(t *testing.T) {
	step := &plan.Step{Address: "1.1", SemanticChange: plan.Preserving, Artifacts: &plan.Artifacts{},
		Preconditions:  []plan.Check{{Kind: "file_absent", Path: "a"}},
		Postconditions: []plan.Check{{Kind: "file_absent", Path: "a"}}}
	p := &plan.Plan{Goal: "nothing", Invariants: []plan.Invariant{{ID: "I1", Text: "in words"}},
		NonGoals: []plan.NonGoal{{ID: "N1", Paths: []string{"b"}, Symbols: []string{"B"}}}}
	for _, g := range builtin.Gates() {
		if _, ok := g.(gate.Quick); !ok {
			t.Errorf("%s is watched in every pass", g.Info().Name)
		}
	}
	for _, phase := range []gate.Phase{gate.Before, gate.During, gate.After} {
		judges := &panel.Panel{Gates: builtin.Gates(), Checks: checks.Kinds()}
		js := judges.Ask(t.Context(), &gate.Pass{Plan: p, Step: step, Dir: t.TempDir(),
			Account: &ledger.Account{}, Runner: forbidden{t},
			Output: &gate.Output{}, Content: func(context.Context, ledger.Entry) (io.ReadCloser, error) {
				t.Error("a content was read")
				return nil, errors.New("not here")
			}}, phase)
		if len(js) == 0 {
			t.Errorf("%s: nobody was asked", phase)
		}
		for _, j := range js {
			if j.Err != nil || j.Verdict.Result != gate.Passed {
				t.Errorf("%s: %s says %+v, %v", phase, j.Gate, j.Verdict, j.Err)
			}
		}
	}
}

// hanging is a check of paths on a disk that does not answer.
type hanging struct {
	asked chan<- struct{}
	over  <-chan struct{}
}

func (hanging) Kind() plan.CheckKind { return plan.CheckKind{Name: "file_exists"} }

func (h hanging) Decide(context.Context, *gate.Pass, plan.Check) (gate.Verdict, error) {
	h.asked <- struct{}{}
	<-h.over
	return gate.Verdict{}, errors.New("it never came back")
}

// TestLookingUpWhatNoScanLookedUpIsWatched asks for paths behind which a mount
// may hang that the scan never looked at: whoever asks must get away.
func TestLookingUpWhatNoScanLookedUpIsWatched(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "mount"), 0o755),
		os.Mkdir(filepath.Join(dir, "names"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("mount", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	scanner := scan.Scanner{Scope: ledger.Scope{Ignore: []string{"mount"}, Stamps: []string{"names"}}}
	tree, err := scanner.Scan(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"mount", "mount/a", "./mount/a", "names/a", "link", "link/a", "../a"} {
		t.Run(path, func(t *testing.T) {
			asked, over := make(chan struct{}, 1), make(chan struct{})
			p := &panel.Panel{Gates: builtin.Gates(), Checks: []gate.Check{hanging{asked, over}}}
			step := &plan.Step{Address: "1.1", Postconditions: []plan.Check{{Kind: "file_exists", Path: path}}}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			away := make(chan struct{})
			go func() {
				defer close(away)
				p.Ask(ctx, &gate.Pass{Step: step, Dir: dir, Before: tree, After: tree,
					Account: &ledger.Account{}, Output: &gate.Output{}}, gate.After)
			}()
			<-asked
			cancel()
			select {
			case <-away:
			case <-time.After(10 * time.Second):
				t.Error("whoever asks hangs with the disk")
			}
			close(over)
			<-away
		})
	}
}
