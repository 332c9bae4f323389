package tasks

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/plan"
)

// Actions of a retry for missing evidence.
const (
	requery    = "requery"    // look again, after a while
	regenerate = "regenerate" // carry a step out again, with another method
)

// lateConfidence is how sure the controller itself is that a server which does
// not know a run yet, or calls it unfinished, may do so a little later.
const lateConfidence = 0.80

// Retry decides what is done about missing evidence: a step is carried out
// again where advice knows another method for it, else a server is asked once
// more after a while, else nothing.
func (v *Evidence) Retry(ctx context.Context, id string) error {
	task, seen := v.Contract.Task(id), v.Rec.Run.Task(id).Evidence()
	on := v.producer(task, seen.Items)
	if on.Carried != nil {
		return v.Rec.Record(ctx, history.Where{}, &history.EvidenceRetry{Task: task.ID, Retry: seen.Retry + 1,
			Terminal: fmt.Sprintf("step %s was carried over from %s", on.Address, on.Carried.Where())})
	}
	said, made, err := v.Counsel.ReflectOn(ctx, on, absent(seen.Items), advice.Verification,
		v.Method(on, on.Last().Method.Method))
	if err != nil || session.Interrupted(ctx) {
		return err
	}
	facts := on.Where(0).Locate(said)
	if made != nil {
		facts = append(facts, history.Located{Where: on.Where(0), Fact: made})
	}
	next := &history.EvidenceRetry{Task: task.ID, Retry: seen.Retry + 1, Confidence: said.Confidence}
	why := unfit(said, made)
	if why == "" {
		why = v.fixed(on)
	}
	switch {
	case why == "":
		next.Action, next.Step, next.Patch = regenerate, on.Address, made.ID
		return v.regenerate(ctx, on, next, facts)
	case v.remote(seen.Items) && said.Confidence < advice.Threshold:
		own := &history.Advised{Kind: string(advice.Reflection), Point: string(advice.Verification),
			Attempt: on.Tried(), Advisor: "evidence",
			RootCause: "logged late", Confidence: lateConfidence, Note: "a server may know later what it does not know now"}
		facts = append(facts, history.Located{Where: on.Where(0), Fact: own})
		next.Confidence = lateConfidence
		fallthrough
	case v.remote(seen.Items):
		next.Action, next.After = requery, v.Policy.Wait()
	default:
		next.Terminal = why
	}
	return v.Rec.RecordAll(ctx, append(facts, history.Located{Fact: next})...)
}

// regenerate sets the run back to before a step, so that it is carried out
// again with a patched method. That is the first rung of the new attempts: the
// journal says why they are made.
func (v *Evidence) regenerate(ctx context.Context, on *history.Step, next *history.EvidenceRetry,
	facts []history.Located) error {
	why := fmt.Sprintf("the evidence of task %s is missing: retry %d", next.Task, next.Retry)
	return v.Rewind.SetBack(ctx, on, history.ByEvidenceRetry, why, append(facts, history.Located{Fact: next}),
		&history.Recovery{Rung: "reflect", Method: next.Patch, Repeats: next.Retry, Why: why})
}

// absent is missing evidence as a failure.
func absent(items []evidence.Item) *history.AttemptFailed {
	f := &history.AttemptFailed{Class: history.MissingEvidence}
	for _, i := range items {
		if i.State != evidence.Found {
			f.Reasons = append(f.Reasons, i.Why)
		}
	}
	f.Reasons = bound.First(f.Reasons, bound.Lines)
	return f
}

// remote reports whether a server that can be asked is all that stands between a
// task and its evidence: everything else was found.
func (v *Evidence) remote(items []evidence.Item) bool {
	lacking := false
	for _, i := range items {
		if i.State == evidence.Found {
			continue
		}
		if !i.OnServer() || !v.Policy.Asks(i.Kind) {
			return false
		}
		lacking = true
	}
	return lacking
}

// producer is the step that should have left missing evidence behind: the first
// that declares some of it, else the last completed one of the task.
func (v *Evidence) producer(task *plan.Task, items []evidence.Item) (on *history.Step) {
	for _, i := range items {
		if i.State == evidence.Found {
			continue
		}
		if s := v.Rec.Run.Producer(task, i); on == nil || s != nil && s.Precedes(on) {
			on = s
		}
	}
	return on
}

// fixed says why a step cannot be carried out again; "" if it can.
func (v *Evidence) fixed(on *history.Step) string {
	after := false
	for _, s := range v.Rec.Run.Steps {
		if after = after || s == on; !after || len(s.Attempts) == 0 {
			continue
		}
		if s.Rollback == plan.Irreversible {
			return fmt.Sprintf("step %s cannot be undone", s.Address)
		}
		if v.About(s).LeftBehind(s) {
			return fmt.Sprintf("step %s changed something that restoring the tree does not undo", s.Address)
		}
	}
	return ""
}
