package life

import (
	"context"
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/internal/binding"
	"github.com/planlock/planlock/exec/internal/lane"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/git"
)

// A repository is what somebody made of the workspace's repository while the run
// rested; the zero value is one in which nothing moved, or not so that the run
// can go on from there.
type repository struct {
	state  ledger.GitState
	moved  []string
	commit string // that is checked out now
}

// meanwhile looks at the repository of a run that was let go. A commit, a branch,
// a tag, what is staged and a setting are no business of the run, as long as the
// tree is what it was, or a person lets the run go on all the same: it goes on
// from there, and says so. What tells git to run or to hide something, and what is
// half done, is not among them, but for a hook that a person accepts by its name.
func (l *Life) meanwhile(ctx context.Context) (repository, error) {
	run := l.Rec.Run
	if run.Paused == nil && run.Ended == nil || run.Restoring != nil || lane.InFlight(run) {
		return repository{}, nil
	}
	now, err := git.Read(l.Work.Root)
	if err != nil {
		return repository{}, err
	}
	moved := run.Git.Moved(now)
	others := l.Accepted.others(moved)
	if len(moved) == 0 || !binding.Harmless(others) {
		return repository{}, nil
	}
	why := "the tree is what it was"
	if l.Accepted.repository() || len(others) == 0 {
		why = l.Accepted.By + " accepts that"
	} else if same, err := l.asItWas(ctx); err != nil || !same {
		return repository{}, err
	}
	l.Warn(fmt.Sprintf("the repository moved while the run rested (%s), and %s: the run goes on from there",
		strings.Join(moved, ", "), why))
	return repository{state: now, moved: moved, commit: git.HeadAbove(l.Work.Root)}, nil
}

// asItWas reports whether the workspace is what the run left there.
func (l *Life) asItWas(ctx context.Context) (bool, error) {
	if l.Rec.Run.Started.Layered() {
		return l.Deliveries.AsLeft(ctx)
	}
	changes, err := l.Work.External(ctx)
	return len(changes) == 0, err
}
