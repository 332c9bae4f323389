package presets

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/plan"
)

// A story is a preset at work.
type story struct {
	name string
	// does says what each step does: the first entry before the ladder was used
	// for it, the second after it was used once, and the last one from then on.
	does map[plan.Address][]exec.Func
	// advice is what is proposed for a step, by kind, each once and in order.
	advice map[advice.Kind]map[plan.Address][]advice.Advice
	// answers are the keys of the choices that a person takes, by question.
	answers   map[string]string
	reviewers []review.Reviewer
	ends      history.Status
}

var (
	fail  = exectest.Fail
	write = exectest.Write
)

func text(s string) *string { return &s }

func stories() []story {
	return []story{{
		name: "contract",
		does: map[plan.Address][]exec.Func{
			"1.1": {fail("it hangs"), write("handler.txt", "the same as before\n"), fail("it hangs"), write("handler.txt", "limited by wrapper\n")},
			"1.2": {fail("no words"), fail("no words"), write("news.txt", "news\n")},
		},
		answers: map[string]string{"q1": "r"},
		ends:    history.Achieved,
	}, {
		name: "spec",
		does: map[plan.Address][]exec.Func{
			"1.1": {fail("the tool does not know the format"), fail("record 7 is broken"),
				write("records.txt", "all\n")},
			"2.1": {fail("locked")}, "2.2": {fail("locked")}, "2.3": {fail("locked")},
		},
		answers: map[string]string{"q1": "k", "q2": "k"},
		ends:    history.Partial,
	}, {
		name: "phase",
		does: map[plan.Address][]exec.Func{
			"T1.1": {write("box.txt", "a box\n"), write("box.txt", "a larger box\n"), write("box.txt", "an accessible box\n")},
			"T2.1": {exectest.Nothing()},
			"T3.1": {write("colours.txt", "blue\n")},
		},
		answers: map[string]string{"q1": "k"},
		ends:    history.Partial,
	}, {
		name: "assistant",
		does: map[plan.Address][]exec.Func{
			// three retries
			"1.1": {fail("unknown field"), fail("unknown field"), fail("unknown field"), fail("unknown field"),
				fail("no such library"), write("reader.txt", "reads\n")}, // another approach, and one retry of it
			"1.2": {fail("too large")},
		},
		advice: map[advice.Kind]map[plan.Address][]advice.Advice{
			advice.Pivot: {"1.1": {{Advisor: "scripted", Note: "use the library", Confidence: 0.8,
				Alternatives: []history.Approach{{Description: "use the library", Confidence: 0.8}},
				Patch: &advice.Patch{Summary: "use the library",
					Prompt: text("write reader.txt with the library")}}}},
			advice.Research: {"1.2": {{Advisor: "scripted", Note: "the format allows parts", Confidence: 0.9,
				Queries: []string{"large files"},
				Sources: []string{"docs/format.md"}, Findings: []string{"the format allows parts"},
				Patch: &advice.Patch{Summary: "import it in parts", Feedback: []string{"the format allows parts"}}}}},
		},
		answers: map[string]string{"q1": "k"},
		ends:    history.Partial,
	}, {
		name: "reflective",
		does: map[plan.Address][]exec.Func{
			"1.1": {fail("RuntimeError: CUDA out of memory"), write("result.json", "{}\n")},
			"2.1": {exectest.Nothing(), write("figure.txt", "a figure\n")},
			"3.1": {fail("KeyError: 'mean'")},
		},
		advice: map[advice.Kind]map[plan.Address][]advice.Advice{advice.Reflection: {
			"1.1": {
				// the reviewers reject 32
				{Advisor: "scripted", RootCause: "out-of-memory", Confidence: 0.87, Severity: 0.8, Risk: 0.2,
					Patch: &advice.Patch{Summary: "half as much at a time",
						Args: map[string]string{"batch-size": "16"}}},
				{Advisor: "scripted", RootCause: "out-of-memory", Confidence: 0.87, Severity: 0.8, Risk: 0.2,
					Patch: &advice.Patch{Summary: "half of that", Args: map[string]string{"batch-size": "8"}}},
			},
			"2.1": {{Advisor: "scripted", RootCause: "missing-file", Confidence: 0.70, Patch: &advice.Patch{Summary: "say that it is to be written", Run: text("draw --write --out figure.txt")}}},
			"3.1": {{Advisor: "scripted", RootCause: "schema", Confidence: 0.69, Patch: &advice.Patch{Summary: "leave the mean out", Run: text("compare --no-mean --with last-year.json")}}},
		}},
		reviewers: []review.Reviewer{review.Func{Label: "quality", Ask: approves},
			review.Func{Label: "ops", Ask: sparing}},
		answers: map[string]string{"q1": "k"},
		ends:    history.Partial,
	}}
}

// A stage is a story with a workspace, and a journal that can be cut.
type stage struct {
	*exectest.Bench
	log    *cutLog
	locked *plan.Locked
}

var errCut = errors.New("the machine is gone")

// A cutLog takes a number of appends, and then no more.
type cutLog struct {
	*checkpoint.MemoryLog
	left int
}

func (l *cutLog) Append(ctx context.Context, batch [][]byte) error {
	if l.left--; l.left < 0 {
		return errCut
	}
	return l.MemoryLog.Append(ctx, batch)
}

func (l *cutLog) Close() error { return nil }

// set sets a story up, with a journal that is cut after a number of appends.
func (s story) set(t *testing.T, cut int) *stage {
	t.Helper()
	st := &stage{log: &cutLog{MemoryLog: &checkpoint.MemoryLog{}, left: cut}}
	var mu sync.Mutex
	used := map[plan.Address]int{} // how often the ladder was used for a step
	st.Bench = exectest.New(t, s.name+".toml", nil,
		exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			mu.Lock()
			defer mu.Unlock()
			actions := s.does[w.Step.Address]
			return actions[min(used[w.Step.Address], len(actions)-1)](ctx, w)
		}))
	c := st.Controller
	c.Runs = exectest.Logs(c.Dir, func(context.Context, string) (checkpoint.Log, error) { return st.log, nil })
	c.Observe = event.On(func(e event.Event, _ *history.AttemptStarted) {
		mu.Lock()
		defer mu.Unlock()
		used[e.Step] = len(e.OfStep().Recoveries)
	})
	c.Escalator = person(s.answers)
	c.Reviewers = s.reviewers
	c.Advisors = exec.Advisors{}
	for _, kind := range []advice.Kind{advice.Reflection, advice.Pivot, advice.Research} {
		c.Advisors[kind] = s.advisor(kind)
	}
	st.locked = st.Lock(t)
	return st
}

// advisor says what the story has for a step, each thing once.
func (s story) advisor(kind advice.Kind) advice.Advisor {
	return advice.Func(func(_ context.Context, c advice.Case) (advice.Advice, error) {
		said := 0
		for _, a := range c.Earlier {
			if a.Kind == string(kind) {
				said++
			}
		}
		list := s.advice[kind][c.Step.Address]
		if said >= len(list) {
			return advice.Advice{}, fmt.Errorf("%w: the story has no more", advice.ErrNothing)
		}
		return list[said], nil
	})
}

// A person answers by the number of the question.
type person map[string]string

func (p person) Ask(_ context.Context, q ask.Question) (ask.Answer, error) {
	key, ok := p[q.ID]
	if !ok {
		return ask.Answer{}, fmt.Errorf("%w: %s was not foreseen: %s", ask.ErrNoAnswer, q.ID, q.What)
	}
	a := ask.Answer{Question: q.ID, Run: q.Run, Attempt: q.Attempt, Choice: key, By: "a person", Reason: "as the story goes"}
	if c, ok := q.Choice(key); ok {
		a.Acknowledged = c.Acknowledge
	}
	return a, nil
}

// told is the story of a run: what failed, what was tried, who was asked, what
// came of it. Attempts that a crash cut off do not belong to it, nor do their
// numbers.
func told(run *history.Run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "preset %s, mode %s\n", run.Started.Preset, run.Started.Mode)
	for _, s := range run.Steps {
		fmt.Fprintf(&b, "\n%s %s: %s\n", s.Address, s.Title, s.Status)
		next, shown := 0, []string(nil)
		for _, a := range s.Attempts {
			if a.Failure != nil && a.Failure.Class == history.Lost {
				continue
			}
			if next > 0 && next <= len(s.Recoveries) {
				tellRecovery(&b, s.Recoveries[next-1])
			}
			next++
			if p := s.Patch(a.Method.Method); p != nil && !slices.Contains(shown, p.ID) {
				shown = append(shown, p.ID)
				tellPatch(&b, p)
			}
			outcome := "accepted"
			if a.Failure != nil {
				outcome = fmt.Sprintf("%s: %s", a.Failure.Class, a.Failure.Reasons[0])
			}
			fmt.Fprintf(&b, "  %s: %s\n", a.Method.Method, outcome)
		}
		for _, x := range s.Questions {
			tellQuestion(&b, x)
		}
	}
	for _, a := range run.Approvals {
		fmt.Fprintf(&b, "\ntask %s, draft %d: %s %s\n", a.Task, a.Retry, a.Status, strings.Join(a.Reasons, "; "))
	}
	for _, m := range run.Modes {
		fmt.Fprintf(&b, "\nmode %s, then %s: %s\n", m.From, m.To, m.Cause)
	}
	fmt.Fprintf(&b, "\n%s\n", run.Status)
	return b.String()
}

func tellPatch(b *strings.Builder, p *history.Patched) {
	fmt.Fprintf(b, "      %s, at %s: %s\n", p.ID, p.Point, p.Summary)
	for line := range strings.Lines(p.Diff) {
		if strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "---") || strings.HasPrefix(line, "+") &&
			!strings.HasPrefix(line, "+++") {
			fmt.Fprintf(b, "      %s", line)
		}
	}
}

func tellRecovery(b *strings.Builder, r history.Recovery) {
	fmt.Fprintf(b, "    %s %d: %s\n", r.Rung, r.Repeats, r.Why)
	for _, p := range r.Passed {
		fmt.Fprintf(b, "      not %s: %s\n", p.Rung, p.Why)
	}
}

func tellQuestion(b *strings.Builder, x history.Exchange) {
	fmt.Fprintf(b, "    %s %s: %s\n", x.Question.ID, x.Question.Kind, x.Question.Why)
	for _, line := range x.Question.Evidence {
		if strings.HasPrefix(line, "not tried: ") {
			fmt.Fprintf(b, "      %s\n", line)
		}
	}
	if x.Answer != nil {
		c, _ := x.Question.Choice(x.Answer.Choice)
		fmt.Fprintf(b, "      answered: %s\n", c.Label)
	}
}

// approves has nothing against a draft.
func approves(context.Context, review.Request) (review.Review, error) {
	return review.Review{Verdict: "APPROVE"}, nil
}

// sparing wants no batches of 32.
func sparing(_ context.Context, d review.Request) (review.Review, error) {
	if slices.ContainsFunc(d.Steps, func(s review.Step) bool { return strings.Contains(s.Run, "batch-size 32") }) {
		return review.Review{Verdict: "REJECT", Critical: []string{"a batch of 32 does not fit"}}, nil
	}
	return review.Review{Verdict: "APPROVE"}, nil
}

// counters are what every step has used of its ladder, in order.
func counters(run *history.Run) []string {
	var all []string
	for _, s := range run.Steps {
		for _, r := range s.Recoveries {
			all = append(all, fmt.Sprintf("%s %s %d %s", s.Address, r.Rung, r.Repeats, r.Method))
		}
		for _, a := range s.Advised {
			all = append(all, fmt.Sprintf("%s advice %s at %s: %s%s", s.Address, a.Kind, a.Point, a.Patch, a.Error))
		}
	}
	for _, m := range run.Modes {
		all = append(all, fmt.Sprintf("mode %s %s", m.To, m.Cause))
	}
	return slices.Clip(all)
}
