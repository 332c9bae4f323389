package exec

import (
	"context"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/engine"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/gate/evidence"
)

// lookForEvidence looks, and records what was found.
func (e *execution) lookForEvidence(ctx context.Context, v engine.Verify) error {
	task, found := e.Contract.Task(v.Task), &history.Evidence{Task: v.Task, Retry: v.Retry, Action: v.Action}
	tree, err := e.Work.Known(ctx)
	if err != nil {
		return err
	}
	e.Work.Tree = tree
	policy, shown := e.c.Evidence, e.ShownTask(task)
	found.Kind = policy.Type(shown)
	found.Items = policy.Look(ctx, evidence.Place{Dir: e.Work.Dir, Runner: e.Runner(nil)},
		policy.Needs(shown, engine.Claim(e.Rec.Run, task)))
	if session.Interrupted(ctx) {
		return nil // nothing was recorded; the loop stops
	}
	found.Pass = evidence.Pass(found.Items)
	found.Items = firstItems(found.Items)
	e.Rec.Seen.Disturb(contract.StrangersRan)
	facts := []history.Located{{Fact: found}}
	undo, changed, err := e.Work.UntouchedBy(ctx, "while evidence was looked for")
	if err != nil {
		return err
	}
	if changed != nil {
		found.Pass = false
		found.Items = append(found.Items, evidence.Item{Need: evidence.Need{Kind: evidence.Command},
			State: evidence.Unverifiable, Why: strings.Join(changed, "; ")})
		facts = append(facts, history.Located{Fact: undo})
	}
	return e.Rec.RecordAll(ctx, facts...)
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
