package life

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/binding"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/needs"
	"github.com/planlock/planlock/exec/internal/probe"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/plan"
)

const namedSteps = 10 // in one warning

// An Amendment is a plan with further steps, and who wants it. It has the
// fields of exec.Amendment.
type Amendment struct {
	Draft        *plan.Draft
	Acknowledged []string
	By, Reason   string
}

// Code is what confirms that a run goes on under a plan: "amend:" and the first
// half of the plan's digest. So nobody confirms another plan than was looked
// at.
func Code(p *plan.Plan) string {
	_, hex, _ := strings.Cut(string(p.Digest()), ":")
	return "amend:" + hex[:len(hex)/2]
}

// TakeForAmending takes up the run whose plan is amended, as far as that needs
// it.
func (l *Life) TakeForAmending(ctx context.Context, prefix string, format plan.Format) error {
	if err := l.Open(ctx, prefix); err != nil {
		return err
	}
	if l.Rec.Run.Ended != nil {
		return l.Refuse("lock a plan of what is left to be done, and run that",
			"the run has ended: nothing can be added to it")
	}
	if l.Rec.Run.Delivering() {
		refused := l.Refuse("",
			"the run was cut off while it moved what it made into the workspace: nothing can be added to it")
		refused.Actions = []action.Action{{Kind: action.Resume, Run: refused.Run}}
		return refused
	}
	if was := l.Rec.Run.Started.Format; was != format {
		return l.Refuse("amend it in the format that it has",
			"the plan of the run is of format %s, and this one of format %s", was, format)
	}
	l.Shadow = l.Rec.Run.Started.Shadow
	if err := l.Recall(ctx); err != nil {
		return err
	}
	return amending{l}.samePlace()
}

// Amend checks, approves and locks the plan, and records it.
func (l *Life) Amend(ctx context.Context, a Amendment) (*history.Amended, *plan.Locked, error) {
	was, err := l.Home.Plan(ctx, l.Rec.Run)
	if err != nil {
		return nil, nil, err
	}
	added, err := was.Amend(l.Plan)
	if err != nil {
		return nil, nil, err
	}
	f := &history.Amended{Plan: l.Plan.Digest(), Files: a.Draft.Files, By: a.By, Reason: a.Reason,
		Confirmed:    Code(l.Plan),
		Requirements: added.Requirements, Tasks: added.Tasks, Steps: l.outline(a.Draft.Format)}
	for _, o := range f.Steps {
		if slices.Contains(added.Steps, o.Address) {
			f.Added = append(f.Added, o.Address)
		}
	}
	if len(f.Added) == 0 {
		return nil, nil, l.Refuse("an amendment is the plan of the run with further steps in it",
			"the plan has no step that the run has not")
	}
	if err := f.Fits(l.Rec.Run); err != nil {
		return nil, nil, l.Refuse("add steps behind what has begun, to tasks that are not over or to new ones",
			"%v", err)
	}
	if err := l.harmless(a.Draft.Format); err != nil {
		return nil, nil, err
	}
	held := amending{l}
	if f.Envelope, err = held.sameEnvelope(ctx); err != nil {
		return nil, nil, err
	}
	if f.Planning, err = l.Approve(ctx, a.Draft); err != nil {
		return nil, nil, err
	}
	locked, err := held.lockAgain(f, a)
	if err != nil {
		return nil, nil, err
	}
	if f.PlanBlob, err = keepPlan(ctx, l.Session); err != nil {
		return nil, nil, err
	}
	sealed, err := f.Seal(len(l.Rec.Run.Amendments)+1, l.Rec.Run.RecordDigest())
	if err != nil {
		return nil, nil, err
	}
	if err := l.Rec.Record(ctx, history.Where{}, &sealed); err != nil {
		return nil, nil, err
	}
	if l.Rec.Run.Paused != nil {
		l.Paused(ctx)
	}
	return f, locked, nil
}

// An amending is how a run in hand is held against the plan that takes the place
// of its own.
type amending struct{ *Life }

// samePlace refuses a plan that lies elsewhere in the workspace than the plan
// of the run: that is watched, and no part of the trees.
func (a amending) samePlace() error {
	now, was := a.Own(), slices.Clone(a.Rec.Run.Started.Own)
	slices.Sort(now)
	slices.Sort(was)
	if slices.Equal(slices.Compact(now), slices.Compact(was)) {
		return a.noLink(now)
	}
	var names []string
	for _, f := range a.Rec.Run.Started.Files {
		names = append(names, fmt.Sprintf("%q", f.Path))
	}
	return &session.Refusal{Run: a.Rec.Run.Started.Run,
		Reasons: []string{"the plan of the run lies at " + strings.Join(names, ", ") + ", and is watched there"},
		Hint:    "put the amended plan in its place"}
}

// noLink refuses a plan whose name is a link to a file that the trees of the
// run hold: that would have to be another one.
func (a amending) noLink(own []string) error {
	for _, f := range a.Files {
		real, err := filepath.EvalSymlinks(f.Path)
		if err != nil {
			continue // it is read from memory
		}
		rel, err := filepath.Rel(a.Work.Root, real)
		if err == nil && filepath.IsLocal(rel) && !slices.Contains(own, filepath.ToSlash(rel)) {
			return a.Refuse("bring that file back as it was, and put the amended plan in the place of the link",
				"%q is a link to %q, a file of the workspace that no step of the run has changed", f.Path, rel)
		}
	}
	return nil
}

// sameEnvelope is what the run depends on from now on: what it depended on so
// far, and executors that only new steps name.
func (a amending) sameEnvelope(ctx context.Context) (*envelope.Envelope, error) {
	now, err := a.Bound.Envelope(ctx)
	if err != nil {
		return nil, err
	}
	refused := &session.Refusal{Run: a.Rec.Run.Started.Run, Hint: "undo that, or bring what the run was begun with: its executors, reviewers and gates"}
	for _, m := range binding.Moves(a.Rec.Run.Started.Envelope, now) {
		if m.From != nil || !strings.HasPrefix(m.Name, "agent:executor ") && !strings.HasPrefix(m.Name, probe.NeedsOf) {
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
func (a amending) lockAgain(f *history.Amended, by Amendment) (*plan.Locked, error) {
	given, strangers := slices.Clone(a.Rec.Run.Started.Acknowledged), []string(nil)
	for _, code := range by.Acknowledged {
		_, step, _ := strings.Cut(code, ":")
		switch {
		case slices.Contains(f.Added, plan.Address(step)), a.isNeed(code):
			given = append(given, code)
		case code != f.Confirmed && !slices.Contains(given, code):
			// of steps that are not new nobody accepts anything now
			strangers = append(strangers, code)
		}
	}
	// The lock continues the record of the run: it serves this run at this
	// point, and no other.
	locked, err := a.Bind(by.Draft, plan.LockOptions{Check: a.Options(), Envelope: f.Envelope.Digest(),
		Acknowledged: given, Needs: needs.Acknowledgements(a.Needs),
		Approvals: Verdicts(f.Planning), Amends: a.Rec.Run.RecordDigest()})
	var missing *plan.AckError
	if err != nil && !errors.As(err, &missing) {
		return nil, err
	}
	confirmed := slices.Contains(by.Acknowledged, f.Confirmed)
	if missing == nil && !(confirmed && strangers == nil) {
		missing = &plan.AckError{}
	}
	if missing != nil {
		missing.Unknown = append(missing.Unknown, strangers...)
	}
	if !confirmed {
		missing.Missing = append(missing.Missing, plan.Acknowledgement{Code: f.Confirmed, Step: f.Added[0],
			Text: addition(f)})
	}
	if missing != nil {
		return nil, missing
	}
	f.Lock, f.Acknowledged = locked.ID(), locked.Options().Acknowledged
	before := func(d plan.Diagnostic) bool { at := d.Address(); return at != "" && !slices.Contains(f.Added, at) }
	for _, line := range warningsOf(slices.DeleteFunc(locked.Warnings(), before)) {
		if !slices.Contains(a.Rec.Run.Started.Warnings, line) {
			f.Warnings = append(f.Warnings, line)
		}
	}
	return locked, nil
}

// isNeed reports whether a code acknowledges what somebody needs who takes part.
func (a amending) isNeed(code string) bool {
	return slices.ContainsFunc(a.Needs, func(of needs.Of) bool { return of.Acknowledgement().Code == code })
}

// addition is what an amendment adds, for whoever confirms it.
func addition(f *history.Amended) string {
	var steps []string
	for _, o := range f.Steps {
		if slices.Contains(f.Added, o.Address) {
			steps = append(steps, fmt.Sprintf("%s (%s)", o.Address, o.Title))
		}
	}
	return "the run goes on with further steps: " + strings.Join(bound.First(steps, namedSteps), ", ")
}
