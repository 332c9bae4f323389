package history

import (
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/commit"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Committed says that the work of steps stands in the history of the
// workspace's repository.
type Committed struct {
	Commit string           `json:"commit,omitempty"` // as git writes it; "": there was nothing to commit
	Branch string           `json:"branch,omitempty"` // that it is on, as in "refs/heads/main"; "" if on none
	Steps  []plan.Address   `json:"steps"`            // in the order in which they ended
	Left   []commit.LeftOut `json:"left,omitempty"`   // what they changed and is not committed
	Git    ledger.GitState  `json:"git,omitempty"`    // the repository from there on; nil: it did not move
}

func (*Committed) Type() string { return "committed" }

// String is as in "3f2a91c04b7d: step 1.2; 1 path left out".
func (f *Committed) String() string {
	text := "nothing"
	if f.Commit != "" {
		text = ShortHash(f.Commit)
	}
	text += ": " + count(len(f.Steps), "step")
	if len(f.Steps) == 1 {
		text = fmt.Sprintf("%s: step %s", text[:len(text)-len(": 1 step")], f.Steps[0])
	}
	if len(f.Left) > 0 {
		text += "; " + count(len(f.Left), "path") + " left out"
	}
	return text
}

// ShortHash is the beginning of the hash of a commit, for people.
func ShortHash(hash string) string { return hash[:min(len(hash), 12)] }

// A Commit is one that the run made.
type Commit struct {
	*Committed
	At    uint64       // position in the journal
	Works []*Accounted // what its steps changed, in their order
}

func (*Committed) aside() {}

func (f *Committed) ofRun(r *Run, at moment) error {
	made := &Commit{Committed: f, At: at.seq}
	for _, a := range f.Steps {
		s := r.index[a]
		if s == nil || s.Completed == nil || s.Account() == nil {
			return at.refuse("step %s is committed, and was not completed", a)
		}
		made.Works = append(made.Works, s.Account())
		s.committed = made
	}
	r.Commits = append(r.Commits, made)
	if f.Git != nil {
		r.Git, r.Commit = f.Git, f.Commit
	}
	return nil
}

// Committed is the commit of the step's work as it stands now; nil if there is none.
func (s *Step) Committed() *Commit {
	if s.Completed == nil || s.committed == nil || s.committed.At < s.EndedAt {
		return nil // it was set back since
	}
	return s.committed
}

// Uncommitted are the steps whose work is to be committed next, in the order in
// which they ended; none while a unit of it is not over. What an earlier run
// accepted was its to commit.
func (r *Run) Uncommitted() []*Step {
	unit := r.Policy.Commits
	if unit == "" || r.Started.Committing == nil || r.Started.Shadow ||
		unit == commit.Run && (r.Ended == nil || r.Ended.Status == NotAchieved) {
		return nil
	}
	var waiting []*Step
	for _, s := range r.Steps {
		if s.Status == Completed && s.Carried == nil && s.Account() != nil && s.Committed() == nil {
			waiting = append(waiting, s)
		}
	}
	slices.SortStableFunc(waiting, func(a, b *Step) int { return int(a.EndedAt) - int(b.EndedAt) })
	switch unit {
	case commit.Step:
		return waiting[:min(len(waiting), 1)]
	case commit.Task:
		for _, s := range waiting {
			if r.ended(s.Task) {
				return slices.DeleteFunc(waiting, func(o *Step) bool { return o.Task != s.Task })
			}
		}
		return nil
	}
	return waiting
}

// ToCommit reports whether work is to be committed that is in the workspace.
func (r *Run) ToCommit() bool {
	return len(r.Uncommitted()) > 0 && !r.Behind() && r.Foreign == nil && r.Restoring == nil &&
		(!r.Started.Isolated || r.Delivered != nil)
}

// ended reports whether no step of a task is carried out any more.
func (r *Run) ended(task string) bool {
	return r.Ended != nil || !slices.ContainsFunc(r.Steps, func(s *Step) bool {
		return s.Task == task && !s.Status.Over()
	})
}
