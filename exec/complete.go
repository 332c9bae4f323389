package exec

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/planlock/planlock/exec/bound"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/plan"
)

// end decides how the run ended.
func (e *execution) end(ctx context.Context) error {
	ended, judged, err := e.verdict(ctx)
	if err != nil {
		return e.letGo(ctx, err)
	}
	if interrupted(ctx) {
		return e.pause(ctx, "interrupted", context.Cause(ctx))
	}
	facts := history.Judgements(judged)
	if e.rec.Run.Started.Isolated && !e.rec.Run.Started.Shadow && ended.Status == history.Achieved {
		if err := e.deliver(ctx, ended); err != nil {
			return err
		}
	}
	if err := e.work.ComeToRest(ctx); err != nil {
		return err
	}
	return e.rec.Record(ctx, history.Where{}, append(facts, ended)...)
}

// verdict is how the run ends: what the steps came to, and what the final gates
// say of the tree as it is now.
func (e *execution) verdict(ctx context.Context) (*history.Ended, []gate.Judgement, error) {
	ended := &history.Ended{Status: history.Achieved, Tree: e.rec.Run.Tree.Tree}
	lower := func(to history.Status, format string, args ...any) {
		if ended.Status != history.NotAchieved {
			ended.Status = to
		}
		ended.Reasons = append(ended.Reasons, fmt.Sprintf(format, args...))
	}
	for _, s := range e.rec.Run.Steps {
		switch {
		case s.Status == history.Failed && s.Failed.Halts:
			lower(history.NotAchieved, "step %s failed and halted the run", s.Address)
		case s.Status == history.Failed:
			lower(history.Partial, "step %s failed", s.Address)
		case s.Status == history.Blocked:
			lower(history.Partial, "step %s was blocked by %s", s.Address, s.Blocked.By)
		case s.Status == history.Skipped && s.Critical && !s.Skipped.Done:
			lower(history.Partial, "critical step %s was left out by %s", s.Address, s.Skipped.By)
		case s.Status == history.Pending:
			lower(history.NotAchieved, "step %s did not run", s.Address)
		}
	}
	for _, o := range e.rec.Run.Outcomes {
		if !o.Undone && o.Status != history.TaskCompleted {
			lower(history.Partial, "task %s is %s: %s", o.Task, o.Status, o.Reason)
		}
	}
	if foreign, err := e.work.LookAtAll(ctx); err != nil {
		return nil, nil, err
	} else if len(foreign) > 0 {
		refused := e.refusal()
		refused.Reasons = foreign
		return nil, nil, refused
	}
	if ended.Status == history.NotAchieved {
		return ended, nil, nil
	}
	if len(e.rec.Run.Steps) > 0 && !slices.ContainsFunc(e.rec.Run.Steps, func(s *history.Step) bool {
		return s.Status == history.Completed || s.Status == history.Skipped && s.Skipped.Done
	}) {
		lower(history.NotAchieved, "no step was completed")
	}
	judged, err := e.judgeRun(ctx)
	if err != nil {
		return nil, nil, err
	}
	changed, err := e.leftAlone(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, line := range changed {
		lower(history.NotAchieved, "the tree changed while the run was judged: %s", line)
	}
	for _, j := range gate.Blocking(judged) {
		for _, line := range describe(j) {
			lower(history.NotAchieved, "%s", line)
		}
	}
	return ended, judged, nil
}

// judgeRun asks the final gates about the tree as it is.
func (e *execution) judgeRun(ctx context.Context) ([]gate.Judgement, error) {
	e.rec.Seen.Forget(contract.Bindings)
	if err := e.verify(ctx); err != nil {
		return nil, err
	}
	tree, err := e.work.Known(ctx)
	if err != nil {
		return nil, err
	}
	e.work.Tree = tree
	pass := e.pass(gate.Final, nil, e.runner(nil))
	pass.Plan = e.completedPart()
	pass.Before, pass.After = e.work.Base, tree
	pass.Changes = ledger.Diff(e.work.Base, tree)
	if pass.Symbols, _, err = source.Symbols(ctx, pass.Changes, pass.Content, pass.Content); err != nil {
		return nil, err
	}
	if pass.Lines, _, err = ledger.Lines(ctx, pass.Changes, pass.Content, pass.Content); err != nil {
		return nil, err
	}
	judged := e.panel.Ask(ctx, gate.Final, pass)
	for i := range judged {
		e.notify(e.c.Observer.GateJudged, Event{Gate: &judged[i]})
	}
	return judged, nil
}

// completedPart is the plan as far as it was carried out: what steps declared
// that did not run is not expected of the final tree.
func (e *execution) completedPart() *plan.Plan {
	part := *e.plan
	part.Tasks = slices.Clone(e.plan.Tasks)
	for i := range part.Tasks {
		part.Tasks[i].Steps = slices.DeleteFunc(slices.Clone(part.Tasks[i].Steps), func(s plan.Step) bool {
			done := e.rec.Run.Step(s.Address)
			return done == nil || done.Status != history.Completed
		})
	}
	return &part
}

// leftAlone makes sure that judging the run changed nothing. What changed is
// named, kept and undone.
func (e *execution) leftAlone(ctx context.Context) ([]string, error) {
	now, err := e.work.Scanner.Scan(context.WithoutCancel(ctx), e.work.Dir, e.work.Tree)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, change := range ledger.Diff(e.work.Tree, now) {
		lines = append(lines, change.String())
	}
	if len(lines) == 0 {
		return nil, nil
	}
	if err := e.rec.Record(ctx, history.Where{}, &history.RestoreBegun{To: e.rec.Run.Tree}); err != nil {
		return nil, err
	}
	return bound.First(lines, 20), e.restoredRun(ctx)
}

// deliver moves the workspace to the tree of an isolated run. If anybody
// touched the workspace meanwhile, it is left alone and the run has not
// achieved its goal.
func (e *execution) deliver(ctx context.Context, ended *history.Ended) error {
	if e.rec.Run.Delivered != nil {
		return nil // the controller died between the delivery and the end
	}
	have, err := e.work.Scanner.Scan(ctx, e.work.Root, nil)
	if err != nil {
		return err
	}
	if base := e.rec.Run.Started.Base.Tree; have.Digest() != base {
		ended.Status = history.NotAchieved
		ended.Reasons = append(ended.Reasons, fmt.Sprintf(
			"the workspace changed while the run worked in its clone (%s now, %s before): it was left alone, the clone is kept", have.Digest().Short(), base.Short()))
		return nil
	}
	if err := e.rec.Record(ctx, history.Where{}, &history.RestoreBegun{To: e.rec.Run.Tree,
		Discarded: e.rec.Run.Started.Base, Deliver: true}); err != nil {
		return err
	}
	return e.restoredRun(ctx)
}

// seal draws the views and closes the journal for good.
func (e *execution) seal(ctx context.Context) error {
	if e.rec.Run.Sealed != nil {
		return nil
	}
	d := disk.From(ctx)
	ws := e.workspace()
	views, err := e.drawDocuments(d, ws)
	if err != nil {
		return err
	}
	if err := e.rec.Record(ctx, history.Where{}, &history.Sealed{Views: views}); err != nil {
		return err
	}
	if e.rec.Run.Delivered != nil || e.rec.Run.Started.Shadow || e.rec.Run.Started.Isolated &&
		e.rec.Run.Ended.Status != history.Achieved && e.untouched() {
		if err := d.Anywhere().RemoveAll(filepath.Join(ws.RunDir(e.rec.Run.Started.Run), "clone")); err != nil {
			e.rec.Log.Warn("the clone of the run cannot be removed", "err", err)
		}
	}
	e.work.DropStamps(ctx)
	e.notify(e.c.Observer.RunEnded, Event{Err: outcome(e.rec.Run)})
	return nil
}

// untouched reports whether nothing was completed in the clone.
func (e *execution) untouched() bool { return e.rec.Run.Tree == e.rec.Run.Started.Base }
