package gate

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"
)

// Ask asks the gates of a phase, in order, one after the other, and returns every judgement. In planning those of a higher level
// come first, since their "no" makes all others idle. Gates that do not look in this phase are left out. Each gets its own copy of
// pass; pass itself gets no findings.
//
// Ask returns within the gates' limits also if a gate ignores its context: a moment before the limit (a tenth of it, at most
// 100 ms) the gate is told to stop, with a *TimeoutError as the cause; one that goes on all the same is left
// behind in its goroutine, and what it still reports is dropped. A panic of a gate becomes a *PanicError. When ctx ends, the gates
// that did not answer are judged undecided with its cause.
func (p *Panel) Ask(ctx context.Context, phase Phase, pass *Pass) []Judgement {
	var out []Judgement
	for n, g := range p.inOrder(phase) {
		info, err := describe(g)
		if err != nil { // Validate refuses these; if nobody asked it, the gate blocks
			out = append(out, Judgement{Gate: fmt.Sprintf("gate %d", n), Level: BlocksApproval, Phase: phase, Err: fmt.Errorf("gate: gate %d: %w", n, err)})
			continue
		}
		if slices.Contains(info.Phases, phase) {
			out = append(out, p.ask(ctx, g, info, phase, pass))
		}
	}
	return out
}

// inOrder are the gates in the order in which a phase asks them.
func (p *Panel) inOrder(phase Phase) []Gate {
	if phase != Planning {
		return p.Gates
	}
	level := func(g Gate) Level {
		info, err := describe(g)
		if err != nil {
			return BlocksApproval
		}
		return info.Level
	}
	gates := slices.Clone(p.Gates)
	slices.SortStableFunc(gates, func(a, b Gate) int { return cmp.Compare(level(b), level(a)) })
	return gates
}

func (p *Panel) ask(ctx context.Context, g Gate, info Info, phase Phase, pass *Pass) Judgement {
	j := Judgement{Gate: info.Name, Level: info.Level, Phase: phase, Stateless: info.Stateless}
	own := p.Prepare(pass)
	own.Phase = phase
	limit := info.Limit()
	if p.Timeouts != nil {
		limit = p.Timeouts(info)
	}
	start := time.Now()
	j.Err = judge(ctx, g, info.Name, limit, own)
	j.Took = time.Since(start)
	if j.Err == nil {
		v := own.Verdict()
		j.Verdict = &v
	}
	own.report.close()
	return j
}

// Prepare copies pass for one gate: with no findings, with the panel's checks and options, and with a
// runner that knows what the gate waits for.
func (p *Panel) Prepare(pass *Pass) *Pass {
	own := pass.Fresh()
	own.checks = p.Checks
	own.options = p.Options
	if own.Runner != nil {
		own.Runner = watched{own.Runner, own}
	}
	return own
}

// judge lets g judge, within limit. It returns nil if g decided.
func judge(ctx context.Context, g Gate, name string, limit time.Duration, pass *Pass) error {
	if err := context.Cause(ctx); err != nil {
		return fmt.Errorf("gate: %q was not asked: %w", name, err)
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	answer := make(chan error, 1)
	before, cpuKnown := cpuTime()
	go guarded(inner, g, name, pass, answer)

	var late <-chan time.Time
	grace := 100 * time.Millisecond
	if limit > 0 {
		grace = min(grace, limit/10)
		t := time.NewTimer(limit - grace)
		defer t.Stop()
		late = t.C
	}
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		farewell(answer, grace)
		return fmt.Errorf("gate: %q was stopped before it decided: %w", name, context.Cause(ctx))
	case <-late:
	}
	s := stop{limit: limit, waiting: pass.report.innermost(), cpuKnown: cpuKnown}
	cancel(&TimeoutError{Name: name, Limit: limit, Cause: Dependency, Evidence: "its time is up"})
	s.err, s.answered = farewell(answer, grace)
	if now, ok := cpuTime(); ok {
		s.cpu = now - before
	}
	return classify(name, s)
}

// farewell gives a gate that was told to stop a moment to answer.
func farewell(answer <-chan error, grace time.Duration) (err error, answered bool) {
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case err := <-answer:
		return err, true
	case <-t.C:
		return nil, false
	}
}

// guarded calls g and sends its answer; a panic, or a goroutine that ended itself, is one too.
func guarded(ctx context.Context, g Gate, name string, pass *Pass, answer chan<- error) {
	var err error
	returned := false
	defer func() {
		if !returned {
			err = &PanicError{Name: name, Value: fmt.Sprint(recover()), Stack: string(debug.Stack())}
		}
		answer <- err
	}()
	err = g.Judge(ctx, pass)
	returned = true
}

// A PanicError says that a gate panicked.
type PanicError struct {
	Name  string
	Value string // what it panicked with
	Stack string
}

func (e *PanicError) Error() string { return fmt.Sprintf("gate: %q panicked: %s", e.Name, e.Value) }
