package document

import (
	"fmt"

	"github.com/planlock/planlock/exec/commit"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// A committed is a commit that the run made of the work of steps.
type committed struct {
	Commit string           `json:"commit,omitempty"` // its hash; left out if there was nothing to commit
	Branch string           `json:"branch,omitempty"` // left out if it is on none
	Steps  []plan.Address   `json:"steps"`
	Left   []commit.LeftOut `json:"left_out,omitempty"` // what the steps changed and is not committed
}

// commits are those that a run made, in order.
func commits(run *history.Run) []committed {
	return each(run.Commits, func(c *history.Commit) committed {
		return committed{Commit: c.Commit, Branch: c.Branch, Steps: c.Steps, Left: c.Left}
	})
}

// String is "3f2a91c04b7d  1.1, 1.2".
func (c committed) String() string {
	if c.Commit == "" {
		return "nothing of " + plan.Addresses(c.Steps)
	}
	return history.ShortHash(c.Commit) + "  " + plan.Addresses(c.Steps)
}

// told is that, with how much is not committed.
func (c committed) told() string {
	text := c.String()
	if n := len(c.Left); n > 0 {
		text += "; " + count(n, "path", "paths") + " left out"
	}
	return text
}

// commits lists what was committed, and what was not, with the reason.
func (w *page) commits(all []committed) {
	for i, c := range all {
		if i == 0 {
			w.line("")
		}
		w.wrap("   committed ", "             ", c.String())
		for _, l := range c.Left {
			w.wrap("     left out ", "               ", fmt.Sprintf("%s: %s", l.Path, l.Why))
		}
	}
}
