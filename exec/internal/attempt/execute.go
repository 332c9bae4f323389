package attempt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/jobs"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process/output"
)

// execute calls the executor, within the step's time. Phases share that time,
// as they share the attempt.
//
// An executor that came back without an error although it was told to stop has
// not finished: the reason why it was told is its error then.
func (t *trial) execute(ctx context.Context, x Executor) {
	late := &gate.TimeoutError{Name: "step " + string(t.s.Address), Step: true, Limit: t.limit}
	ctx, cancel := context.WithTimeoutCause(ctx, t.left(), fmt.Errorf("%w: %s", late, t.says))
	defer cancel()
	ctx, unwatch := t.Inbox.Watch(ctx)
	defer unwatch()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	live, begin, earlier := output.NewTail(bound.Output), time.Now(), t.outcome
	meter := &meter{trial: t, run: t.Rec.Run.Flow.Cost, limit: t.Rec.Run.Policy.Budget, before: earlier.Cost, end: func() { end(ErrBudget) }}
	busy := &activity{tell: func(text string) {
		t.Tell(event.Event{Kind: event.Activity, Step: t.s.Address, Attempt: t.number, Text: text})
	}}
	defer busy.stop()
	t.runner.Grant(x.Home)
	task, step := t.Shown.At(t.s.Address)
	w := Work{
		Task: task, Step: step, Method: t.method, Attempt: t.number, Phase: t.phase, Tests: slices.Clone(t.cycle.Tests),
		Dir: t.Work.Dir, Path: t.runner.Seen(t.Work.Dir), Became: t.became,
		Within: t.Shown.Plan.Declared(task, step).Within,
		Bound:  t.Shown.Plan.Binds(task, step), NonGoals: t.Shown.Plan.NonGoals,
		Feedback: append(feedback(t.Rec.Run, t.s), t.method.Feedback...),
		Activity: busy.say, Spent: meter.spent,
		Briefing: t.withSources(t.brief()), Runner: listening{t.runner, t.heard()},
		Output: &listener{keep: live, tell: func(p []byte) {
			t.Tell(event.Event{Kind: event.Output, Step: t.s.Address, Attempt: t.number, Output: p})
		}},
	}
	t.outcome = Outcome{}
	t.err = session.Caught("the executor", func() (err error) {
		t.outcome, err = x.Do(ctx, w)
		return err
	})
	t.took += time.Since(begin)
	t.outcome.charge(meter.read())
	if t.err == nil && ctx.Err() != nil {
		t.err = context.Cause(ctx) // it came back because it was told to
	} else if cause := context.Cause(ctx); cause != nil && !errors.Is(t.err, cause) {
		t.err = fmt.Errorf("%w: %w", cause, t.err)
	}
	text := live.String()
	if t.outcome.Output != "" {
		tail := output.NewTail(bound.Output)
		fmt.Fprint(tail, text, t.outcome.Output)
		text = tail.String()
	}
	t.outcome.Output = text
	if t.outcome.Stdout == "" && !x.ByCommands {
		t.outcome.Stdout = text // it has no standard output of its own
	}
	t.outcome = earlier.and(t.outcome)
}

// and is what an executor said in several phases of an attempt: the texts one
// after another, each on lines of its own, the status of the last, the costs together.
func (o Outcome) and(next Outcome) Outcome {
	tail := output.NewTail(bound.Output)
	fmt.Fprint(tail, o.Output)
	if o.Output != "" && next.Output != "" && !strings.HasSuffix(o.Output, "\n") {
		fmt.Fprint(tail, "\n")
	}
	fmt.Fprint(tail, next.Output)
	next.Output = tail.String()
	next.Stateful = next.Stateful || o.Stateful
	next.Tokens = AddTokens(o.Tokens, next.Tokens)
	next.Calls += o.Calls
	next.Cost = next.Cost.Plus(o.Cost)
	next.Insights = slices.Concat(o.Insights, next.Insights)
	next.Decisions = slices.Concat(o.Decisions, next.Decisions)
	if len(o.Metrics) > 0 {
		all := maps.Clone(o.Metrics)
		maps.Copy(all, next.Metrics)
		next.Metrics = all
	}
	return next
}

// AddTokens adds counts that executors claim: a negative one is none, and what
// is more than can be counted stays the most that can be.
func AddTokens(a, b int64) int64 {
	a, b = max(a, 0), max(b, 0)
	return a + min(b, math.MaxInt64-a)
}

// A listener keeps an attempt's output and passes it on as it comes.
type listener struct {
	mu   sync.Mutex
	keep io.Writer
	tell func([]byte)
}

// Write never fails: an executor must not fail because nobody listens.
func (l *listener) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keep.Write(p) // a bounded buffer in memory
	l.tell(p)
	return len(p), nil
}

// A listening runner reads what programs say of themselves on their standard
// output, however much of it is kept.
type listening struct {
	*session.Runner
	said *jobs.Collector
}

// Run runs a command and listens to it.
func (l listening) Run(ctx context.Context, c gate.Command) (gate.CommandResult, error) {
	out := l.said.Stream()
	defer out.Close()
	c.Stdout = both(out, c.Stdout)
	return l.Runner.Run(ctx, c)
}

// RunLive is Run for executors that want standard error as it comes.
func (l listening) RunLive(ctx context.Context, c gate.Command, stderr io.Writer) (gate.CommandResult, error) {
	out := l.said.Stream()
	defer out.Close()
	c.Stdout = both(out, c.Stdout)
	return l.Runner.RunLive(ctx, c, stderr)
}

// heard is what listens to the programs of the attempt, or of a job of it.
func (t *trial) heard() *jobs.Collector {
	if t.job != nil {
		return t.job
	}
	return &t.jobs
}

func both(first, second io.Writer) io.Writer {
	if second == nil {
		return first
	}
	return io.MultiWriter(first, second)
}

// saidOfJobs is what an attempt said of itself, for the journal; nil if it said
// nothing and nobody wants to know.
func (t *trial) saidOfJobs(f *fault) *history.Telemetry {
	t.jobs.Add(jobs.Telemetry{Runs: t.outcome.Runs, Artifacts: t.outcome.Artifacts})
	said := t.jobs.Telemetry()
	if said.Empty() && !t.Rec.Run.Roles.Pipeline() {
		return nil
	}
	var failure *history.AttemptFailed
	if f != nil {
		failure = &f.AttemptFailed
	}
	return &history.Telemetry{Status: failure.Execution(t.outcome.Exit),
		Runs: said.Runs, Artifacts: said.Artifacts, Metrics: said.Metrics, Dropped: said.Dropped}
}
