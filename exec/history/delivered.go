package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Delivered says what the workspace of a run holds that works in a layer: what
// the run accepted, mostly.
type Delivered struct {
	Tree record.Snapshot `json:"tree"`
}

func (*Delivered) Type() string { return "delivered" }

func (f *Delivered) String() string { return "tree " + f.Tree.Tree.Short() }

func (f *Delivered) snapshots() []record.Snapshot { return snapshots(f.Tree) }

// DeliveryBegun says that all of an isolated run was carried out as planned, and
// that what it made goes into the workspace.
type DeliveryBegun struct {
	Tree ledger.Digest `json:"tree"`
}

func (*DeliveryBegun) Type() string { return "delivery-begun" }

func (f *DeliveryBegun) String() string { return "tree " + f.Tree.Short() }

func (f *DeliveryBegun) ofRun(r *Run, at moment) error {
	r.delivering, r.movedAt = true, at.seq
	return nil
}

// Delivering reports whether an isolated run has begun to bring what it made
// into the workspace.
func (r *Run) Delivering() bool { return r.delivering }

// Foreign says that the workspace holds what no step made: somebody else worked
// there. Nothing of it is overwritten unless somebody says so.
type Foreign struct {
	Tree record.Snapshot `json:"tree"` // what the workspace holds
	// Adopt is the tree that the run goes on from if that is kept.
	Adopt record.Snapshot `json:"adopt"`
	// Met is set where the step changed what somebody else did, so that its work
	// could not be delivered.
	Met bool `json:"met,omitempty"`
	// Without is what the run accepted without the step's work, where that is not
	// the tree which the step began with: other steps were joined after it.
	Without record.Snapshot `json:"without,omitzero"`

	Changes []string `json:"changes"` // what somebody else did, a line each; bounded
}

func (*Foreign) Type() string { return "foreign" }

func (f *Foreign) String() string { return count(len(f.Changes), "change") + " that no step made" }

func (f *Foreign) snapshots() []record.Snapshot { return snapshots(f.Tree, f.Adopt, f.Without) }

// Settled says that somebody decided what becomes of foreign changes: the run
// goes on from Tree, and delivers what the workspace lacks of it.
type Settled struct {
	Tree record.Snapshot `json:"tree"`
	By   string          `json:"by,omitempty"` // "": they are gone again
}

func (*Settled) Type() string { return "settled" }

func (f *Settled) String() string {
	if f.By == "" {
		return "the changes are gone"
	}
	return fmt.Sprintf("by %s, tree %s", f.By, f.Tree.Tree.Short())
}

func (f *Settled) snapshots() []record.Snapshot { return snapshots(f.Tree) }

// Unversioned says that accepted work changed, removed or left files that
// .gitignore names one by one. No gate looks at them and no tree has them, so what
// was there before is kept beside. It is written before they are delivered.
type Unversioned struct {
	// Step is the one whose work they are delivered with, the last of those that
	// were carried out at once; "" where it is that of several.
	Step plan.Address `json:"step,omitempty"`
	// Before and After are trees of those that were there, with their folders.
	Before  record.Snapshot `json:"before,omitzero"`
	After   record.Snapshot `json:"after,omitzero"`
	Changes []string        `json:"changes,omitempty"` // of those, a line each; bounded
	New     []string        `json:"new,omitempty"`     // those that were not there; bounded
}

func (*Unversioned) Type() string { return "unversioned" }

// String is as in "step 1.2: modify db.sqlite, new coverage.out".
func (f *Unversioned) String() string {
	lines := slices.Clone(f.Changes)
	for _, name := range f.New {
		lines = append(lines, "new "+name)
	}
	return fmt.Sprintf("%s: %s", f.who(), strings.Join(lines, ", "))
}

// Told says to people what was changed; it is for facts that have changes.
func (f *Unversioned) Told() string {
	const few = 5
	text := strings.Join(f.Changes[:min(len(f.Changes), few)], ", ")
	if n := len(f.Changes) - few; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%s changed files that .gitignore names, and no gate looked at them: %s", f.who(), text)
}

func (f *Unversioned) who() string {
	if f.Step == "" {
		return "steps"
	}
	return "step " + string(f.Step)
}

func (f *Unversioned) snapshots() []record.Snapshot { return snapshots(f.Before, f.After) }

func (*Unversioned) aside() {}

func (f *Unversioned) ofRun(r *Run, at moment) error {
	if f.Step != "" && r.index[f.Step] == nil {
		return at.refuse("step %q is not part of the plan", f.Step)
	}
	r.Unversioned = append(r.Unversioned, f)
	return nil
}

// An Adoption is what others did and became part of a run's tree: the difference
// of two trees.
type Adoption struct {
	At       uint64 // position in the journal
	From, To record.Snapshot
	Changes  []string // a line each; bounded
}

// Layered reports whether a run works in a copy of the workspace.
func (s *Started) Layered() bool { return s.Layer == plan.Clone }

// Undelivered reports whether the run accepted work that the workspace has not
// yet, and may have now. At is a position in the journal that only this
// delivery has.
//
// An isolated run delivers as a whole, before it ends.
func (r *Run) Undelivered() (at uint64, ok bool) {
	return r.movedAt, r.Behind() && r.Foreign == nil && r.Restoring == nil
}

// Behind reports whether the workspace is another tree than the one that the
// run accepted and delivers, or began to.
func (r *Run) Behind() bool {
	return r.Started.Layered() && (!r.Started.Isolated || r.delivering) && r.Tree.Tree != r.Placed.Tree
}

func (f *Delivered) ofRun(r *Run, at moment) error {
	r.Delivered, r.Placed, r.movedAt = f, f.Tree, at.seq
	return nil
}

// The journal says first what the workspace holds, and the question is asked
// after that.
func (f *Foreign) ofStep(r *Run, s *Step, at moment) error {
	if f.Met && s.Checkpoint == nil {
		return at.refuse("the work of step %s met what others did, and the step never began", s.Address)
	}
	r.Foreign, r.ForeignStep, r.Placed, r.movedAt = f, s, f.Tree, at.seq
	return nil
}

// Kept are the questions in answer to which what others did became part of
// the tree since a step was completed, once the first has begun: no gate has
// judged a step on it yet.
func (r *Run) Kept() []string { return r.kept }

func (f *Settled) ofStep(r *Run, s *Step, at moment) error {
	if r.Foreign != nil && f.Tree == r.Foreign.Adopt && f.By != "" {
		from := r.Tree
		if r.Foreign.Met {
			from = cmp.Or(r.Foreign.Without, r.ForeignStep.Checkpoint.Checkpoint)
		}
		r.Adopted = append(r.Adopted, Adoption{At: at.seq, From: from, To: f.Tree, Changes: r.Foreign.Changes})
		begun := slices.ContainsFunc(r.Steps, func(o *Step) bool { return o.Checkpoint != nil })
		if n := len(s.Questions); n > 0 && (begun || len(r.kept) > 0) {
			r.kept = append(r.kept, s.Questions[n-1].Question.ID)
		}
	}
	r.Foreign, r.ForeignStep, r.Tree, r.movedAt = nil, nil, f.Tree, at.seq
	return nil
}
