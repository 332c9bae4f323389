package gatetest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/gatetest"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

func gateOf(judge func(context.Context, *gate.Pass) error) gate.Gate {
	return gate.New(gate.Info{Name: "g", Doc: "Tries the kit.", Level: gate.BlocksStep,
		Phases: []gate.Phase{gate.Final, gate.After}}, judge)
}

// polite is a gate that relies on what its phase promises: an output.
var polite = gate.New(
	gate.Info{Name: "polite", Doc: "objects to text in capitals", Level: gate.BlocksStep,
		Phases: []gate.Phase{gate.During, gate.After}},
	func(_ context.Context, pass *gate.Pass) error {
		if out := pass.Output.Text; out != "" && out == strings.ToUpper(out) {
			pass.Reportf("", "the executor shouts: %q", out)
		}
		pass.Evidencef("%d declared changes", len(pass.Account.Matching))
		return nil
	})

func TestRunPassesAGateThatNeedsOutput(t *testing.T) { gatetest.Run(t, polite) }

// In the other phases there is no attempt: whoever looks at it there is told.
func TestPassesHaveWhatTheirPhasePromises(t *testing.T) {
	for _, phase := range []gate.Phase{gate.Planning, gate.Before, gate.During, gate.After, gate.Reviewing, gate.Final} {
		want := phase == gate.During || phase == gate.After || phase == gate.Reviewing
		g := gate.New(gate.Info{Name: "g", Doc: "Looks at the pass.", Phases: []gate.Phase{phase}},
			func(_ context.Context, p *gate.Pass) error {
				if (p.Output != nil) != want || (p.Account != nil) != want {
					panic("the pass has what it should not, or lacks what it should have")
				}
				return nil
			})
		gatetest.Run(t, g)
	}
}

// A noted test keeps what is wrong for itself.
type noted struct {
	testing.TB
	wrong []string
}

func (n *noted) Errorf(format string, args ...any) {
	n.wrong = append(n.wrong, fmt.Sprintf(format, args...))
}

// says reports whether something is wrong, and is about the given rule.
func (n *noted) says(rule string) bool {
	begins := fmt.Sprintf("rule %q", rule)
	return slices.ContainsFunc(n.wrong, func(s string) bool { return strings.HasPrefix(s, begins) })
}

// moody says something else on every call.
type moody struct{ calls atomic.Int64 }

func (m *moody) Info() gate.Info {
	return gate.Info{Name: "moody", Doc: "Changes its mind.", Version: string(rune('a' + m.calls.Add(1)%26)),
		Phases: []gate.Phase{gate.After}}
}
func (m *moody) Judge(context.Context, *gate.Pass) error { return nil }

func TestRunFindsWhatIsWrong(t *testing.T) {
	var calls atomic.Int64
	var kept atomic.Pointer[gate.Pass]
	tests := []struct {
		name string
		gate gate.Gate
		want string // name of the one rule that is broken; "" for none
	}{
		{"good", gateOf(func(_ context.Context, p *gate.Pass) error {
			p.Evidencef("%d changes", len(p.Changes))
			return nil
		}), ""},
		{"good, with a command", gateOf(func(ctx context.Context, p *gate.Pass) error {
			if p.Runner == nil {
				return errors.New("no runner")
			}
			_, err := p.Runner.Run(ctx, gate.Command{Run: "true"})
			return err
		}), ""},
		{"no sentence", gate.New(gate.Info{Name: "g", Phases: []gate.Phase{gate.After}},
			func(context.Context, *gate.Pass) error { return nil }), "info"},
		{"not constant", &moody{}, "constant"},
		{"no step at the end", gateOf(func(_ context.Context, p *gate.Pass) error {
			p.Evidencef("%s", p.Step.Address)
			return nil
		}), "bare"},
		{"reads the kind of what was deleted", gateOf(func(_ context.Context, p *gate.Pass) error {
			for _, c := range p.Changes {
				p.Evidencef("%s", c.After.Kind)
			}
			return nil
		}), "changes"},
		{"another answer each time", gateOf(func(_ context.Context, p *gate.Pass) error {
			p.Evidencef("call %d", calls.Add(1))
			return nil
		}), "concurrent"},
		{"writes to the workspace", gateOf(func(_ context.Context, p *gate.Pass) error {
			return os.WriteFile(filepath.Join(p.Dir, "seen"), nil, 0o644)
		}), "untouched"},
		{"ignores its context", gateOf(func(ctx context.Context, _ *gate.Pass) error {
			if ctx.Err() != nil { // else every other rule would wait for it as well
				time.Sleep(patience)
			}
			return nil
		}), "cancelled"},
		{"keeps the pass", gateOf(func(_ context.Context, p *gate.Pass) error {
			kept.Store(p)
			return nil
		}), "forgets"},
		{"leaves a goroutine", gateOf(func(context.Context, *gate.Pass) error {
			go time.Sleep(patience)
			return nil
		}), "ends"},
		{"waits for its goroutine", gateOf(func(context.Context, *gate.Pass) error {
			done := make(chan struct{})
			go close(done)
			<-done
			return nil
		}), ""},
		{"a review", reviewOf(gate.Review{Reviewer: "r", Criteria: []gate.Criterion{{Text: "x",
			Citations: []gate.Citation{{Path: "a.txt", Line: 1}, {Path: "c.txt"}}}}}), ""},
		{"a review of nobody", reviewOf(gate.Review{Criteria: []gate.Criterion{{Text: "x"}}}), "reviewed"},
		{"a review of no criterion", reviewOf(gate.Review{Reviewer: "r"}), "reviewed"},
		{"a criterion without a text", reviewOf(gate.Review{Reviewer: "r", Criteria: []gate.Criterion{{}}}), "reviewed"},
		{"cites what is not there", reviewOf(gate.Review{Reviewer: "r", Criteria: []gate.Criterion{{Text: "x",
			Citations: []gate.Citation{{Path: "z.txt", Line: 1}}}}}), "reviewed"},
		{"cites a line of what is gone", reviewOf(gate.Review{Reviewer: "r", Criteria: []gate.Criterion{{Text: "x",
			Citations: []gate.Citation{{Path: "c.txt", Line: 1}}}}}), "reviewed"},
		{"goes on for ever with its command", gateOf(func(_ context.Context, p *gate.Pass) error {
			if p.Runner == nil {
				return nil
			}
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			_, err := p.Runner.Run(ctx, gate.Command{Run: "sleep"})
			return err
		}), "stopped"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := &noted{TB: t}
			gatetest.Run(got, tt.gate)
			switch {
			case tt.want == "" && got.wrong != nil:
				t.Errorf("a good gate is refused: %q", got.wrong)
			case tt.want != "" && !got.says(tt.want):
				t.Errorf("got %q, want the rule %q", got.wrong, tt.want)
			}
		})
	}
}

// reviewOf is a gate that says what a reviewer said.
func reviewOf(r gate.Review) gate.Gate {
	return gate.New(gate.Info{Name: "g", Doc: "Reviews.", Level: gate.BlocksStep, Phases: []gate.Phase{gate.Reviewing}},
		func(_ context.Context, p *gate.Pass) error {
			if p.After != nil {
				p.Reviewed(r)
			}
			return nil
		})
}

// patience is longer than the kit's own.
const patience = 6e9

func TestRunSeesChangedPasses(t *testing.T) {
	var mu sync.Mutex // the rules ask at once, and this is not about races
	got := &noted{TB: t}
	gatetest.Run(got, gateOf(func(_ context.Context, p *gate.Pass) error {
		mu.Lock()
		defer mu.Unlock()
		if p.Introduced != nil {
			p.Introduced["I1"] = "never"
		}
		return nil
	}))
	if !got.says("untouched") {
		t.Errorf("got %q", got.wrong)
	}
}

func TestPass(t *testing.T) {
	pass := gatetest.Pass(t, gatetest.Files{"p/p.go": "package p\n\nfunc A() {}\n", "gone": "x\n"}, gatetest.Files{"p/p.go": "package p\n\nfunc B() {}\n", "bare/": ""})
	var got []string
	for _, c := range pass.Changes {
		got = append(got, string(c.Op)+" "+c.Path)
	}
	for _, s := range pass.Symbols {
		got = append(got, string(s.Op)+" "+s.Name)
	}
	want := "created bare, deleted gone, modified p/p.go, deleted p.A, created p.B"
	if g := strings.Join(got, ", "); g != want {
		t.Errorf("got %s, want %s", g, want)
	}
	if pass.Lines != (ledger.LineCount{Added: 1, Removed: 2}) {
		t.Errorf("lines: %+v", pass.Lines)
	}
	pass.Step.Artifacts = &plan.Artifacts{Create: []string{"bare"}, Delete: []string{"gone"},
		Modify: []string{"p/p.go"}, SymbolsAdd: []string{"p.B"}, SymbolsRemove: []string{"p.A"}}
	j := gatetest.Judge(t.Context(), gate.New(gate.Info{Name: "g", Doc: "Looks at the account.",
		Phases: []gate.Phase{gate.After}},
		func(_ context.Context, p *gate.Pass) error {
			if p.Account == nil || !p.Account.Holds() {
				p.Reportf("", "account %+v", p.Account)
			}
			return nil
		}), pass)
	if j.Verdict == nil || j.Verdict.Result != gate.Passed {
		t.Errorf("got %+v", j)
	}
	if pass.Account != nil {
		t.Error("Judge changed the caller's pass")
	}
}

func TestLocal(t *testing.T) {
	var out strings.Builder
	l := gatetest.Local{Dir: t.TempDir()}
	r, err := l.Run(t.Context(), gate.Command{Run: "echo one; echo two >&2; echo $X; exit 3",
		Env: []string{"X=three"}, Stdout: &out})
	if err != nil {
		t.Skipf("no shell here: %v", err)
	}
	if r.Exit != 3 || r.Stdout != "one\nthree\n" || out.String() != r.Stdout || !strings.Contains(r.Output, "two") {
		t.Errorf("got %+v, written %q", r, out.String())
	}
	if _, err := l.Run(t.Context(), gate.Command{}); err == nil {
		t.Error("an empty command ran")
	}
	if _, err := l.Run(t.Context(), gate.Command{Args: []string{"planlock-no-such-tool"}}); err == nil {
		t.Error("a program that is not there ran")
	}
}

func TestRunnerNotesCommands(t *testing.T) {
	r := &gatetest.Runner{Results: map[string]gate.CommandResult{"make": {Exit: 2}}}
	if res, err := r.Run(t.Context(), gate.Command{Run: "make"}); err != nil || res.Exit != 2 {
		t.Errorf("got %+v, %v", res, err)
	}
	if _, err := r.Run(t.Context(), gate.Command{Args: []string{"go", "vet"}}); err == nil {
		t.Error("a command without a result ran")
	}
	if got := strings.Join(r.Commands(), ", "); got != "make, go vet" {
		t.Errorf("got %s", got)
	}
}

// checkOf is a kind of check made of a function.
type checkOf func(ctx context.Context, p *gate.Pass) (gate.Verdict, error)

func (checkOf) Kind() plan.CheckKind { return plan.CheckKind{Name: "mine", Free: []string{"level"}} }

func (k checkOf) Decide(ctx context.Context, p *gate.Pass, _ plan.Check) (gate.Verdict, error) {
	return k(ctx, p)
}

func TestRunCheckFindsWhatIsWrong(t *testing.T) {
	var kept atomic.Pointer[gate.Pass]
	use := plan.Check{Kind: "mine"}
	holds := checkOf(func(context.Context, *gate.Pass) (gate.Verdict, error) { return gate.Holds("so it is"), nil })
	tests := map[string]struct {
		check checkOf
		want  string // name of the one rule that is broken; "" for none
	}{
		"good": {holds, ""},
		"reports": {func(_ context.Context, p *gate.Pass) (gate.Verdict, error) {
			p.Reportf("", "no")
			return gate.Breaks(), nil
		}, "silent"},
		"reads what was deleted": {func(_ context.Context, p *gate.Pass) (gate.Verdict, error) {
			for _, c := range p.Changes {
				_ = c.After.Kind
			}
			return gate.Holds(), nil
		}, "changes"},
		"panics": {func(_ context.Context, p *gate.Pass) (gate.Verdict, error) {
			return gate.Holds(string(p.Step.Address)), nil
		}, "bare"},
		"keeps": {func(_ context.Context, p *gate.Pass) (gate.Verdict, error) {
			kept.Store(p)
			return gate.Holds(), nil
		}, "forgets"},
		"goes on": {func(context.Context, *gate.Pass) (gate.Verdict, error) {
			go time.Sleep(patience)
			return gate.Holds(), nil
		}, "ends"},
		"writes": {func(_ context.Context, p *gate.Pass) (gate.Verdict, error) {
			return gate.Holds(), os.WriteFile(filepath.Join(p.Dir, "seen"), nil, 0o644)
		}, "untouched"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := &noted{TB: t}
			gatetest.RunCheck(got, tt.check, use)
			switch {
			case tt.want == "" && got.wrong != nil:
				t.Errorf("a good check is refused: %q", got.wrong)
			case tt.want != "" && !got.says(tt.want):
				t.Errorf("got %q, want the rule %q", got.wrong, tt.want)
			}
		})
	}
	got := &noted{TB: t}
	if gatetest.RunCheck(got, holds, plan.Check{Kind: "another"}); !got.says("kind") {
		t.Errorf("a check of another kind: %q", got.wrong)
	}
}
