// Package panel asks gates: it holds them to their time limits, survives their
// panics, and measures how long they take.
//
//	p := &panel.Panel{Gates: builtin.Gates(), Checks: checks.Kinds()}
//	if err := p.Validate(); err != nil {
//		return err
//	}
//	for _, j := range p.Ask(ctx, pass, gate.After) {
//		…
//	}
//
// A [Panel] asks the gates of a phase, one after the other and in order, each
// with findings of its own, and returns a [gate.Judgement] for each.
//
// A gate that gives no answer in time has not decided: its judgement holds a
// [*gate.TimeoutError] with the probable cause. That is never by itself a
// reason to ask again; [gate.Judgement.MayAskAgain] says when a host may do so
// lawfully.
//
// # What is not promised
//
// Gates run in this process: a panel cannot end one that ignores its context.
// It returns in time all the same, drops what the gate still reports, and
// leaves its goroutine behind.
package panel
