package exec

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/exec/internal/jobs"
	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/exec/internal/question"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A trial is one attempt while it is judged.
type trial struct {
	s       *history.Step
	task    *plan.Task
	step    *plan.Step
	number  int
	method  method.Method
	runner  *session.Runner
	outcome Outcome
	err     error          // of the executor
	jobs    jobs.Collector // what its programs said of themselves
	took    time.Duration

	before, after *ledger.Tree
	snap          record.Snapshot
	entry         *history.Accounted
	journalled    *history.Accounted // entry, or as much of it as a journal takes
	judged        []gate.Judgement
	telemetry     *history.Telemetry // nil: nothing is to be recorded

	limit   time.Duration // of the attempt; 0: none
	inputs  ledger.Digest // all that the executor begins with
	cycle   flow.Cycle    // how its test is written first
	carried []history.Cycle
	phase   history.CyclePhase // now
	fault   *fault             // found before the attempt was judged
	differs *history.Differs
}

// attempt executes one method, accounts for what it did, and has it judged.
func (e *execution) attempt(ctx context.Context, s *history.Step, m method.Method) error {
	at := e.Contract.At(s.Address)
	task, step := at.Task, at.Step
	if m.Executor == "" {
		m.Executor = step.Executor
	}
	t := &trial{s: s, task: task, step: contract.Granted(step, s.Addenda), number: s.Tried() + 1, method: m,
		before: e.Work.Tree, runner: e.Runner(step)}
	executor, err := e.c.executor(m.Executor)
	if err != nil {
		return err
	}
	if e.Work.Tree, err = e.Work.Known(ctx); err != nil {
		return err
	}
	t.before = e.Work.Tree
	from, err := e.prepare(t)
	if err != nil {
		return err
	}
	started := &history.AttemptStarted{Method: m.ID, Text: m.Description, Executor: m.Executor, Inputs: t.inputs,
		Phase: from}
	if a := reinstated(s); a != nil {
		executor, started.Reinstates = e.reinstate(a), a.Number
		t.cycle, t.inputs, started.Inputs, started.Phase = flow.Cycle{}, "", "", ""
	}
	started.Stamps = e.Work.KeepStamps(ctx)
	if err := e.Rec.Begin(ctx, s, t.number, started); err != nil {
		return err
	}
	e.Work.Ours = true
	e.perform(ctx, t, executor)
	e.Rec.Seen.Disturb(contract.Attempted)
	fault := e.judge(ctx, t)
	if fault == nil {
		fault = e.compare(ctx, t)
	}
	t.telemetry = e.telemetry(t, fault)
	if fault == nil {
		return e.accept(ctx, t)
	}
	return e.undo(ctx, t, fault)
}

// execute calls the executor, within the step's time.
func (e *execution) execute(ctx context.Context, t *trial, x Executor) {
	if limit := t.left(); limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit,
			&gate.TimeoutError{Name: "step " + string(t.s.Address), Limit: t.limit})
		defer cancel()
	}
	ctx, unwatch := e.watch(ctx)
	defer unwatch()
	live := process.NewTail(bound.Output)
	shown := e.Shown.At(t.s.Address)
	w := Work{
		RunID: e.Rec.Run.Started.Run, Goal: e.Plan.Goal, Task: shown.Task, Step: shown.Step, Method: t.method,
		Attempt: t.number,
		Dir:     e.Work.Dir, Feedback: append(e.feedback(t.s), t.method.Feedback...),
		Runner: listening{t.runner, &t.jobs}, Phase: t.phase, Compress: e.Rec.Run.Flow.Warned,
		Output: &listener{keep: live, tell: func(p []byte) {
			e.Tell(event.Event{Kind: event.Output, Step: t.s.Address, Attempt: t.number, Output: p})
		}},
	}
	begin, earlier := time.Now(), t.outcome
	t.outcome, t.err = call(ctx, x, w)
	t.took += time.Since(begin)
	if t.err == nil && ctx.Err() != nil {
		t.err = context.Cause(ctx) // it came back because it was told to
	} else if cause := context.Cause(ctx); cause != nil && !errors.Is(t.err, cause) {
		t.err = fmt.Errorf("%w: %w", cause, t.err)
	}
	text := live.String()
	if t.outcome.Output != "" {
		tail := process.NewTail(bound.Output)
		fmt.Fprint(tail, text, t.outcome.Output)
		text = tail.String()
	}
	t.outcome.Output = text
	t.outcome = earlier.and(t.outcome)
}

// call calls the executor; a panic in it is a failure of the attempt.
func call(ctx context.Context, x Executor, w Work) (out Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("exec: the executor panicked: %v\n%s", p, debug.Stack())
		}
	}()
	return x.Execute(ctx, w)
}

// feedback is why earlier attempts failed, and what people said about it. That
// one was cut off tells nobody anything.
func (e *execution) feedback(s *history.Step) []string {
	all := e.foundBefore(s.Task)
	for _, a := range s.Attempts {
		if a.Failure != nil && !flow.ThroughNoFault(a.Failure.Class) {
			all = append(all, a.Failure.Reasons...)
		}
		if a.Said != nil && a.Said.Summary != "" {
			all = append(all, "summary of attempt "+strconv.Itoa(a.Number)+": "+a.Said.Summary)
		}
	}
	for _, x := range s.Questions {
		if x.Answer != nil && x.Answer.Choice == question.Again && x.Answer.Reason != "" {
			all = append(all, fmt.Sprintf("%s says: %s", x.Answer.By, x.Answer.Reason))
		}
	}
	for _, x := range s.Questions {
		if x.Answer != nil && x.Answer.Choice == question.Propose {
			all = append(all, x.Answer.By+" proposes: "+x.Answer.Reason)
		}
	}
	return all
}

// said is what the executor said, for the journal.
func (t *trial) said() *history.AttemptEnded {
	said := &history.AttemptEnded{Output: t.outcome.Output, Exit: t.outcome.Exit, Took: t.took,
		Tokens: addTokens(t.outcome.Usage.InputTokens, t.outcome.Usage.OutputTokens), Calls: t.outcome.Usage.Calls,
		Metrics: finite(t.outcome.Metrics), Stateful: t.outcome.Stateful,
		Summary: bound.Text(t.outcome.Summary, bound.Output)}
	if t.err != nil {
		said.Error = bound.Text(t.err.Error(), bound.Output)
	}
	return said
}

// facts are everything known about the trial, in order.
func (t *trial) facts() []history.Fact {
	facts := []history.Fact{t.said()}
	if t.telemetry != nil {
		facts = append(facts, t.telemetry)
	}
	if t.entry != nil {
		facts = append(facts, t.journalled)
	}
	if t.differs != nil {
		facts = append(facts, t.differs)
	}
	return append(facts, history.Judgements(t.judged)...)
}

// nobodyIsTold reports whether nobody but this controller can know, before the
// next attempt begins, that t completed its step, and nothing is done until
// then that takes its time: no observer, nothing of the host or of a sandbox,
// no end of a task, no preconditions.
func (e *execution) nobodyIsTold(t *trial) bool {
	next := e.Contract.At(t.s.Address).Next
	return e.Rec.Seen.Holds(contract.Bindings) && next != nil && len(next.Preconditions) == 0 && !e.Observed
}

// accept makes the new tree the one that we left.
func (e *execution) accept(ctx context.Context, t *trial) error {
	facts := append(t.facts(), &history.StepCompleted{Snapshot: t.snap, Method: t.method.ID})
	if !t.runner.Ran() && !e.Touchy && !e.Observed {
		e.Rec.Seen.Saw(contract.Bindings) // judging looked at them, and nobody had the occasion since
	}
	if err := e.Rec.Complete(ctx, t.s, t.number, facts, e.nobodyIsTold(t)); err != nil {
		// It cannot be made durable, so it has not happened.
		_, again := e.Work.Restore(ctx, e.Work.Dir, e.Rec.Run.Tree)
		return errors.Join(err, again)
	}
	e.Work.Accepted(t.after)
	return nil
}

// finite leaves out what is no number.
func finite(metrics map[string]float64) map[string]float64 {
	kept := map[string]float64{}
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		if v := metrics[name]; len(name) <= jobs.MaxName && len(kept) < jobs.MaxMetrics && !math.IsNaN(v) &&
			!math.IsInf(v, 0) {
			kept[strings.ToValidUTF8(name, "\uFFFD")] = v
		}
	}
	return kept
}

// addTokens adds counts that executors claim: a negative one is none, and what
// is more than can be counted stays the most that can be.
func addTokens(a, b int64) int64 {
	a, b = max(a, 0), max(b, 0)
	return a + min(b, math.MaxInt64-a)
}

// noMemory reports whether err says that the executor ran out of memory.
func noMemory(err error) bool {
	return errors.Is(err, syscall.ENOMEM) || errors.Is(err, process.ErrOutOfMemory)
}

// noSpace reports whether err says that the disk is full.
func noSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, errQuota)
}
