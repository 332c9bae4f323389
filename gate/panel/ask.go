package panel

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/planlock/planlock/gate"
)

// Ask asks the gates of each phase, in order, one after the other, and returns
// every judgement. The first phase in which something blocks is the last; where
// none is named, it is that of pass. In planning the gates of a higher level
// come first, since their "no" makes all others idle. Gates that do not look in
// a phase are left out. Each gets its own copy of pass; pass itself gets no
// findings.
//
// Ask returns within the gates' limits also if a gate ignores its context: a
// moment before the limit (a tenth of it, at most 100 ms) the gate is told to
// stop, with a *TimeoutError as the cause; one that goes on all the same is
// left behind in its goroutine, and what it still reports is dropped. A panic
// of a gate becomes a *PanicError. When ctx ends, the gates that did not answer
// are judged undecided with its cause.
func (p *Panel) Ask(ctx context.Context, pass *gate.Pass, phases ...gate.Phase) gate.Judgements {
	if len(phases) == 0 {
		return p.ask(ctx, pass, pass.Phase)
	}
	var all gate.Judgements
	for _, phase := range phases {
		judged := p.ask(ctx, pass, phase)
		if all = append(all, judged...); len(judged.Blocking()) > 0 {
			break
		}
	}
	return all
}

// ask asks the gates of one phase.
func (p *Panel) ask(ctx context.Context, pass *gate.Pass, phase gate.Phase) gate.Judgements {
	due := make([]asked, 0, 16) // few look in one phase
	out := make(gate.Judgements, 0, 16)
	for n, g := range p.inOrder(phase) {
		info, err := describe(g)
		switch {
		case err != nil: // Validate refuses these; if nobody asked it, the gate blocks
			out = append(out, gate.Judgement{Gate: fmt.Sprintf("gate %d", n), Level: gate.BlocksApproval,
				Phase: phase, Err: fmt.Errorf("gate: gate %d: %w", n, err)})
		case slices.Contains(info.Phases, phase):
			due = append(due, asked{gate: g, name: info.Name, limit: p.limit(info), at: len(out)})
			out = append(out, gate.Judgement{Gate: info.Name, Level: info.Level, Phase: phase,
				Stateless: info.Stateless})
		}
	}
	if len(out) == 0 {
		return nil
	}
	r := round{panel: p, ctx: ctx, phase: phase, asked: slices.Clone(due), out: slices.Clone(out)}
	r.prepare(pass)
	r.ask()
	return r.out
}

// inOrder are the gates in the order in which a phase asks them.
func (p *Panel) inOrder(phase gate.Phase) []gate.Gate {
	if phase != gate.Planning {
		return p.Gates
	}
	level := func(g gate.Gate) gate.Level {
		info, err := describe(g)
		if err != nil {
			return gate.BlocksApproval
		}
		return info.Level
	}
	gates := slices.Clone(p.Gates)
	slices.SortStableFunc(gates, func(a, b gate.Gate) int { return cmp.Compare(level(b), level(a)) })
	return gates
}

// limit is how long a gate may take here; 0: as long as it likes.
func (p *Panel) limit(info gate.Info) time.Duration {
	if p.Timeouts != nil {
		return p.Timeouts(info)
	}
	return info.Limit()
}
