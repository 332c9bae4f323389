package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/git"
	"github.com/planlock/planlock/ledger/source"
)

// A fault is why an attempt counts for nothing.
type fault struct{ history.AttemptFailed }

func faultf(class history.Class, format string, args ...any) *fault {
	return &fault{AttemptFailed: history.AttemptFailed{Class: class, Reasons: []string{fmt.Sprintf(format, args...)}}}
}

// before asks whether a step may begin, and records its checkpoint. Questions
// are answered before anything is attempted.
func (e *execution) before(ctx context.Context, s *history.Step, start *history.StepStarted) error {
	tree, err := e.Work.Known(ctx)
	if err != nil {
		return err
	}
	e.Work.Tree = tree
	r := e.Runner(nil)
	pass := e.Pass(gate.Before, s, r)
	pass.Before, pass.After = tree, tree
	judged := e.askGates(ctx, s, gate.Before, pass)
	facts := append([]history.Fact{start}, history.Judgements(judged)...)
	if session.Interrupted(ctx) {
		return nil // nothing was recorded; the loop stops
	}
	if blocking := gate.Blocking(judged); len(blocking) > 0 {
		f := blocked(blocking)
		if f.Class == history.GateFailed {
			f.Class = history.Refused
		}
		facts = append(facts, f.bounded())
	}
	if r.Ran() || e.Touchy {
		undone, err := e.smuggled(ctx)
		if err != nil {
			return err
		}
		if len(undone) > 0 {
			if err := e.Rec.Record(ctx, history.Of(s, 0), append(facts, undone...)...); err != nil {
				return err
			}
			return e.restored(ctx, s, 0)
		}
	}
	if len(gate.Blocking(judged)) > 0 {
		return e.Rec.Record(ctx, history.Of(s, 0), facts...)
	}
	return e.Rec.Stage(ctx, history.At(history.Of(s, 0), facts...)...) // durable once the attempt is
}

// smuggled looks whether judging changed the tree before anything was
// attempted. It returns what is to be recorded then: the refusal, and the
// restore.
func (e *execution) smuggled(ctx context.Context) ([]history.Fact, error) {
	now, err := e.Work.Scanner.Scan(context.WithoutCancel(ctx), e.Work.Dir, e.Work.Tree)
	if err != nil {
		return nil, err
	}
	if now.Digest() == e.Rec.Run.Tree.Tree {
		e.Work.Found(now)
		return nil, nil
	}
	f := faultf(history.Refused, "the tree changed before the step began, and gates and checks must not change it")
	for _, change := range ledger.Diff(e.Work.Tree, now) {
		f.Reasons = append(f.Reasons, change.String())
	}
	return []history.Fact{f.bounded(), &history.RestoreBegun{To: e.Rec.Run.Tree}}, nil
}

// judge looks at what an attempt did. It returns nil if the attempt counts.
func (e *execution) judge(ctx context.Context, t *trial) *fault {
	look := context.WithoutCancel(ctx)
	if f := e.account(look, t); f != nil {
		return f
	}
	git, f := e.gitMoved(t)
	if f != nil {
		return f
	}
	if moved, err := e.bound.MovedBesides(look, git); err != nil {
		return faultf(history.Moved, "%v", err)
	} else if moved != nil {
		f := faultf(history.Moved, "the step moved what the run depends on")
		f.Reasons = append(f.Reasons, moved.Reasons...)
		return f
	}
	if t.err != nil {
		return e.executorFault(ctx, t)
	}
	if t.fault != nil {
		return t.fault
	}
	for _, phase := range []gate.Phase{gate.During, gate.After} {
		if f := e.judgePhase(ctx, t, phase); f != nil {
			return f
		}
	}
	return e.gatesLeftNothing(look, t)
}

// account scans the tree and sets what was declared against what happened.
func (e *execution) account(ctx context.Context, t *trial) *fault {
	var err error
	t.runner.Forget() // what ran before the scan is in it
	if t.after, err = e.Work.Scanner.Scan(ctx, e.Work.Dir, t.before); err != nil {
		return faultf(history.Crashed, "the tree cannot be read: %v", err)
	}
	entry := &history.Accounted{Tree: t.after.Digest(), Changes: ledger.Diff(t.before, t.after)}
	e.Work.Touched(e.Work.Dir, entry.Changes)
	var inline checkpoint.Inline
	t.snap, inline, err = e.Work.Snapshot(ctx, t.after)
	switch {
	case noSpace(err):
		return faultf(history.NoSpace, "what the step did cannot be kept, which takes up to %d bytes: %v",
			size(entry.Changes), err)
	case err != nil:
		return faultf(history.Crashed, "what the step did cannot be kept: %v", err)
	}
	if t.step.Artifacts != nil {
		entry.Declared = t.step.Artifacts.Declared()
	}
	content := e.Work.Content(e.Work.Dir)
	if entry.Symbols, _, err = source.Symbols(ctx, entry.Changes, content, content); err != nil {
		return faultf(history.Crashed, "the symbols cannot be read: %v", err)
	}
	if entry.Lines, entry.PerPath, err = ledger.Lines(ctx, entry.Changes, content, content); err != nil {
		return faultf(history.Crashed, "the changes cannot be read: %v", err)
	}
	entry.Account = ledger.Reconcile(entry.Declared, entry.Changes, entry.Symbols)
	t.entry = entry
	if t.journalled, err = e.abridge(ctx, entry); err != nil {
		return faultf(history.Crashed, "the account cannot be kept: %v", err)
	}
	t.journalled.Inline = inline
	return nil
}

// snapshot keeps a tree that differs little from the accepted one. What it
// returns has to go into the journal with it; a host's own store keeps
// everything itself. size is how many bytes the new contents of changes have.
func size(changes []ledger.Change) int64 {
	var n int64
	for _, c := range changes {
		if c.After != nil {
			n += c.After.Size
		}
	}
	return n
}

// gitMoved looks at the repository, which no step may change and nothing
// restores.
func (e *execution) gitMoved(t *trial) (now ledger.GitState, f *fault) {
	now, err := git.Read(e.Work.Root)
	if err != nil {
		return now, faultf(history.Unrestorable, "the repository cannot be read: %v", err)
	}
	if t.entry.Git = e.Rec.Run.Git.Moved(now); len(t.entry.Git) > 0 {
		return now, faultf(history.Unrestorable, "the step changed the repository, which planlock never touches: %s",
			strings.Join(t.entry.Git, ", "))
	}
	return now, nil
}

// executorFault says what an executor's error means.
func (e *execution) executorFault(ctx context.Context, t *trial) *fault {
	var late *gate.TimeoutError
	switch {
	case session.Interrupted(ctx):
		return faultf(history.Interrupted, "the run was interrupted: %v", context.Cause(ctx))
	case errors.As(t.err, &late):
		f := faultf(history.TimedOut, "%v", t.err)
		f.Cause = late.Cause
		if f.Cause == "" {
			f.Cause = stall(t)
		}
		return f
	case noSpace(t.err):
		return faultf(history.NoSpace, "%v", t.err)
	case errors.Is(t.err, errRequested):
		return faultf(history.Interrupted, "%v", errRequested)
	case errors.Is(t.err, ErrContextExhausted):
		return faultf(history.ContextExhausted, "%v", t.err)
	case noMemory(t.err):
		return faultf(history.OutOfMemory, "%v", t.err)
	}
	return faultf(history.Crashed, "%v", t.err)
}

// stall is the likely cause of an executor's time-out: a model where a prompt
// was carried out, else a program that stood still.
func stall(t *trial) gate.Cause {
	if t.method.Prompt != "" {
		return gate.ModelStall
	}
	return gate.Deadlock
}

// judgePhase asks the gates of a phase about an attempt.
func (e *execution) judgePhase(ctx context.Context, t *trial, phase gate.Phase) *fault {
	pass := e.Pass(phase, t.s, t.runner)
	pass.Attempt, pass.Before, pass.After = t.number, t.before, t.after
	pass.Changes, pass.Account, pass.Symbols, pass.Lines = t.entry.Changes, &t.entry.Account, t.entry.Symbols,
		t.entry.Lines
	pass.Output = &gate.Output{Text: t.outcome.Output, Stdout: t.outcome.Stdout, Exit: t.outcome.Exit}
	judged := e.askGates(ctx, t.s, phase, pass)
	t.judged = append(t.judged, judged...)
	if session.Interrupted(ctx) {
		return faultf(history.Interrupted, "the run was interrupted: %v", context.Cause(ctx))
	}
	if blocking := gate.Blocking(judged); len(blocking) > 0 {
		return blocked(blocking)
	}
	return nil
}

// gatesLeftNothing makes sure that judging changed nothing.
func (e *execution) gatesLeftNothing(ctx context.Context, t *trial) *fault {
	if !t.runner.Ran() && !e.Touchy {
		return nil
	}
	now, err := e.Work.Scanner.Scan(ctx, e.Work.Dir, t.after)
	if err != nil {
		return faultf(history.Crashed, "the tree cannot be read: %v", err)
	}
	if now.Digest() == t.after.Digest() {
		t.after = now
		return nil
	}
	if snap, err := e.Rec.Store.Snapshot(ctx, e.Work.Dir, now, e.Rec.Run.Tree); err == nil {
		t.snap = snap // somebody may have worked here meanwhile
	}
	f := faultf(history.GateFailed, "the tree changed while it was judged, and gates and checks must not change it")
	for _, ch := range ledger.Diff(t.after, now) {
		f.Reasons = append(f.Reasons, ch.String())
	}
	return f
}

// askGates asks the gates of a phase, and says so.
func (e *execution) askGates(ctx context.Context, s *history.Step, phase gate.Phase, pass *gate.Pass) []gate.Judgement {
	e.Tell(event.Event{Kind: event.Judging, Step: s.Address, Attempt: pass.Attempt, Phase: phase})
	return e.Panel.Ask(ctx, phase, pass)
}

// blocked is the fault that blocking judgements stand for.
func blocked(js []gate.Judgement) *fault {
	f := &fault{AttemptFailed: history.AttemptFailed{Class: history.GateFailed}}
	for _, j := range js {
		f.Reasons = append(f.Reasons, session.Why(j)...)
		switch {
		case j.Verdict != nil:
			f.Findings = append(f.Findings, j.Verdict.Findings...)
			if breach(j.Verdict.Findings) {
				f.Class = history.Breach
			}
		case f.Class == history.GateFailed && len(js) == 1:
			f.Class = history.Undecided
		}
	}
	if f.Class == history.GateFailed {
		f.Class = lacking(f.Findings)
	}
	return f
}

// lacking is the class of a failure of which all findings are of one kind.
func lacking(findings []gate.Finding) history.Class {
	only := func(code string) bool {
		return len(findings) > 0 && !slices.ContainsFunc(findings, func(f gate.Finding) bool { return f.Code != code })
	}
	switch {
	case only(gate.CodeExpectedOutput):
		return history.SchemaMismatch
	case only(gate.CodeEvidenceMissing):
		return history.MissingEvidence
	}
	return history.GateFailed
}

// breach reports whether findings say that the step did something else than it
// declared.
func breach(findings []gate.Finding) bool {
	for _, f := range findings {
		switch f.Code {
		case gate.CodeArtifactMissing, gate.CodeArtifactExtra, gate.CodeArtifactKind, gate.CodeSymbolMissing,
			gate.CodeSymbolExtra, gate.CodeLimitFiles, gate.CodeLimitLines, gate.CodeLimitModules, gate.CodeNonGoal,
			gate.CodeSemanticClass:
			return true
		}
	}
	return false
}
