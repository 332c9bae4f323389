package panel_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/plan"
)

// fixed is a check that always holds.
type fixed struct{ kind string }

func (f fixed) Kind() plan.CheckKind { return plan.CheckKind{Name: f.kind} }
func (f fixed) Decide(context.Context, *gate.Pass, plan.Check) (gate.Verdict, error) {
	return gate.Holds(), nil
}

// waits is a runner that ends only when it is told to.
type waits struct{}

func (waits) Run(ctx context.Context, _ gate.Command) (gate.CommandResult, error) {
	<-ctx.Done()
	return gate.CommandResult{}, ctx.Err()
}

func TestTimeoutCauses(t *testing.T) {
	until := func(err error) func(context.Context, *gate.Pass) error {
		return func(ctx context.Context, _ *gate.Pass) error { <-ctx.Done(); return err }
	}
	vouching := func(c gate.Cause) func(context.Context, *gate.Pass) error {
		return func(ctx context.Context, p *gate.Pass) error {
			defer p.Waiting(c, "the review")()
			<-ctx.Done()
			return ctx.Err()
		}
	}
	tests := []struct {
		name   string
		judge  func(context.Context, *gate.Pass) error
		cause  gate.Cause
		proven bool
		again  bool // if the gate is stateless
	}{
		{"no memory", until(fmt.Errorf("start compiler: %w", syscall.ENOMEM)), gate.Resources, true, true},
		{"no files", until(&fs.PathError{Op: "open", Path: "x", Err: syscall.EMFILE}), gate.Resources, true, true},
		{"no space", until(errors.Join(errors.New("write"), syscall.ENOSPC)), gate.Resources, true, true},
		{"says a model", vouching(gate.ModelStall), gate.ModelStall, true, false},
		{"says a service", vouching(gate.Dependency), gate.Dependency, true, true},
		{"says a lock", vouching(gate.Deadlock), gate.Deadlock, true, false},
		{"a command runs", func(ctx context.Context, p *gate.Pass) error {
			_, err := p.Runner.Run(ctx, gate.Command{Run: "sleep 1000"})
			return err
		}, gate.Dependency, false, false},
		{"a wait that is over", func(ctx context.Context, p *gate.Pass) error {
			p.Waiting(gate.ModelStall, "the model")()
			<-ctx.Done()
			return ctx.Err()
		}, gate.Dependency, false, false},
		{"stops silently", until(context.Canceled), gate.Dependency, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, stateless := range []bool{false, true} {
					g := gate.New(gate.Info{Name: "g", Doc: "Waits.", Level: 1, Phases: []gate.Phase{gate.After},
						Stateless: stateless}, tt.judge)
					p := &panel.Panel{Gates: []gate.Gate{g},
						Timeouts: func(gate.Info) time.Duration { return time.Second }}
					j := p.Ask(t.Context(), &gate.Pass{Runner: waits{}}, gate.After)[0]
					var late *gate.TimeoutError
					if !errors.As(j.Err, &late) {
						t.Fatalf("got %v", j.Err)
					}
					if late.Cause != tt.cause || late.Proven != tt.proven {
						t.Errorf("got %+v, want cause %s, proven %v", late, tt.cause, tt.proven)
					}
					if want := tt.again && stateless; j.MayAskAgain() != want {
						t.Errorf("stateless %v: MayAskAgain is %v", stateless, j.MayAskAgain())
					}
				}
			})
		})
	}
}

func TestDecide(t *testing.T) {
	var known, unknown error
	g := named("decides", 1, func(ctx context.Context, p *gate.Pass) error {
		_, known = p.Decide(ctx, plan.Check{Kind: "k"})
		_, unknown = p.Decide(ctx, plan.Check{Kind: "nobody"})
		return nil
	})
	(&panel.Panel{Gates: []gate.Gate{g}, Checks: []gate.Check{fixed{"k"}}}).Ask(t.Context(), &gate.Pass{}, gate.After)
	if known != nil {
		t.Errorf("a known kind: %v", known)
	}
	var u *gate.UnknownCheckError
	if !errors.As(unknown, &u) || u.Kind != "nobody" {
		t.Errorf("an unknown kind: %v", unknown)
	}
}
