package exec_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// costing writes a file, and says what that cost.
func costing(name string, cost exec.Money) exec.Func {
	return func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		out, err := exectest.Write(name, name+"\n")(ctx, w)
		out.Usage = exec.Usage{InputTokens: 10, Cost: cost}
		return out, err
	}
}

const cent = 10_000

// A run that reached what it may cost stops before the next step, over all
// sessions, and goes on with a larger budget alone.
func TestBudget(t *testing.T) {
	b := exectest.New(t, steps("", "a", "b", "c"), nil, exectest.Script{"1.1": costing("a", 6*cent),
		"2.1": costing("b", 4*cent), "3.1": costing("c", 1*cent)})
	b.Controller.Budget = 10 * cent
	locked := b.Lock(t)
	report, err := b.Controller.Run(t.Context(), locked)
	if !errors.Is(err, exec.ErrHandoff) || report.Status() != history.Waiting ||
		!strings.Contains(err.Error(), "$0.10 of $0.10") || report.Run.Step("2.1").Status != history.Completed {
		t.Fatalf("%v\n%v", err, report)
	}
	if next := report.Next(); len(next) == 0 || next[0].Automatic { // it would be resumed for ever
		t.Errorf("next: %+v", next)
	}
	for _, budget := range []exec.Money{0, 10 * cent} { // nobody lifts it by saying nothing
		b.Controller.Budget = budget
		if report, err = b.Controller.Resume(t.Context(), locked, ""); !errors.Is(err, exec.ErrHandoff) ||
			report.Run.Step("3.1").Tried() != 0 {
			t.Fatalf("resumed with a budget of %s: %v", budget, err)
		}
	}
	b.Controller.Budget = 20 * cent
	report, err = b.Controller.Resume(t.Context(), locked, "")
	if err != nil || report.Run.Flow.Cost != 11*cent || report.Run.Flow.Tokens != 30 {
		t.Errorf("%v, %+v", err, report.Run.Flow)
	}
	if said := report.String(); !strings.Contains(said, "$0.11 of $0.20") {
		t.Errorf("the report: %s", said)
	}
	var doc struct {
		Counts struct {
			Cost   string `json:"cost_usd"`
			Budget string `json:"budget_usd"`
		}
	}
	var text bytes.Buffer
	model, err := document.New(report.Plan, report.Run, nil)
	must(t, err)
	must(t, document.JSON(&text, model))
	must(t, json.Unmarshal(text.Bytes(), &doc))
	if doc.Counts.Cost != "0.11" || doc.Counts.Budget != "0.20" {
		t.Errorf("report.json: %+v", doc)
	}
}

// An attempt that says while it works that it costs more than the run may is
// ended and undone, and does not count; what it cost does.
func TestBudgetEndsAttempts(t *testing.T) {
	for _, says := range []string{"an error", "nothing"} {
		t.Run(says, func(t *testing.T) {
			tries := 0
			b := exectest.New(t, steps("", "a", "b"), nil, exectest.Script{"1.1": costing("a", 5*cent),
				"2.1": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
					if tries++; tries > 1 {
						return costing("b", 1*cent)(ctx, w)
					}
					must(t, exectest.Put(w.Dir, "b", "half\n"))
					w.Spent(exec.Usage{OutputTokens: 5, Cost: 5 * cent})
					if ctx.Err() != nil {
						t.Error("ended although it cost what it may")
					}
					w.Spent(exec.Usage{OutputTokens: 7, Cost: 6 * cent})
					select {
					case <-ctx.Done():
					case <-time.After(10 * time.Second):
					}
					if !errors.Is(context.Cause(ctx), exec.ErrBudget) {
						t.Errorf("the cause: %v", context.Cause(ctx))
					}
					if says == "nothing" {
						return exec.Outcome{}, nil
					}
					return exec.Outcome{Usage: exec.Usage{OutputTokens: 7, Cost: 7 * cent}}, context.Cause(ctx)
				}})
			b.Controller.Budget = 10 * cent
			locked := b.Lock(t)
			report, err := b.Controller.Run(t.Context(), locked)
			want := exec.Money(11 * cent)
			if says == "an error" {
				want = 12 * cent
			}
			s := report.Run.Step("2.1")
			if !errors.Is(err, exec.ErrHandoff) || report.Run.Flow.Cost != want || report.Run.Flow.Tokens != 17 ||
				s.Last() == nil || s.Last().Failure.Class != history.OverBudget || s.Last().Counts() {
				t.Fatalf("%v, %+v\n%v", err, report.Run.Flow, report)
			}
			if _, there := b.Tree(t).Lookup("b"); there {
				t.Error("what it did is there")
			}
			b.Controller.Budget = 50 * cent
			report, err = b.Controller.Resume(t.Context(), locked, "")
			if err != nil || len(report.Run.Step("2.1").Attempts) != 2 || report.Run.Step("2.1").Tries().Retries != 0 {
				t.Errorf("%v\n%v", err, report)
			}
		})
	}
}

// What attempts in lanes cost is counted together while they work.
func TestBudgetOfLanes(t *testing.T) {
	text := steps("[execution]\njobs = 2\n", "a", "b") + inSpeclets(2)
	both := make(chan bool, 2)
	ended := 0
	var mu sync.Mutex
	b := exectest.New(t, text, nil, exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		w.Spent(exec.Usage{Cost: 4 * cent})
		both <- true
		for range 1000 { // until the other one is there
			if len(both) == 2 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		w.Spent(exec.Usage{Cost: 6 * cent})
		select {
		case <-ctx.Done():
			mu.Lock()
			ended++
			mu.Unlock()
		case <-time.After(time.Second):
		}
		return exec.Outcome{}, nil
	}))
	b.Controller.Budget = 10 * cent
	report, err := b.Controller.Run(t.Context(), b.Lock(t))
	if len(report.Run.Groups) == 0 {
		t.Skip("they did not run at once")
	}
	if !errors.Is(err, exec.ErrHandoff) || ended == 0 || report.Run.Flow.Cost != 12*cent {
		t.Errorf("%v, ended %d, cost %s", err, ended, report.Run.Flow.Cost)
	}
}

// What an executor is at is told, bounded, a few times a second, the last of it
// too, and nothing of it once it has come back.
func TestActivity(t *testing.T) {
	var told []string
	var mu sync.Mutex
	last := make(chan struct{})
	var after func(string)
	b := exectest.New(t, steps("", "a"), nil, exectest.Script{"1.1": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		after = w.Activity
		for range 1000 {
			w.Activity("thinking")
			w.Activity("editing " + strings.Repeat("long", 1000) + "\nsecond line \x1b[31m")
		}
		w.Activity("editing a")
		select {
		case <-last:
		case <-time.After(10 * time.Second):
			t.Error("the last is not told")
		}
		return exectest.Write("a", "a\n")(ctx, w)
	}})
	b.Controller.Observe = func(_ context.Context, e event.Event) {
		if e.Kind != event.Activity {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		told = append(told, e.Text)
		if e.Step != "1.1" || e.Attempt != 1 || e.Fact != nil || len(e.Text) > 210 || strings.Contains(e.Text, "\n") {
			t.Errorf("%+v", e)
		}
		if e.Text == "editing a" {
			close(last)
		}
	}
	b.Run(t).Want(t, history.Achieved)
	after("late")
	time.Sleep(50 * time.Millisecond)
	mu.Lock()
	defer mu.Unlock()
	if len(told) > 4 || told[len(told)-1] != "editing a" {
		t.Errorf("told: %q", told)
	}
}
