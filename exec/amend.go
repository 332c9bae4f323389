package exec

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/plan"
)

// An Amendment adds steps to the plan of a run that has not ended.
type Amendment struct {
	// Draft is the whole plan: what the run has, as it was, and the steps that
	// are new. Where the run's plan lies in the workspace, it is watched, so
	// the draft must be read from the same files.
	Draft *plan.Draft
	// Acknowledged are codes of what a person accepted: those that the new
	// steps need, as for [Controller.Lock], and the one of the amendment
	// itself, see [AmendmentCode].
	Acknowledged []string
	By, Reason   string // who wants it, and why; may be empty
}

// An Amended run goes on under another plan.
type Amended struct {
	Run    string
	Added  []plan.Address // in the order of execution
	Locked *plan.Locked   // what to resume the run with
}

// AmendmentCode is what confirms that a run goes on under a plan: "amend:" and
// the first half of the plan's digest. So nobody confirms another plan than was
// looked at.
func AmendmentCode(p *plan.Plan) string {
	_, hex, _ := strings.Cut(string(p.Digest()), ":")
	return "amend:" + hex[:len(hex)/2]
}

// Amend adds steps to a run that nobody has in hand and that has not ended:
// steps in tasks that are not over, or new tasks, all of which come behind what
// has begun. Everything else of the plan must be as it was. The plan is
// checked, approved by the planning gates, and locked anew; the lock continues
// the record of the run. Tasks that gained steps are shown to the reviewers
// again. How the run stands does not change: resume it with the new lock.
//
// It changes nothing but the journal. Errors are *[plan.AmendError] where the
// plan changes what it may only add to, those of [Controller.Lock]
// (*plan.AckError also where the amendment is not confirmed), *[RefusedError]
// where the run cannot have these steps, *checkpoint.HeldError where somebody
// works on it, and [ErrNoRun].
func (c *Controller) Amend(ctx context.Context, run string, a Amendment) (_ *Amended, err error) {
	defer public(&err)
	if a.Draft == nil {
		return nil, &session.Refusal{Reasons: []string{"there is no plan to go on with"}, Hint: "read one with plan.ReadFile"}
	}
	options := c.Options()
	if bad := blockingDiagnostics(a.Draft.Check(options)); len(bad) > 0 {
		_, err := plan.Lock(a.Draft, plan.LockOptions{Check: options, Acknowledged: a.Acknowledged})
		return nil, err
	}
	own := *c
	c = &own
	p := a.Draft.Plan
	e := c.execution(&p, a.Draft.Files)
	e.watched(ctx)
	e.chosen = c.Preset
	c.Preset, c.Evidence = c.presetFor(e.Plan), c.evidenceFor(e.Plan)
	if err := e.seat(); err != nil {
		return nil, err
	}
	if err := c.validate(e.Plan); err != nil {
		return nil, err
	}
	defer e.close()
	if err := e.occupy(ctx); err != nil {
		return nil, err
	}
	e.equip()
	if err := e.amendable(ctx, run, a.Draft.Format); err != nil {
		return nil, err
	}
	return e.amend(ctx, a)
}

// amendable takes up the run whose plan is amended, as far as that needs it.
func (e *execution) amendable(ctx context.Context, prefix string, format plan.Format) error {
	if err := e.openFound(ctx, prefix); err != nil {
		return err
	}
	id := e.Rec.Run.Started.Run
	if e.Rec.Run.Ended != nil {
		return &session.Refusal{Run: id, Reasons: []string{"the run has ended: nothing can be added to it"}, Hint: "lock a plan of what is left to be done, and run that"}
	}
	if e.Rec.Run.Delivering() {
		return &session.Refusal{Run: id, Reasons: []string{"the run was cut off while it moved what it made into the workspace: nothing can be added to it"}, Hint: "resume it"}
	}
	if was := e.Rec.Run.Started.Format; was != format {
		return &session.Refusal{Run: id, Reasons: []string{fmt.Sprintf("the plan of the run is of format %s, and this one of format %s", was, format)},
			Hint: "amend it in the format that it has"}
	}
	e.c.Shadow = e.Rec.Run.Started.Shadow
	if err := e.recall(ctx); err != nil {
		return err
	}
	return e.samePlace()
}

// samePlace refuses a plan that lies elsewhere in the workspace than the plan
// of the run: that is watched, and no part of the trees.
func (e *execution) samePlace() error {
	now := e.Scope().Own
	files := e.Files
	e.Files = e.Rec.Run.Started.Files
	was := e.Scope().Own
	e.Files = files
	slices.Sort(now)
	slices.Sort(was)
	if slices.Equal(slices.Compact(now), slices.Compact(was)) {
		return e.noLink(now)
	}
	var names []string
	for _, f := range e.Rec.Run.Started.Files {
		names = append(names, fmt.Sprintf("%q", f.Path))
	}
	return &session.Refusal{Run: e.Rec.Run.Started.Run,
		Reasons: []string{"the plan of the run lies at " + strings.Join(names, ", ") + ", and is watched there"},
		Hint:    "put the amended plan in its place"}
}

// noLink refuses a plan whose name is a link to a file that the trees of the
// run hold: that would have to be another one.
func (e *execution) noLink(own []string) error {
	for _, f := range e.Files {
		real, err := filepath.EvalSymlinks(f.Path)
		if err != nil {
			continue // it is read from memory
		}
		rel, err := filepath.Rel(e.Work.Root, real)
		if err == nil && filepath.IsLocal(rel) && !slices.Contains(own, filepath.ToSlash(rel)) {
			return &session.Refusal{Run: e.Rec.Run.Started.Run, Reasons: []string{fmt.Sprintf("%q is a link to %q, a file of the workspace that no step of the run has changed", f.Path, rel)},
				Hint: "bring that file back as it was, and put the amended plan in the place of the link"}
		}
	}
	return nil
}

// amend checks, approves and locks the plan, and records it.
func (e *execution) amend(ctx context.Context, a Amendment) (*Amended, error) {
	ws := e.workspace()
	was, err := ws.Plan(ctx, e.Rec.Run)
	if err != nil {
		return nil, err
	}
	added, err := was.Amend(e.Plan)
	if err != nil {
		return nil, err
	}
	f := &history.Amended{Plan: e.Plan.Digest(), Files: a.Draft.Files, By: a.By, Reason: a.Reason,
		Confirmed:    AmendmentCode(e.Plan),
		Requirements: added.Requirements, Tasks: added.Tasks, Steps: e.outline(a.Draft.Format)}
	for _, o := range f.Steps {
		if slices.Contains(added.Steps, o.Address) {
			f.Added = append(f.Added, o.Address)
		}
	}
	if len(f.Added) == 0 {
		return nil, &session.Refusal{Run: e.Rec.Run.Started.Run, Reasons: []string{"the plan has no step that the run has not"}, Hint: "an amendment is the plan of the run with further steps in it"}
	}
	if err := f.Fits(e.Rec.Run); err != nil {
		return nil, &session.Refusal{Run: e.Rec.Run.Started.Run, Reasons: []string{err.Error()}, Hint: "add steps behind what has begun, to tasks that are not over or to new ones"}
	}
	if err := e.harmless(a.Draft.Format); err != nil {
		return nil, err
	}
	if f.Envelope, err = e.sameEnvelope(ctx); err != nil {
		return nil, err
	}
	if f.Planning, err = e.approve(ctx, a.Draft); err != nil {
		return nil, err
	}
	locked, err := e.lockAgain(f, a)
	if err != nil {
		return nil, err
	}
	if f.PlanBlob, err = e.keepPlan(ctx); err != nil {
		return nil, err
	}
	sealed, err := f.Seal(len(e.Rec.Run.Amendments)+1, e.Rec.Run.RecordDigest())
	if err != nil {
		return nil, err
	}
	if err := e.Rec.Record(ctx, history.Where{}, &sealed); err != nil {
		return nil, err
	}
	if e.Rec.Run.Paused != nil {
		e.views.DrawAhead(ctx)
	}
	return &Amended{Run: e.Rec.Run.Started.Run, Added: sealed.Added, Locked: locked}, nil
}

// sameEnvelope is what the run depends on from now on: what it depended on so
// far, and executors that only new steps name.
func (e *execution) sameEnvelope(ctx context.Context) (*envelope.Envelope, error) {
	now, err := e.bound.Envelope(ctx)
	if err != nil {
		return nil, err
	}
	refused := &session.Refusal{Run: e.Rec.Run.Started.Run, Hint: "undo that, or bring what the run was begun with: its executors, reviewers and gates"}
	for _, m := range envelope.Compare(e.Rec.Run.Started.Envelope, now) {
		if m.From != nil || !strings.HasPrefix(m.Name, "agent:executor ") {
			refused.Reasons = append(refused.Reasons, m.String())
		}
	}
	if len(refused.Reasons) > 0 {
		return nil, refused
	}
	return now, nil
}

// lockAgain makes the lock of an amendment, and notes in f what it says.
// Whatever was acknowledged for the run stays so.
func (e *execution) lockAgain(f *history.Amended, a Amendment) (*plan.Locked, error) {
	given, strangers := slices.Clone(e.Rec.Run.Started.Acknowledged), []string(nil)
	for _, code := range a.Acknowledged {
		_, step, _ := strings.Cut(code, ":")
		switch {
		case slices.Contains(f.Added, plan.Address(step)) && code != plan.DoneCode(plan.Address(step)):
			given = append(given, code)
		case code != f.Confirmed && !slices.Contains(given, code):
			// of steps that are not new nobody accepts anything now, and a new
			// one is not done
			strangers = append(strangers, code)
		}
	}
	locked, err := e.c.bind(a.Draft, plan.LockOptions{Check: e.c.Options(), Envelope: f.Envelope.Digest(),
		Acknowledged: given,
		Approvals:    approvals(f.Planning), Amends: e.Rec.Run.RecordDigest()})
	var missing *plan.AckError
	if err != nil && !errors.As(err, &missing) {
		return nil, err
	}
	confirmed := slices.Contains(a.Acknowledged, f.Confirmed)
	if missing == nil && !(confirmed && strangers == nil) {
		missing = &plan.AckError{}
	}
	if missing != nil {
		missing.Unknown = append(missing.Unknown, strangers...)
	}
	if !confirmed {
		missing.Missing = append(missing.Missing, plan.Acknowledgement{Code: f.Confirmed, Step: f.Added[0],
			Text: e.addition(f)})
	}
	if missing != nil {
		return nil, missing
	}
	f.Lock, f.Acknowledged = locked.ID(), locked.Options().Acknowledged
	for _, d := range locked.Warnings() {
		if line := warningOf(d); !slices.Contains(e.Rec.Run.Started.Warnings, line) {
			f.Warnings = append(f.Warnings, line)
		}
	}
	return locked, nil
}

// addition is what an amendment adds, for whoever confirms it.
func (e *execution) addition(f *history.Amended) string {
	var steps []string
	for _, o := range f.Steps {
		if slices.Contains(f.Added, o.Address) {
			steps = append(steps, fmt.Sprintf("%s (%s)", o.Address, o.Title))
		}
	}
	return "the run goes on with further steps: " + strings.Join(bound.First(steps, namedSteps), ", ")
}
