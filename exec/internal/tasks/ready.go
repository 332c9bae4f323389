package tasks

import (
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// offered is how many ready jobs the reviewers of a task are offered, and recorded
// how many of the others the journal names.
const offered, recorded = 5, 5

// ready are the ready jobs for the step of a task that carries out jobs, the surest
// first. Those that reviewers are not to be offered say why.
func (p *Approvals) ready(ctx context.Context, task *plan.Task) ([]history.ReadyJob, error) {
	at := seatOf(task)
	if at < 0 || len(p.Ready) == 0 {
		return nil, nil
	}
	step := &task.Steps[at]
	does := method.Does(task, step)
	var fit []history.ReadyJob
	for _, r := range p.Ready {
		if r.Does == does {
			fit = append(fit, r)
		}
	}
	if len(fit) == 0 {
		return nil, nil
	}
	tree, err := p.Work.Known(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(fit, func(a, b history.ReadyJob) int {
		switch {
		case a.Confidence > b.Confidence:
			return -1
		case a.Confidence < b.Confidence:
			return 1
		}
		return 0
	})
	n, out := 0, fit[:0]
	for _, r := range fit {
		if r.Withheld == "" {
			r.Withheld = unfitFor(task, step, &r, tree)
		}
		if r.Withheld == "" && n == offered {
			r.Withheld = fmt.Sprintf("%d others are offered", n)
		}
		if r.Withheld == "" {
			n++
		}
		if r.Withheld == "" || len(out)-n < recorded {
			out = append(out, r)
		}
	}
	return out, nil
}

// seatOf is the place of the step that carries out the jobs of a task; -1 where the
// plan says how all its steps are done.
func seatOf(task *plan.Task) int {
	return slices.IndexFunc(task.Steps, func(step plan.Step) bool { return method.Runs(task, &step) })
}

// unfitFor says why a ready job cannot do a step; "" if it may.
func unfitFor(task *plan.Task, step *plan.Step, r *history.ReadyJob, tree *ledger.Tree) string {
	for _, e := range r.Entries {
		switch now, there := tree.Lookup(e.Path); {
		case !there || now.Kind != ledger.File:
			return fmt.Sprintf("it begins with %s, which is not there", ledger.Quote(e.Path))
		case now.Digest != e.Digest:
			return fmt.Sprintf("it begins with %s, which is not what went well: it was %s, and is %s",
				ledger.Quote(e.Path), e.Digest.Short(), now.Digest.Short())
		}
	}
	declared := method.Touched(task, step)
	for _, j := range r.Jobs {
		for _, a := range j.Artifacts {
			if name := path.Clean(a); len(declared) > 0 && !slices.ContainsFunc(declared, func(glob string) bool {
				return glob == name || ledger.Match(glob, name)
			}) {
				return fmt.Sprintf("it leaves %s, which step %s does not declare", ledger.Quote(name), step.Address)
			}
		}
	}
	return ""
}

// offers are ready jobs as reviewers are shown them.
func offers(ready []history.ReadyJob) (list []review.Offer) {
	for i := range ready {
		if ready[i].Withheld == "" {
			list = append(list, ready[i].Offer())
		}
	}
	return list
}
