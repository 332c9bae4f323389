package panel_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/plan"
)

func named(name string, level gate.Level, judge func(context.Context, *gate.Pass) error) gate.Gate {
	return gate.New(gate.Info{Name: name, Doc: "Tries the panel.", Level: level, Phases: []gate.Phase{gate.After}},
		judge)
}

func silent(context.Context, *gate.Pass) error { return nil }

type wild struct{}

func (wild) Info() gate.Info                         { panic("no info today") }
func (wild) Judge(context.Context, *gate.Pass) error { return nil }

func TestValidate(t *testing.T) {
	good := gate.Info{Name: "g", Doc: "Good.", Level: gate.BlocksStep, Phases: []gate.Phase{gate.After}}
	with := func(change func(*gate.Info)) gate.Gate {
		i := good
		change(&i)
		return gate.New(i, silent)
	}
	tests := []struct {
		name string
		gate gate.Gate
		want string // "" for no error
	}{
		{"good", with(func(*gate.Info) {}), ""},
		{"nil", nil, "gate 0: is nil"},
		{"panics", wild{}, "does not describe itself: no info today"},
		{"nameless", with(func(i *gate.Info) { i.Name = "" }), "has no name"},
		{"undocumented", with(func(i *gate.Info) { i.Doc = "" }), "says nothing about itself"},
		{"level", with(func(i *gate.Info) { i.Level = 3 }), "level 3 does not exist"},
		{"no phase", with(func(i *gate.Info) { i.Phases = nil }), "has no phase"},
		{"unknown phase", with(func(i *gate.Info) { i.Phases = []gate.Phase{"later"} }),
			`phase "later" does not exist`},
		{"phase twice", with(func(i *gate.Info) { i.Phases = []gate.Phase{gate.After, gate.After} }), "named twice"},
		{"negative", with(func(i *gate.Info) { i.Timeout = -1 }), "negative"},
		{"level 0 as it likes", with(func(i *gate.Info) { i.Level = 0; i.Timeout = time.Hour }), ""},
		{"level 1 least", with(func(i *gate.Info) { i.Timeout = 30 * time.Second }), ""},
		{"level 1 too short", with(func(i *gate.Info) { i.Timeout = 30*time.Second - 1 }), "outside the bounds of level 1"},
		{"level 1 most", with(func(i *gate.Info) { i.Timeout = 5 * time.Minute }), ""},
		{"level 1 too long", with(func(i *gate.Info) { i.Timeout = 5*time.Minute + 1 }), "30s to 5m0s"},
		{"level 2 least", with(func(i *gate.Info) { i.Level = 2; i.Timeout = 10 * time.Second }), ""},
		{"level 2 too short", with(func(i *gate.Info) { i.Level = 2; i.Timeout = 10*time.Second - 1 }), "outside the bounds of level 2"},
		{"level 2 most", with(func(i *gate.Info) { i.Level = 2; i.Timeout = time.Minute }), ""},
		{"level 2 too long", with(func(i *gate.Info) { i.Level = 2; i.Timeout = time.Minute + 1 }), "10s to 1m0s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := (&panel.Panel{Gates: []gate.Gate{tt.gate}}).Validate()
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestValidateNamesEveryFaultInOrder(t *testing.T) {
	p := &panel.Panel{Gates: []gate.Gate{named("a", 0, silent), nil, named("a", 0, silent), named("", 9, silent)},
		Checks: []gate.Check{nil, fixed{"k"}, fixed{"k"}, fixed{""}}}
	want := `gate: gate 1: is nil
gate: gate 2 ("a"): another gate has this name; names must be unique
gate: gate 3 (""): has no name
gate: gate 3 (""): level 9 does not exist; levels are 0, 1 and 2
gate: check 0 is nil
gate: check 2: another check decides the kind "k"
gate: check 3 names no kind`
	if diff := cmp.Diff(want, p.Validate().Error()); diff != "" {
		t.Error(diff)
	}
	if err := (&panel.Panel{}).Validate(); err != nil {
		t.Errorf("the zero value is refused: %v", err)
	}
}

func TestLimit(t *testing.T) {
	for level, want := range map[gate.Level]time.Duration{0: 0, 1: 5 * time.Minute, 2: time.Minute} {
		if got := (gate.Info{Level: level}).Limit(); got != want {
			t.Errorf("level %d: got %v, want %v", level, got, want)
		}
	}
}

func TestAskKeepsOrderAndFindingsApart(t *testing.T) {
	objects := func(text string) func(context.Context, *gate.Pass) error {
		return func(_ context.Context, p *gate.Pass) error {
			p.Reportf("f.txt", "%s", text)
			p.Evidencef("looked at %s", text)
			return nil
		}
	}
	early := gate.New(gate.Info{Name: "early", Doc: "Looks before.", Phases: []gate.Phase{gate.Before}}, silent)
	p := &panel.Panel{Gates: []gate.Gate{
		named("c", gate.BlocksStep, objects("c")), early, named("a", gate.Informs, objects("a")),
		named("b", gate.BlocksStep, silent)}}
	pass := &gate.Pass{}
	var got []string
	for _, j := range p.Ask(t.Context(), pass, gate.After) {
		line := j.Gate + " " + string(j.Verdict.Result)
		for _, f := range j.Verdict.Findings {
			line += " " + f.Message
		}
		if j.Blocks() {
			line += " blocks"
		}
		got = append(got, line)
	}
	want := []string{"c fail c blocks", "a fail a", "b pass"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if v := pass.Verdict(); len(v.Findings)+len(v.Evidence) != 0 {
		t.Errorf("findings leaked into the caller's pass: %+v", v)
	}
}

func TestPartialAndUndecidedBlock(t *testing.T) {
	partial := func(_ context.Context, p *gate.Pass) error { p.Partialf("", "half done"); return nil }
	undecided := func(_ context.Context, p *gate.Pass) error { p.Reportf("", "no"); return errors.New("cannot tell") }
	p := &panel.Panel{Gates: []gate.Gate{
		named("p0", 0, partial), named("p1", 1, partial), named("p2", 2, partial), named("u0", 0, undecided),
		named("u1", 1, undecided)}}
	js := p.Ask(t.Context(), &gate.Pass{}, gate.After)
	var blocking []string
	for _, j := range js.Blocking() {
		blocking = append(blocking, j.Gate)
	}
	if diff := cmp.Diff([]string{"p1", "p2", "u1"}, blocking); diff != "" {
		t.Error(diff)
	}
	if js[0].Verdict.Result != gate.Partial || js[4].Verdict != nil || js[4].Err == nil {
		t.Errorf("partial: %+v, undecided: %+v", js[0], js[4])
	}
}

func TestAskCatchesPanics(t *testing.T) {
	p := &panel.Panel{Gates: []gate.Gate{
		named("panics", 1, func(context.Context, *gate.Pass) error { panic("out of cheese") }),
		named("exits", 1, func(context.Context, *gate.Pass) error { runtime.Goexit(); return nil }),
		named("fine", 1, silent)}}
	js := p.Ask(t.Context(), &gate.Pass{}, gate.After)
	var first, second *gate.PanicError
	if !errors.As(js[0].Err, &first) || first.Value != "out of cheese" ||
		!strings.Contains(first.Stack, "panel_test.go") {
		t.Errorf("panic: got %v", js[0].Err)
	}
	if !errors.As(js[1].Err, &second) {
		t.Errorf("goexit: got %v", js[1].Err)
	}
	if js[2].Verdict == nil || js[2].Blocks() {
		t.Errorf("the gate after a panic: %+v", js[2])
	}
}

func TestAskBlocksOnGatesThatWereNeverValidated(t *testing.T) {
	for _, g := range []gate.Gate{nil, wild{}} {
		js := (&panel.Panel{Gates: []gate.Gate{g}}).Ask(t.Context(), &gate.Pass{}, gate.Planning)
		if len(js) != 1 || !js[0].Blocks() || js[0].Err == nil {
			t.Errorf("got %+v, want one judgement that blocks", js)
		}
	}
}

func TestAskReturnsWithinTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var heard error
		var taken []gate.Finding
		deaf := named("deaf", 1, func(ctx context.Context, p *gate.Pass) error {
			<-release
			p.Reportf("", "too late")
			heard, taken = context.Cause(ctx), p.Verdict().Findings
			return nil
		})
		start := time.Now()
		js := (&panel.Panel{Gates: []gate.Gate{deaf}}).Ask(t.Context(), &gate.Pass{}, gate.After)
		if took := time.Since(start); took > 5*time.Minute {
			t.Errorf("Ask took %v, the limit is 5 min", took)
		}
		close(release)
		synctest.Wait()
		if len(taken) != 0 {
			t.Errorf("a report that came too late was taken: %+v", taken)
		}
		var late, cause *gate.TimeoutError
		if !errors.As(js[0].Err, &late) || late.Cause != gate.Deadlock || late.Proven || late.Limit != 5*time.Minute {
			t.Errorf("got %v", js[0].Err)
		}
		if js[0].Verdict != nil || !js[0].Blocks() || js[0].MayAskAgain() {
			t.Errorf("got %+v, want no verdict, and a block", js[0])
		}
		if !errors.As(heard, &cause) {
			t.Errorf("the gate's context ended with %v, want a *gate.TimeoutError", heard)
		}
	})
}

func TestLevel0HasNoLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := named("slow", gate.Informs, func(ctx context.Context, _ *gate.Pass) error {
			select {
			case <-time.After(time.Hour):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		js := (&panel.Panel{Gates: []gate.Gate{slow}}).Ask(t.Context(), &gate.Pass{}, gate.After)
		if js[0].Verdict == nil || js[0].Took != time.Hour {
			t.Errorf("got %+v", js[0])
		}
	})
}

func TestAskStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("the user said so")
		ctx, cancel := context.WithCancelCause(t.Context())
		obeys := named("obeys", 1, func(ctx context.Context, _ *gate.Pass) error {
			cancel(why)
			<-ctx.Done()
			return ctx.Err()
		})
		js := (&panel.Panel{Gates: []gate.Gate{obeys, named("next", 1, silent)}}).Ask(ctx, &gate.Pass{}, gate.After)
		for _, j := range js {
			if !j.Blocks() || j.Verdict != nil || j.Err == nil {
				t.Errorf("got %+v", j)
			}
		}
		if !errors.Is(js[1].Err, why) {
			t.Errorf("the next gate: got %v, want %v", js[1].Err, why)
		}
	})
}

func TestAskGoesOnAfterALateGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		takes := func(d time.Duration) func(context.Context, *gate.Pass) error {
			return func(context.Context, *gate.Pass) error { time.Sleep(d); return nil }
		}
		var passes []*gate.Pass
		notes := func(_ context.Context, p *gate.Pass) error { passes = append(passes, p); return nil }
		p := &panel.Panel{Gates: []gate.Gate{
			named("quick", gate.BlocksApproval, silent),
			named("as long as it likes", gate.Informs, takes(time.Hour)),
			named("nearly late", gate.BlocksStep, takes(5*time.Minute-101*time.Millisecond)),
			named("late", gate.BlocksStep, takes(2*time.Hour)),
			named("late too", gate.BlocksApproval, takes(time.Hour)),
			named("first in a row", gate.BlocksStep, notes),
			named("exits", gate.BlocksStep, func(context.Context, *gate.Pass) error { runtime.Goexit(); return nil }),
			named("in time again", gate.BlocksApproval, takes(50*time.Second)),
			named("last", gate.BlocksStep, notes)}}
		want := map[string]time.Duration{"quick": 0, "as long as it likes": time.Hour,
			"nearly late": 5*time.Minute - 101*time.Millisecond,
			"late":        5 * time.Minute, "late too": time.Minute, "first in a row": 0, "exits": 0,
			"in time again": 50 * time.Second, "last": 0}
		late := map[string]bool{"late": true, "late too": true}
		js := p.Ask(t.Context(), &gate.Pass{}, gate.After)
		if len(js) != len(want) {
			t.Errorf("%d judgements of %d gates", len(js), len(want))
		}
		for _, j := range js {
			var timeout *gate.TimeoutError
			if got := errors.As(j.Err, &timeout); got != late[j.Gate] || got && timeout.Name != j.Gate {
				t.Errorf("%s: late is %v (%v)", j.Gate, got, j.Err)
			}
			if j.Took != want[j.Gate] {
				t.Errorf("%s took %v, want %v", j.Gate, j.Took, want[j.Gate])
			}
		}
		if passes[0] == passes[1] {
			t.Error("two gates got the same pass")
		}
		time.Sleep(2 * time.Hour) // those that were left behind end
	})
}

func TestEveryGateHasItsOwnContext(t *testing.T) {
	var contexts []context.Context
	keeps := func(ctx context.Context, _ *gate.Pass) error {
		for _, earlier := range contexts {
			if earlier.Err() == nil {
				t.Error("the context of a gate that has judged goes on")
			}
		}
		if ctx.Err() != nil {
			t.Errorf("a gate begins with a context that ended: %v", ctx.Err())
		}
		contexts = append(contexts, ctx)
		return nil
	}
	p := &panel.Panel{Gates: []gate.Gate{named("a", 1, keeps), named("b", 1, keeps)}}
	p.Ask(t.Context(), &gate.Pass{}, gate.After)
	for _, ctx := range contexts {
		if ctx.Err() == nil {
			t.Error("the context of a gate goes on when all have judged")
		}
	}
}

func TestAskStopsADeafGateWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		deaf := named("deaf", 1, func(context.Context,
			*gate.Pass) error {
			cancel()
			time.Sleep(time.Hour)
			return nil
		})
		start := time.Now()
		p := &panel.Panel{Gates: []gate.Gate{named("answers", 1, silent), deaf, named("next", 1, silent)}}
		js := p.Ask(ctx, &gate.Pass{}, gate.After)
		if took := time.Since(start); took != 100*time.Millisecond {
			t.Errorf("Ask took %v after its context had ended", took)
		}
		if js[0].Verdict == nil || !errors.Is(js[1].Err, context.Canceled) || !errors.Is(js[2].Err, context.Canceled) {
			t.Errorf("got %+v", js)
		}
		time.Sleep(time.Hour)
	})
}

// A quickGate is a gate.Quick of a host.
type quickGate struct {
	gate.Gate
	quick func(*gate.Pass) bool
}

func (q quickGate) Quick(pass *gate.Pass) bool { return q.quick(pass) }

func TestQuickGatesAreAskedAtOnce(t *testing.T) {
	type key struct{}
	var order []string
	quick := func(name string, yes bool, judge func(context.Context, *gate.Pass) error) gate.Gate {
		return quickGate{gate.New(gate.Info{Name: name, Doc: "d", Version: "1", Level: gate.BlocksStep,
			Phases: []gate.Phase{gate.After}},
			func(ctx context.Context, p *gate.Pass) error { order = append(order, name); return judge(ctx, p) }),
			func(*gate.Pass) bool { return yes }}
	}
	var asking, first, second int64
	asking = goroutine()
	p := &panel.Panel{Gates: []gate.Gate{
		quick("first", true, func(ctx context.Context, p *gate.Pass) error {
			first = goroutine()
			p.Report(gate.Finding{Code: "x", Message: "no"})
			return nil
		}),
		quick("panics", true, func(context.Context, *gate.Pass) error { panic("oh") }),
		quick("not here", false, func(context.Context, *gate.Pass) error { second = goroutine(); return nil }),
		quick("last", true, silent),
	}}
	js := p.Ask(context.WithValue(t.Context(), key{}, 1), &gate.Pass{}, gate.After)
	if diff := cmp.Diff([]string{"first", "panics", "not here", "last"}, order); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	if first != asking || second == asking {
		t.Errorf("asked by %d: the quick one in goroutine %d, the other in %d", asking, first, second)
	}
	var panicked *gate.PanicError
	if js[0].Verdict == nil || js[0].Verdict.Result != gate.Fail || !errors.As(js[1].Err, &panicked) ||
		js[2].Err != nil || js[3].Err != nil {
		t.Errorf("got %+v", js)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	order = nil
	for _, j := range p.Ask(ctx, &gate.Pass{}, gate.After) {
		if !errors.Is(j.Err, context.Canceled) {
			t.Errorf("%s: %v", j.Gate, j.Err)
		}
	}
	if len(order) > 0 {
		t.Errorf("%q were asked after the end", order)
	}
}

// goroutine is the number of the goroutine that calls it.
func goroutine() (n int64) {
	b := make([]byte, 64)
	fmt.Sscanf(string(b[:runtime.Stack(b, false)]), "goroutine %d ", &n)
	return n
}

// TestAPanicOfQuickFailsTheGate: the others are asked all the same.
func TestAPanicOfQuickFailsTheGate(t *testing.T) {
	info := gate.Info{Name: "quick", Doc: "d", Level: gate.BlocksStep, Phases: []gate.Phase{gate.After}}
	quick := quickGate{gate.New(info, silent), func(p *gate.Pass) bool { return p.Step.ID == "" }}
	js := (&panel.Panel{Gates: []gate.Gate{quick, named("next", 1, silent)}}).Ask(t.Context(), &gate.Pass{}, gate.After)
	var panicked *gate.PanicError
	if !errors.As(js[0].Err, &panicked) || !js[0].Blocks() || js[1].Verdict == nil {
		t.Errorf("got %+v", js)
	}
}

// moody is a check that panics when it decides.
type moody struct{ fixed }

func (moody) Decide(context.Context, *gate.Pass, plan.Check) (gate.Verdict, error) {
	panic("not today")
}

// unset is a check whose zero value cannot be asked.
type unset struct{ of *fixed }

func (u unset) Kind() plan.CheckKind { return u.of.Kind() }
func (u unset) Decide(context.Context, *gate.Pass, plan.Check) (gate.Verdict, error) {
	return gate.Verdict{}, nil
}

func TestAPanicOfACheckIsItsError(t *testing.T) {
	p := &panel.Panel{Checks: []gate.Check{moody{fixed{"k"}}}}
	_, err := p.Prepare(&gate.Pass{}).Decide(t.Context(), plan.Check{Kind: "k"})
	var panicked *gate.PanicError
	if !errors.As(err, &panicked) || panicked.Name != "check k" || !strings.Contains(panicked.Stack, "panel_test.go") {
		t.Errorf("got %v", err)
	}
	p = &panel.Panel{Checks: []gate.Check{unset{}}}
	if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "check 0 does not name its kind") {
		t.Errorf("got %v", err)
	}
}

// TestAskSeveralPhases: the first phase in which something blocks is the last,
// and where none is named it is that of the pass.
func TestAskSeveralPhases(t *testing.T) {
	both := []gate.Phase{gate.During, gate.After}
	seen := gate.New(gate.Info{Name: "seen", Doc: "Looks twice.", Phases: both},
		func(_ context.Context, p *gate.Pass) error { p.Log.Info("without a log"); return nil })
	strict := func(at gate.Phase) gate.Gate {
		return gate.New(gate.Info{Name: "strict", Doc: "Objects.", Level: gate.BlocksStep, Phases: both},
			func(_ context.Context, p *gate.Pass) error {
				if p.Phase == at {
					p.Reportf("", "no")
				}
				return nil
			})
	}
	for _, tt := range []struct {
		objects gate.Phase
		phases  []gate.Phase
		want    string
	}{
		{"", both, "during during after after"},
		{gate.After, both, "during during after after"},
		{gate.During, both, "during during"},
		{"", nil, "after after"},
	} {
		p := &panel.Panel{Gates: []gate.Gate{seen, strict(tt.objects)}}
		var got []string
		for _, j := range p.Ask(t.Context(), &gate.Pass{Phase: gate.After}, tt.phases...) {
			if j.Err != nil {
				t.Error(j.Err)
			}
			got = append(got, string(j.Phase))
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%q objects: %q, want %q", tt.objects, s, tt.want)
		}
	}
}
