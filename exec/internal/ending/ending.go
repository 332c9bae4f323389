package ending

import (
	"context"
	"fmt"
	"slices"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/binding"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/deliveries"
	"github.com/planlock/planlock/exec/internal/people"
	"github.com/planlock/planlock/exec/internal/rewind"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/views"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Ending is how a run ends: what its steps came to, what the final gates say,
// and its documents.
type Ending struct {
	*session.Session
	Bound      *binding.Binding
	Rewind     *rewind.Rewind
	Deliveries *deliveries.Deliveries
	Views      *views.Views
}

// End decides how the run ended, and records that with what the final gates
// said. An isolated run that was carried out as planned is delivered first, so
// that a run that ended so has always reached the workspace. A refusal lets the run
// go: it ends when what moved is as it was.
func (e *Ending) End(ctx context.Context) error {
	if err := e.Deliveries.Look(ctx, nil); err != nil || e.Rec.Run.Foreign != nil {
		return err // somebody is asked first
	}
	ended, err := e.verdict(ctx)
	if err != nil {
		return e.LetGo(ctx, err)
	}
	if session.Interrupted(ctx) {
		return nil // the loop stops
	}
	facts := history.Judged(ended.judged).Facts()
	if ended.controlled != nil {
		facts = append(facts, ended.controlled)
	}
	if e.Rec.Run.Started.Isolated && !e.Rec.Run.Started.Shadow && ended.planned {
		if err := e.deliver(ctx, ended.Ended); err != nil || e.Rec.Run.Foreign != nil {
			return err
		}
	}
	if err := e.Work.ComeToRest(ctx); err != nil {
		return err
	}
	return e.Rec.Record(ctx, history.Where{}, append(facts, ended.Ended)...)
}

// A verdict is how a run ends, and what was said about it.
type verdict struct {
	*history.Ended
	judged     gate.Judgements
	controlled *history.Controlled
	planned    bool // all was carried out as planned, whether anybody looked at it or not
}

// verdict is how the run ends: what the steps came to, and what the final gates
// say of the tree as it is now. It only gets worse while it is found out, and a
// run that has not achieved anything is not judged.
func (e *Ending) verdict(ctx context.Context) (*verdict, error) {
	ended := &history.Ended{Status: history.Achieved, Tree: e.Rec.Run.Tree.Tree}
	lower := func(to history.Status, format string, args ...any) {
		if ended.Status != history.NotAchieved {
			ended.Status = to
		}
		ended.Reasons = append(ended.Reasons, fmt.Sprintf(format, args...))
	}
	for _, s := range e.Rec.Run.Steps {
		switch by := s.AbortedBy(); {
		case by != "":
			lower(history.NotAchieved, "the plan no longer holds: the run was aborted at step %s by %s", s.Address, by)
		case s.Status == history.Failed && s.Failed.Halts:
			lower(history.NotAchieved, "step %s failed and halted the run", s.Address)
		case s.Status == history.Failed:
			lower(history.Partial, "step %s failed", s.Address)
		case s.Status == history.Blocked && s.Blocked.By == s.Address:
			lower(history.Partial, "step %s did not begin: %s", s.Address, s.Blocked.Why)
		case s.Status == history.Blocked:
			lower(history.Partial, "step %s was blocked by %s", s.Address, s.Blocked.By)
		case s.Status == history.Skipped && s.Critical && !s.Skipped.Done:
			lower(history.Partial, "critical step %s was left out by %s", s.Address, s.Skipped.By)
		case s.FailedAndLeftOut() && s.Refusal != nil:
			lower(history.Partial, "step %s could not begin, and was left out by %s", s.Address, s.Skipped.By)
		case s.FailedAndLeftOut():
			lower(history.Partial, "step %s failed, and was left out by %s", s.Address, s.Skipped.By)
		case s.Status == history.Pending:
			lower(history.NotAchieved, "step %s %s", s.Address, s.Lacks())
		}
	}
	for i := range e.Rec.Run.Outcomes {
		said := &e.Rec.Run.Outcomes[i]
		if said.Undone || said.Status == history.Completed {
			continue
		}
		o := e.Rec.Run.Task(said.Task).Word() // of one that was blocked or left out the documents say so
		lower(history.Partial, "task %s is %s: %s", o.Task, o.Status, o.Reason)
	}
	if foreign, err := e.Work.LookAtAll(ctx); err != nil {
		return nil, err
	} else if len(foreign) > 0 {
		refused := e.Bound.Refusal()
		refused.Reasons = foreign
		return nil, refused
	}
	if ended.Status == history.NotAchieved {
		return &verdict{Ended: ended}, nil
	}
	if len(e.Rec.Run.Steps) > 0 && !slices.ContainsFunc(e.Rec.Run.Steps, func(s *history.Step) bool {
		return s.Status == history.Completed || s.Status == history.Skipped && s.Skipped.Done
	}) {
		lower(history.NotAchieved, "no step was completed")
	}
	judged, controlled, err := e.judgeRun(ctx)
	if err != nil {
		return nil, err
	}
	changed, err := e.leftAlone(ctx)
	if err != nil {
		return nil, err
	}
	for _, line := range changed {
		lower(history.NotAchieved, "the tree changed while the run was judged: %s", line)
	}
	for _, j := range judged.Blocking() {
		to := history.NotAchieved
		if j.Verdict != nil && j.Verdict.Result == gate.Partial {
			to = history.Partial // some of what makes the whole complete holds
		}
		for _, line := range j.Reasons() {
			lower(to, "%s", line)
		}
	}
	said := &verdict{Ended: ended, judged: judged, controlled: controlled, planned: ended.Status == history.Achieved}
	if ended.Status != history.NotAchieved {
		for _, line := range e.unverified(judged, controlled) {
			lower(history.Partial, "%s", line)
		}
	}
	return said, nil
}

// judgeRun asks the final gates about the tree as it is. What the run is bound
// to is looked at once more before, however lately that was done: nothing is
// attempted afterwards that would notice.
func (e *Ending) judgeRun(ctx context.Context) (gate.Judgements, *history.Controlled, error) {
	e.Rec.Seen.Forget(guard.Bindings)
	if err := e.Bound.Verify(ctx); err != nil {
		return nil, nil, err
	}
	tree, err := e.Work.Known(ctx)
	if err != nil {
		return nil, nil, err
	}
	pass := e.Pass(gate.Final, nil, e.Runner(nil))
	pass.Plan = e.completedPart()
	pass.Before, pass.After = e.Work.Base, tree
	if pass.Lasting, err = e.lasting(ctx, tree); err != nil {
		return nil, nil, err
	}
	if pass.Comparison, err = e.Sources.Compare(ctx, ledger.Diff(e.Work.Base, tree), pass.Content); err != nil {
		return nil, nil, err
	}
	e.Tell(event.Event{Kind: event.Judging, Phase: gate.Final})
	judged := e.Panel.Ask(ctx, pass)
	if len(judged.Blocking()) > 0 || session.Interrupted(ctx) {
		return judged, nil, nil
	}
	controlled, err := e.controlled(ctx, pass)
	if err == nil && people.Present(e.Session) && len(e.ungranted(judged)) > 0 {
		judged = append(judged, people.Look(ctx, e.Session, pass)...)
	}
	return judged, controlled, err
}

// completedPart is the plan as far as it was carried out: what steps declared
// that did not run is not expected of the final tree.
func (e *Ending) completedPart() *plan.Plan {
	part := *e.Plan
	part.Tasks = slices.Clone(e.Plan.Tasks)
	for i := range part.Tasks {
		part.Tasks[i].Steps = slices.DeleteFunc(slices.Clone(part.Tasks[i].Steps), func(s plan.Step) bool {
			done := e.Rec.Run.Step(s.Address)
			return done == nil || done.Status != history.Completed
		})
	}
	return &part
}

// leftAlone makes sure that judging the run changed nothing. What changed is
// named, kept and undone; in a clone it vanishes.
func (e *Ending) leftAlone(ctx context.Context) ([]string, error) {
	if e.Touchy {
		e.Work.Disturb()
	}
	if e.Work.Layered() {
		_, err := e.Work.TakeBack(ctx, e.Work.Tree)
		return nil, err
	}
	now, err := e.Work.Scanner.Scan(context.WithoutCancel(ctx), e.Work.Dir, e.Work.Tree)
	if err != nil {
		return nil, err
	}
	lines := worktree.Described(ledger.Diff(e.Work.Tree, now))
	if len(lines) == 0 {
		return nil, nil
	}
	if err := e.Rec.Record(ctx, history.Where{}, &history.RestoreBegun{To: e.Rec.Run.Tree}); err != nil {
		return nil, err
	}
	return bound.First(lines, 20), e.Rewind.RestoredRun(ctx)
}

// deliver brings what an isolated run made into the workspace. If anybody
// touched the workspace meanwhile, that is left alone and the run has not
// achieved its goal.
func (e *Ending) deliver(ctx context.Context, ended *history.Ended) error {
	why, err := e.Deliveries.DeliverAll(ctx)
	if len(why) > 0 {
		ended.Status = history.NotAchieved
		ended.Reasons = append(ended.Reasons, why...)
	}
	return err
}

// Seal draws the views and closes the journal for good. The digests of the
// views stand in its last record, so that somebody can prove that they were not
// edited.
func (e *Ending) Seal(ctx context.Context) error {
	if e.Rec.Run.Sealed != nil {
		return nil
	}
	e.Deliveries.LookAtTrash(ctx)
	e.Shown = nil // no step is carried out any more: a long plan is not held once more while documents are drawn
	views, err := e.Views.Draw(ctx)
	if err != nil {
		return err
	}
	if err := e.Rec.Record(ctx, history.Where{}, &history.Sealed{Views: views, Version: e.Version}); err != nil {
		return err
	}
	e.Note(ctx, checkpoint.Sealed)
	if e.Work.Layered() && !e.kept() {
		if err := layer.Discard(ctx, e.Work.Dir); err != nil {
			e.Rec.Log.Warn("the clone of the run cannot be removed", "err", err)
		}
	}
	if err := e.Work.DiscardLayers(ctx); err != nil {
		e.Rec.Log.Warn("the layers of the run cannot be removed", "err", err)
	}
	e.Work.Stamps().Drop(ctx)
	return nil
}

// kept reports whether the clone is kept for whoever wants to see what became
// of the run: nothing of it was delivered, and something was completed in it.
func (e *Ending) kept() bool {
	run := e.Rec.Run
	return run.Started.Isolated && !run.Started.Shadow && run.Delivered == nil && run.Tree != run.Placed
}
