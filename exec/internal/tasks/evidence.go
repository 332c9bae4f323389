package tasks

import (
	"context"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/counsel"
	"github.com/planlock/planlock/exec/internal/disturbance"
	"github.com/planlock/planlock/exec/internal/engine"
	"github.com/planlock/planlock/exec/internal/rewind"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/gate/evidence/search"
)

// Evidence is what the tasks of a run were to leave behind. Policy says how it
// is looked for.
type Evidence struct {
	*session.Session
	// Counsel may know another method for the step that left nothing.
	Counsel *counsel.Counsel
	// Rewind sets the run back, so that the step is carried out again.
	Rewind *rewind.Rewind
	Policy *search.Policy
}

// Look looks for the evidence of a task, and records what was found. Looking
// may ask servers and run commands, so the tree is looked at afterwards;
// whoever changed it has found nothing.
func (v *Evidence) Look(ctx context.Context, a engine.Verify) error {
	task, found := v.Contract.Task(a.Task), &history.Evidence{Task: a.Task, Retry: a.Retry, Action: a.Action}
	if _, err := v.Work.Known(ctx); err != nil {
		return err
	}
	policy, shown := v.Policy, v.ShownTask(task)
	found.Kind = policy.Type(shown)
	runs, artifacts := engine.Claimed(v.Rec.Run, task)
	found.Items = policy.Look(ctx, v.Work.Dir, v.Runner(nil), policy.Needs(shown, runs, artifacts))
	if session.Interrupted(ctx) {
		return nil // nothing was recorded; the loop stops
	}
	found.Pass = allFound(found.Items)
	found.Items = firstItems(found.Items)
	v.Rec.Seen.Forget(disturbance.StrangersRan...)
	facts := []history.Located{{Fact: found}}
	undo, changed, err := v.Work.UntouchedBy(ctx, "while evidence was looked for")
	if err != nil {
		return err
	}
	if changed != nil {
		found.Pass = false
		found.Items = append(found.Items, evidence.Item{Need: evidence.Need{Kind: evidence.Command},
			State: evidence.Unverifiable, Why: strings.Join(changed, "; ")})
		facts = append(facts, history.Located{Fact: undo})
	}
	return v.Rec.RecordAll(ctx, facts...)
}

// allFound reports whether all that was asked for was found. What nobody could
// verify was not found, and where nothing was asked for there is nothing to
// miss.
func allFound(items []evidence.Item) bool {
	return !slices.ContainsFunc(items, func(i evidence.Item) bool { return i.State != evidence.Found })
}

// firstItems are as many items as a journal takes, those that were not found
// first.
func firstItems(items []evidence.Item) []evidence.Item {
	if len(items) <= bound.Lines {
		return items
	}
	slices.SortStableFunc(items, func(a, b evidence.Item) int { return rank(a) - rank(b) })
	return items[:bound.Lines]
}

func rank(i evidence.Item) int {
	if i.State == evidence.Found {
		return 1
	}
	return 0
}
