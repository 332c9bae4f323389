package history

import (
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// RestoreBegun is written before the tree is touched, so that a crash during
// the restore is repaired.
type RestoreBegun struct {
	To        record.Snapshot `json:"to"`
	Discarded record.Snapshot `json:"discarded,omitzero"` // what is undone is kept
}

func (*RestoreBegun) Type() string { return "restore-begun" }

func (f *RestoreBegun) String() string { return "to tree " + f.To.Tree.Short() }

func (f *RestoreBegun) snapshots() []record.Snapshot { return snapshots(f.To, f.Discarded) }

// Restored says that the tree is the checkpoint's again.
type Restored struct {
	Tree ledger.Digest `json:"tree"`
	// Left is the tree as it is, where the step changed what the plan tracks
	// and does not restore; zero where it is the checkpoint's.
	Left record.Snapshot `json:"left,omitzero"`
	// Stays are the paths that are therefore as the step left them, some of many.
	Stays []string `json:"stays,omitempty"`
}

func (*Restored) Type() string { return "restored" }

func (f *Restored) String() string {
	tree := f.Left.Tree
	if tree == "" {
		tree = f.Tree
	}
	if tree == "" { // of steps that ran at once, each of which has a checkpoint of its own
		return "the tree that the run goes on from"
	}
	return "tree " + tree.Short()
}

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

// Told says in words what was carried out, and how it ended.
func (c *Compensated) Told() string {
	switch {
	case c.Done():
		return "compensated by " + c.Run
	case c.Error != "":
		return "not compensated, as " + c.Run + " failed: " + c.Error
	}
	return sprint("not compensated, as %s ended with status %d", c.Run, c.Exit)
}

// Done reports whether the compensation did what it should.
func (c *Compensated) Done() bool { return c.Exit == 0 && c.Error == "" }

// RolledBack says that the run was set back to before a step.
type RolledBack struct {
	To       plan.Address    `json:"to"`
	Snapshot record.Snapshot `json:"snapshot"`
	By       string          `json:"by,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	// Alone is set where, of the steps that were completed, that one alone is
	// set back: nothing was built on it.
	Alone bool `json:"alone,omitempty"`
}

func (*RolledBack) Type() string { return "rolled-back" }

func (f *RolledBack) String() string {
	who := ""
	if f.By != "" {
		who = " by " + f.By
	}
	return sprint("to before %s%s, tree %s: %s", f.To, who, f.Snapshot.Tree.Short(), f.Reason)
}

func (f *RolledBack) snapshots() []record.Snapshot { return snapshots(f.Snapshot) }
