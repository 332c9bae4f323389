package history

import (
	"slices"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// RestoreBegun is written before the tree is touched, so that a crash during
// the restore is repaired.
type RestoreBegun struct {
	To        record.Snapshot `json:"to"`
	Discarded record.Snapshot `json:"discarded,omitzero"` // what is undone is kept
	Deliver   bool            `json:"deliver,omitempty"`  // an isolated run's tree goes into the workspace
}

func (*RestoreBegun) Type() string { return "restore-begun" }

func (f *RestoreBegun) String() string { return "to tree " + f.To.Tree.Short() }

// Behind a rollback, what is discarded is what attempts left that were under
// way.
func (f *RestoreBegun) ofRun(r *Run, _ moment) error {
	r.Restoring = f
	for _, a := range r.cutOff {
		a.Discarded = f.Discarded
	}
	r.cutOff = nil
	return nil
}

func (f *RestoreBegun) ofStep(r *Run, s *Step, at moment) error {
	if a := s.Last(); a != nil && a.Failure != nil && a.Discarded == (record.Snapshot{}) {
		a.Discarded = f.Discarded
	}
	return f.ofRun(r, at)
}

func (f *RestoreBegun) snapshots() []record.Snapshot { return snapshots(f.To, f.Discarded) }

// Restored says that the tree is the checkpoint's again.
type Restored struct {
	Tree ledger.Digest `json:"tree"`
	// Left is the tree as it is, where the step changed what the plan tracks
	// and does not restore; zero where it is the checkpoint's.
	Left record.Snapshot `json:"left,omitzero"`
}

func (*Restored) Type() string { return "restored" }

func (f *Restored) String() string { return "tree " + f.Tree.Short() }

func (f *Restored) ofRun(r *Run, _ moment) error {
	r.Restoring = nil
	if f.Left != (record.Snapshot{}) {
		r.Tree = f.Left
	}
	return nil
}

func (f *Restored) ofStep(r *Run, _ *Step, at moment) error { return f.ofRun(r, at) }

func (f *Restored) snapshots() []record.Snapshot { return snapshots(f.Left) }

// Compensated says how the compensation of a step went.
type Compensated struct {
	Run    string `json:"run"`
	Exit   int    `json:"exit"`
	Output string `json:"output,omitempty"`
	Error  string `json:"error,omitempty"`
}

func (*Compensated) Type() string { return "compensated" }

func (f *Compensated) String() string { return sprint("%s: exit %d %s", f.Run, f.Exit, f.Error) }

// Done reports whether the compensation did what it should.
func (c *Compensated) Done() bool { return c.Exit == 0 && c.Error == "" }

func (f *Compensated) ofStep(_ *Run, s *Step, _ moment) error {
	if a := s.Last(); a != nil {
		a.Compensated = f
	}
	return nil
}

// RolledBack says that the run was set back to before a step.
type RolledBack struct {
	To       plan.Address    `json:"to"`
	Snapshot record.Snapshot `json:"snapshot"`
	By       string          `json:"by,omitempty"`
}

func (*RolledBack) Type() string { return "rolled-back" }

func (f *RolledBack) String() string {
	return sprint("to before %s, tree %s", f.To, f.Snapshot.Tree.Short())
}

func (f *RolledBack) snapshots() []record.Snapshot { return snapshots(f.Snapshot) }

// The step and everything after it has not happened, but what was tried stays
// in the journal.
func (f *RolledBack) ofStep(r *Run, s *Step, _ moment) error {
	r.RolledBack = append(r.RolledBack, *f)
	r.cutOff = nil
	for _, lane := range r.Lanes() {
		if a := lane.Attempt; a != nil && a.Ended.IsZero() && a.Accounted == nil {
			r.cutOff = append(r.cutOff, a)
		}
	}
	tasks, steps := map[string]bool{}, map[plan.Address]bool{}
	for _, step := range r.Steps[slices.Index(r.Steps, s):] {
		tasks[step.Task], steps[step.Address] = true, true
		*step = Step{Outline: step.Outline, Status: Pending, Undone: append(step.Undone, step.Attempts...),
			Advised: step.Advised, Patches: step.Patches, heard: len(step.Advised), at: step.at}
	}
	r.Flow.rollBack(steps, tasks)
	r.setBack()
	r.undoTasks(tasks, f.By)
	r.Tree = f.Snapshot
	r.Consecutive = 0
	r.lanes, r.open, r.Restoring = nil, nil, nil
	return nil
}
