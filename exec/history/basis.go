package history

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/plan"
)

// A Basis is what the word of a completed step rests on.
type Basis string

// The bases, the best first.
const (
	// Proved: a check of it holds, and failed in a negative control.
	Proved Basis = "proved"
	// Reviewed: somebody who did not do the work found it met, and cites where.
	Reviewed Basis = "reviewed"
	// SelfTested: as proved, by a check that holds only with what the step wrote or
	// removed of what it runs.
	SelfTested Basis = "self-tested"
	// Declared: the declared artifacts, and only these, happened.
	Declared Basis = "declared"
	// Unverified: nobody looked.
	Unverified Basis = "unverified"
)

// Counts reports whether somebody or something looked at the work itself.
func (b Basis) Counts() bool { return b == Proved || b == Reviewed }

// Bases are all bases, the best first.
func Bases() []Basis { return []Basis{Proved, Reviewed, SelfTested, Declared, Unverified} }

// CarriedOut reports whether all steps were, or their work was there already:
// whether the run came to its end as planned, not whether anybody looked at it.
func (r *Run) CarriedOut() bool {
	return !slices.ContainsFunc(r.Steps, func(s *Step) bool {
		return s.Status != Completed && (s.Skipped == nil || !s.Skipped.Done)
	})
}

// TriedOut reports whether a trial held as far as trials go, and no further: of its
// steps only those were not carried out that act outside of the clone, and what is
// behind them.
func (r *Run) TriedOut() bool {
	if !r.Started.Shadow || r.CarriedOut() || len(gate.Judgements(r.Final).Blocking()) > 0 || len(r.LackEvidence()) > 0 {
		return false
	}
	return !slices.ContainsFunc(r.Steps, func(s *Step) bool {
		if s.Status != Blocked {
			return s.Status != Completed && (s.Skipped == nil || !s.Skipped.Done)
		}
		return !r.Untried(s)
	})
}

// Untried reports whether a trial ended before the step, since it, or what it
// needs, acts outside of the clone.
func (r *Run) Untried(s *Step) bool {
	if !r.Started.Shadow || s.Blocked == nil {
		return false
	}
	by := r.Step(s.Blocked.By)
	return by != nil && by.Rollback.Outside()
}

// Standings are what the steps of a run rest on. It is made of a run as it is,
// and does not follow it.
type Standings struct {
	byCheck map[plan.Address]string // of a later step or of a requirement, that tells
	byTask  map[string]string       // reviewer of the whole task
	found   map[string]bool         // tasks whose evidence was found
	lost    map[plan.Address]string // what is no proof any more at the end
	fallen  map[plan.Address]string // what does not hold at the end of what held after the step
}

// Standings looks at all steps of the run.
func (r *Run) Standings() *Standings {
	all := &Standings{byCheck: map[plan.Address]string{}, byTask: map[string]string{},
		found: map[string]bool{}, lost: map[plan.Address]string{}, fallen: r.fallen(code.Postcondition, code.TestNotGreen)}
	for _, s := range r.Steps {
		if s.Completed == nil {
			continue
		}
		all.hear(s.Controls(), (*Control).String)
		for _, review := range s.Reviews() {
			if review.Counts() {
				all.byTask[s.Task] = review.Reviewer
			}
		}
	}
	for i := range r.Evidence { // the latest that stands counts
		if e := &r.Evidence[i]; !e.Undone {
			all.found[e.Task] = e.Pass
		}
	}
	all.Add(r.Controlled)
	return all
}

// Add has the controls of the run as a whole speak for the steps that serve what
// they check, as Standings does once they are in the journal. nil says nothing.
func (a *Standings) Add(f *Controlled) {
	if f != nil {
		a.hear(f.Controls, func(c *Control) string {
			return "a requirement that it serves is met: " + c.String() + " of the run"
		})
	}
}

// Fallen is, of each step of which a postcondition held and does not hold at the
// end, that postcondition.
func (r *Run) Fallen() map[plan.Address]string { return r.fallen(code.Postcondition) }

// fallen is, by step, what the final gates found under some codes not to hold any more.
func (r *Run) fallen(codes ...string) map[plan.Address]string {
	fallen := map[plan.Address]string{}
	for _, j := range r.Final {
		if j.Verdict == nil {
			continue
		}
		for _, f := range j.Verdict.Findings {
			if slices.Contains(codes, f.Code) && f.About != "" {
				fallen[plan.Address(f.About)] = f.Expected
			}
		}
	}
	return fallen
}

// hear has the checks that prove something count for other steps, in some words,
// and those that prove nothing any more not for theirs.
func (a *Standings) hear(controls []Control, why func(*Control) string) {
	for _, c := range controls {
		for _, step := range c.Lost {
			a.lost[step] = c.String()
		}
		if !c.Proves() {
			continue
		}
		for _, other := range c.Steps {
			a.byCheck[other] = why(&c)
		}
	}
}

// Fell reports whether what a step was proved by does not hold at the end.
func (a *Standings) Fell(step plan.Address) bool { return a.fallen[step] != "" }

// Of is what a step rests on, and what says so; "" of a step that is not
// completed. Work that was there already nobody looked at; a step that was
// carried over rests on what it rested on where it was carried out. Nothing of a
// step whose check does not hold at the end is proved or reviewed.
func (a *Standings) Of(s *Step) (basis Basis, why string) {
	basis, why = a.when(s)
	if check := a.fallen[s.Address]; check != "" && basis.Counts() {
		return Declared, check + " held after it, and does not hold at the end"
	}
	return basis, why
}

// when is what a step rests on as it was when it was accepted.
func (a *Standings) when(s *Step) (basis Basis, why string) {
	switch {
	case s.Carried != nil:
		basis, why = s.Carried.Basis, s.Carried.Why
	case s.Skipped != nil && s.Skipped.Done:
		if person := s.settledBy(); person != "" {
			return Reviewed, person + " says that it is settled"
		}
		return Unverified, s.Skipped.Why
	case s.Completed == nil:
		return "", ""
	default:
		basis, why = alone(s)
	}
	if check := a.lost[s.Address]; check != "" && basis == Proved {
		basis, why = SelfTested, check
	}
	if check, ok := a.byCheck[s.Address]; ok && basis != Proved {
		return Proved, check
	}
	if reviewer, ok := a.byTask[s.Task]; ok && !basis.Counts() {
		return Reviewed, "reviewed by " + reviewer
	}
	if found, looked := a.found[s.Task]; looked && !basis.Counts() {
		why = strings.TrimPrefix(why, wasFound) // as it was where the step was carried out
		if found {
			why = wasFound + why
		}
	}
	return basis, why
}

// wasFound goes before why a step is no more than that its evidence is there.
const wasFound = "its evidence was found; "

// Stands is the status by which the step is counted and shown: one that asks a
// person is completed by whoever says that it is settled.
func (s *Step) Stands() StepStatus {
	if s.SettledBy() != "" {
		return Completed
	}
	return s.Status
}

// SettledBy is who said of a step that asks a person that it is settled, here or
// where it was taken over from; "" if nobody did.
func (s *Step) SettledBy() string {
	switch {
	case s.Skipped == nil || !s.Skipped.Done:
		return ""
	case s.Carried != nil:
		return s.Carried.Settled
	}
	return s.settledBy()
}

// settledBy is who said of a step that it is over: one that asks a person is
// carried out by the answer. "" if nobody did.
func (s *Step) settledBy() string {
	for _, x := range s.Questions {
		if x.Question.Kind == ask.Checkpoint && x.Answer != nil && x.Answer.By == s.Skipped.By {
			return x.Answer.By
		}
	}
	return ""
}

// alone is what a completed step rests on by itself.
func alone(s *Step) (basis Basis, why string) {
	basis, why = onAccount(s.Last())
	for _, c := range s.Controls() {
		switch {
		case c.Proves():
			return Proved, c.String()
		case c.Tells():
			basis, why = SelfTested, c.String()
		case basis != SelfTested:
			why = c.String()
		}
	}
	for _, review := range s.Reviews() {
		if !review.Counts() {
			why = "what " + review.Reviewer + " says of it does not count: " + review.Why
		}
	}
	return basis, why
}

// onAccount is what the ledger says of an attempt.
func onAccount(a *Attempt) (basis Basis, why string) {
	if a == nil || a.Accounted == nil {
		return Unverified, "nobody looked"
	}
	entry, looked := a.Accounted, "no check and no reviewer looked"
	if slices.ContainsFunc(a.Gates, held) {
		looked = "no check that can tell the work from empty files, and no reviewer, looked"
	}
	switch {
	case entry.Unsaid && len(entry.Changes) == 0:
		return Unverified, looked + "; nothing changed, and whether anything was to was not declared"
	case entry.Unsaid:
		return Unverified, looked + ", and what was to change was not declared"
	case !entry.Account.Holds():
		return Unverified, looked + ", and more changed than was declared"
	case len(entry.Changes) == 0:
		return Declared, looked + "; nothing changed, as declared"
	}
	return Declared, looked + "; only what was declared changed"
}

// held reports whether a gate saw checks of a step, or its evidence, hold.
func held(j gate.Judgement) bool {
	return (j.Gate == "postconditions" || j.Gate == "evidence") && j.Passes() && j.Judged()
}

// Controls are the negative controls of the attempt that completed the step;
// none if it is not completed. The caller must not change what they refer to.
func (s *Step) Controls() []Control {
	if s.Completed == nil || s.Last() == nil || s.Last().Controlled == nil {
		return nil
	}
	return s.Last().Controlled.Controls
}
