package history

import (
	"fmt"
	"slices"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/plan"
)

// An Origin is a run that has ended, and that another one finishes.
type Origin struct {
	Run string `json:"run"`
	// Head is where its journal ended when it was verified; the hash binds all of
	// it.
	Head record.Head `json:"head"`
	// Left is the tree that it accepted last, without what those steps made that
	// are carried out once more.
	Left record.Snapshot `json:"left"`
	// Placed is what the workspace held of that: the same, unless it worked apart.
	Placed record.Snapshot `json:"placed"`
	// Moved are the names of what it was bound to and this run is not.
	Moved []string `json:"moved,omitempty"`
	// Anew are steps that it accepted and that are carried out once more, with
	// the reason.
	Anew []string `json:"anew,omitempty"`
}

// StepCarried takes over a step that an earlier run accepted: its work is there, and
// nothing of it is carried out again. It says what that run's journal says.
type StepCarried struct {
	Run  string      `json:"run"`    // that carried it out
	Head record.Head `json:"head"`   // of that run's journal, which proves it
	Seq  uint64      `json:"record"` // of that journal, which accepted it
	// Settled is who said of a step that asks a person that it is settled; ""
	// where the step was carried out.
	Settled   string          `json:"settled,omitempty"`
	Method    string          `json:"method,omitempty"`
	Identity  string          `json:"identity,omitempty"` // of the executor, see [AttemptStarted]
	Basis     Basis           `json:"basis"`
	Why       string          `json:"why"` // the basis
	Base      record.Snapshot `json:"base,omitzero"`
	Snapshot  record.Snapshot `json:"snapshot,omitzero"` // that was accepted
	Accounted *Accounted      `json:"accounted,omitempty"`
	Runs      []string        `json:"run_ids,omitempty"`   // that its jobs named
	Artifacts []string        `json:"artifacts,omitempty"` // likewise, and that reviewers expected of them
	// Answers are what people decided about the step, a line each.
	Answers []string `json:"answers,omitempty"`
	// Accepted is who accepted which path that the plan does not declare for the
	// step, by path.
	Accepted map[string]string `json:"accepted,omitempty"`
}

func (*StepCarried) Type() string { return "step-carried" }

func (f *StepCarried) String() string {
	return sprint("from %s: %s, %s", f.Where(), f.Basis, f.Why)
}

func (f *StepCarried) snapshots() []record.Snapshot { return snapshots(f.Base, f.Snapshot) }

func (f *StepCarried) ofStep(r *Run, s *Step, at moment) error {
	switch {
	case r.Started.From == nil:
		return at.refuse("step %s is carried over, and the run finishes no other", s.Address)
	case s.Status != Pending || s.Tried() > 0:
		return at.refuse("step %s is carried over, and it is %s", s.Address, s.Status)
	}
	if f.Accounted != nil {
		f.Accounted.Inline = nil
	}
	s.Carried = f
	if len(f.Answers) > 0 {
		r.standing.asked = insert(r.standing.asked, s)
	}
	if f.Settled != "" {
		s.Skipped = &StepSkipped{Why: f.Why, By: f.Settled, Done: true}
		return s.end(r, Skipped, at)
	}
	s.Completed = &StepCompleted{Snapshot: f.Snapshot, Method: f.Method}
	return s.end(r, Completed, at)
}

// Begins is the tree that the run began with: the one that another run left, or
// the base.
func (s *Started) Begins() record.Snapshot {
	if s.From != nil {
		return s.From.Left
	}
	return s.Base
}

// Account is what the attempt changed that completed the step, in whichever run
// that was; nil where nobody accounted for it.
func (s *Step) Account() *Accounted {
	switch {
	case s.Carried != nil:
		return s.Carried.Accounted
	case s.Last() != nil:
		return s.Last().Accounted
	}
	return nil
}

// Idle reports whether the attempt changed nothing that completed the step, so that
// no check of it fails without its work.
func (s *Step) Idle() bool {
	a := s.Account()
	return s.Completed != nil && a != nil && len(a.Changes) == 0 && len(a.Bears) == 0
}

// BeganWith is the tree that the attempt began with which completed the step;
// zero where nobody knows.
func (s *Step) BeganWith() record.Snapshot {
	switch {
	case s.Carried != nil:
		return s.Carried.Base
	case s.Last() != nil:
		return s.Last().Base
	}
	return record.Snapshot{}
}

// Left is the tree that was accepted of the step; zero where none was.
func (s *Step) Left() record.Snapshot {
	switch {
	case s.Carried != nil:
		return s.Carried.Snapshot
	case s.Completed != nil:
		return s.Completed.Snapshot
	}
	return record.Snapshot{}
}

// Claimed is what jobs of the latest attempt at the step say that they made: runs,
// and artifacts.
func (s *Step) Claimed() (runs, artifacts []string) {
	switch {
	case s.Carried != nil:
		return s.Carried.Runs, s.Carried.Artifacts
	case s.Last() != nil && s.Last().Telemetry != nil:
		return s.Last().Telemetry.Runs, s.Last().Telemetry.Artifacts
	}
	return nil, nil
}

// Named is what jobs of the task say that they made: the runs of all its steps, as
// those of failed ones are there as well, and the artifacts of completed ones, as the
// others left none.
func (t Task) Named() (runs, artifacts []string) {
	add := func(to *[]string, names []string) {
		for _, name := range names {
			if !slices.Contains(*to, name) {
				*to = append(*to, name)
			}
		}
	}
	for _, s := range t.run.OfTask(t.id) {
		named, made := s.Claimed()
		if add(&runs, named); s.Status == Completed {
			add(&artifacts, made)
		}
	}
	return runs, artifacts
}

// Accepted is who accepted which path as part of the step, though the plan does
// not declare it, in whichever run that was; nil where nobody accepted any.
func (s *Step) Accepted() map[string]string {
	if s.Carried != nil {
		return s.Carried.Accepted
	}
	var by map[string]string
	for _, a := range s.Addenda {
		if a.Artifacts == nil {
			continue
		}
		for _, path := range slices.Concat(a.Artifacts.Create, a.Artifacts.Modify, a.Artifacts.Delete) {
			if by == nil {
				by = map[string]string{}
			}
			by[path] = a.By
		}
	}
	return by
}

// Carry is the fact that takes over a step which the run accepted, for another
// run; nil where the run did not accept it, or its work was set back since. It
// rests there on what it rested on here when it was accepted: what did not hold at
// the end is asked at the end again.
func (r *Run) Carry(step plan.Address, standings *Standings) *StepCarried {
	s := r.Step(step)
	switch {
	case s == nil, r.After.Of(step) != nil:
		return nil
	case s.Carried != nil:
		again := *s.Carried
		return &again
	}
	f := &StepCarried{Run: r.Started.Run, Head: r.Head, Seq: s.EndedAt}
	f.Basis, f.Why = standings.when(s)
	switch {
	case s.Skipped != nil && s.Skipped.Done && s.settledBy() != "":
		f.Settled = s.settledBy()
		return f
	case s.Completed == nil:
		return nil
	}
	last := s.Last()
	f.Method, f.Identity = s.Completed.Method, last.Method.Identity
	f.Base, f.Snapshot, f.Accounted = last.Base, s.Completed.Snapshot, last.Accounted
	f.Accepted = s.Accepted()
	f.Runs, f.Artifacts = s.Claimed()
	if a := r.Task(s.Task).Approval(); a != nil && a.RunBy == step {
		for _, job := range a.Jobs {
			for _, name := range job.Artifacts {
				if !slices.Contains(f.Artifacts, name) {
					f.Artifacts = append(slices.Clip(f.Artifacts), name)
				}
			}
		}
	}
	return f
}

// Where says which run carried the step out, and what of its journal says so, as
// in "run 01JD3, record 12".
func (f *StepCarried) Where() string { return fmt.Sprintf("run %s, record %d", f.Run, f.Seq) }
