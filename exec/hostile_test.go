package exec_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// A carelessPerson answers as a test wants, and is asked no more than a few
// times.
type carelessPerson struct {
	answer func(ask.Question) (ask.Answer, error)
	asked  int
}

func (p *carelessPerson) Ask(_ context.Context, q ask.Question) (ask.Answer, error) {
	if p.asked++; p.asked > 10 {
		return ask.Answer{}, ask.ErrNoAnswer
	}
	return p.answer(q)
}

// TestAnswersOfACarelessHost: whatever an escalator puts into its answers, the
// journal takes it, can be read again, and the run comes to an end.
func TestAnswersOfACarelessHost(t *testing.T) {
	endless := strings.Repeat("x", 8<<20)
	tests := map[string]func(*ask.Answer) error{
		"a reason that is no text": func(a *ask.Answer) error { a.Reason, a.By = "caf\xe9", "Jos\xe9"; return nil },
		"an endless reason":        func(a *ask.Answer) error { a.Reason = endless; return nil },
		"an endless name":          func(a *ask.Answer) error { a.By = endless; return nil },
		"an endless scope": func(a *ask.Answer) error {
			a.Remember, a.Confirmed = ask.Scope(endless),
				endless
			return nil
		},
		"an endless choice": func(a *ask.Answer) error { a.Choice = endless; return nil },
		"a time after all times": func(a *ask.Answer) error {
			a.At = time.Date(20000, 1, 1, 0, 0, 0, 0,
				time.UTC)
			return nil
		},
		"a time before all times": func(a *ask.Answer) error {
			a.At = time.Date(-5, 1, 1, 0, 0, 0, 0,
				time.UTC)
			return nil
		},
		"an endless reason for no one": func(*ask.Answer) error {
			return fmt.Errorf("%w: %s", ask.ErrNoAnswer,
				endless)
		},
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, twoSteps(), workspace, failing(2))
			b.Controller.Escalator = &carelessPerson{answer: func(q ask.Question) (ask.Answer, error) {
				a := answer(q, "r")
				return a, spoil(&a)
			}}
			run := b.Run(t)
			if run.Report.Run.Sealed == nil {
				t.Fatalf("the run did not end: %v", run.Err)
			}
			again, err := exec.Workspace{Dir: b.Dir}.History(t.Context(), run.Report.Run.Started.Run)
			if err != nil || again.Head.Seq != run.Report.Run.Head.Seq {
				t.Errorf("the journal cannot be read again: %v", err)
			}
		})
	}
}

// TestDeviationWithANameThatIsNoText: what JSON cannot hold cannot be accepted
// by its name.
func TestDeviationWithANameThatIsNoText(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("file names are text here")
	}
	b := exectest.New(t, twoSteps(), workspace, exectest.Script{"1.1": exectest.All(goodScript["1.1"], exectest.Write("caf\xe9.txt", "e\n")), "1.2": goodScript["1.2"]})
	p := &person{}
	b.Controller.Escalator = p
	b.Run(t)
	if len(p.asked) != 1 {
		t.Fatalf("%d questions, want 1", len(p.asked))
	}
	if c, ok := p.asked[0].Choice("a"); ok {
		t.Errorf("accepting is offered: %q", c.Acknowledge)
	}
}

// TestTokensOfACarelessHost: counts that are negative, or more than can be
// added up, neither give tokens back nor come out below nothing.
func TestTokensOfACarelessHost(t *testing.T) {
	text := steps("[execution]\ntoken_budget = 1000\n", "a", "b", "c")
	spends := func(name string, in, out int64) exec.Func {
		return func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			o, err := exectest.Write(name, "x\n")(ctx, w)
			o.Usage = exec.Usage{InputTokens: in, OutputTokens: out}
			return o, err
		}
	}
	for name, tt := range map[string]struct {
		in, out int64
		waits   bool
	}{
		"both are the most that can be": {math.MaxInt64, math.MaxInt64, true},
		"negative":                      {-5000, 0, false},
		"one is negative":               {-5000, 799, false},
		"one is negative, and too much": {-5000, 800, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, text, nil, exectest.Script{"1.1": spends("a", tt.in, tt.out),
				"1.2": spends("b", 0, 0), "1.3": spends("c", 0, 0)})
			run := b.Run(t)
			if got := errors.Is(run.Err, exec.ErrHandoff); got != tt.waits || run.Report.Run.Flow.Used < 0 {
				t.Errorf("handed on: %t, want %t; %d tokens used: %v", got, tt.waits, run.Report.Run.Flow.Used, run.Err)
			}
		})
	}
}

// TestAdviceGivesNoTokensBack: nor does advice that claims to have cost less
// than nothing.
func TestAdviceGivesNoTokensBack(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, failing(2))
	b.Controller.Preset = "reflective"
	b.Controller.Advisors = exec.Advisors{advice.Reflection: advice.Func(func(context.Context,
		advice.Case) (advice.Advice, error) {
		return advice.Advice{Cost: history.AdviceCost{Tokens: math.MinInt64, Calls: math.MinInt}}, nil
	})}
	run := b.Run(t)
	for _, s := range run.Report.Run.Steps {
		for _, a := range s.Advised {
			if a.Cost.Tokens < 0 || a.Cost.Calls < 0 {
				t.Errorf("advice cost %+v", a.Cost)
			}
		}
	}
	if run.Report.Run.Flow.Tokens < 0 {
		t.Errorf("%d tokens used", run.Report.Run.Flow.Tokens)
	}
}

// TestOutcomesOfACarelessHost: an error or metrics without end are cut; the
// failure stands in the journal.
func TestOutcomesOfACarelessHost(t *testing.T) {
	many := map[string]float64{strings.Repeat("n", 1000): 1, "caf\xe9": 1}
	for i := range 2000 {
		many[fmt.Sprintf("metric %d", i)] = 1
	}
	b := exectest.New(t, twoSteps(), workspace, exectest.Script{"1.1": func(context.Context, exec.Work) (exec.Outcome,
		error) {
		return exec.Outcome{Metrics: many}, errors.New(strings.Repeat("x", 40<<20)) // more than a record can hold
	}})
	run := b.Run(t)
	run.Want(t, history.NotAchieved)
	if said := run.Report.Run.Step("1.1").Last().Said; len(said.Error) > 1<<20 || len(said.Metrics) != 1000 {
		t.Errorf("%d bytes of error and %d metrics are kept", len(said.Error), len(said.Metrics))
	}
}

// TestWhatAPlanWantsAndCannotBeUnderstood: a budget, a reviewer or a rule that
// silently is none would be found out too late.
func TestWhatAPlanWantsAndCannotBeUnderstood(t *testing.T) {
	for line, refused := range map[string]bool{
		`strategy = "direct"`: false, `strategy = "driect"`: true, `strategy = 7`: true,
		`complexity = 1`: false, `complexity = 5`: false, `complexity = 0`: true, `complexity = 6`: true, `complexity = "3"`: true,
		`test_first = false`: false, `test_first = "true"`: true, `deterministic = 1`: true,
		`token_budget = 0`: false, `token_budget = -1`: true, `token_budget = "many"`: true, `token_budget = 1.5`: true,
		`escalation_threshold = 1`: false, `escalation_threshold = 0`: true, `escalation_threshold = "3"`: true,
		`reviewers = []`: false, `reviewers = 3`: true, `reviewers = [3]`: true, `reviewers = { ops = true }`: true,
		`evidence = true`: false, `evidence = "yes"`: true,
		`preset = 3`: true, `something_else = 3`: false,
	} {
		t.Run(line, func(t *testing.T) {
			b := exectest.New(t, steps("[execution]\n"+line+"\n", "a"), nil,
				exectest.Script{"1.1": exectest.Write("a", "x\n")})
			_, err := b.Controller.Lock(t.Context(), b.Draft)
			var refusal *plan.CheckError
			if errors.As(err, &refusal) != refused {
				t.Fatalf("refused: %v, want %t", err, refused)
			}
			if key, _, _ := strings.Cut(line, " "); refused && !strings.Contains(err.Error(), key) {
				t.Errorf("it does not say what is wrong: %v", err)
			}
		})
	}
}

// TestOutcomeErrorIsShort: of a plan with thousands of steps an error names the
// first reasons; the others are in its list.
func TestOutcomeErrorIsShort(t *testing.T) {
	err := &exec.OutcomeError{Run: "r", Status: history.NotAchieved,
		Reasons: slices.Repeat([]string{"it did not run"}, 13)}
	if text := err.Error(); strings.Count(text, "it did not run") != 12 || !strings.HasSuffix(text, "; and 1 more") {
		t.Errorf("%q", text)
	}
	if err.Reasons = err.Reasons[:12]; strings.Count(err.Error(), "it did not run") != 12 ||
		strings.Contains(err.Error(), "more") {
		t.Errorf("%q", err.Error())
	}
}
