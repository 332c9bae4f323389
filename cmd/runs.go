package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/hold"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/history"
	repository "github.com/planlock/planlock/ledger/git"
	"github.com/planlock/planlock/plan"
)

// find is the id of the run that prefix names, the latest where it is empty.
func find(ctx context.Context, ws exec.Workspace, prefix string) (string, error) {
	id, err := ws.Find(ctx, prefix)
	if prefix == "" && errors.Is(err, exec.ErrNoRun) {
		return "", fmt.Errorf("%w: no plan has been run in %s yet", exec.ErrNoRun, quoted(ws.Dir))
	}
	return id, err
}

// findRun folds the run that prefix names, the latest where it is empty.
func findRun(ctx context.Context, ws exec.Workspace, prefix string) (*history.Run, error) {
	id, err := find(ctx, ws, prefix)
	if err != nil {
		return nil, err
	}
	return ws.History(ctx, id)
}

// tellUnended says which run of a workspace has not ended, where the latest has,
// and how to go on with it: what the latest changed is rolled back before. Runs
// that cannot be read are passed over.
func (p *cli) tellUnended(ctx context.Context, ws exec.Workspace, latest *history.Run) {
	ids, err := ws.IDs(ctx)
	if err != nil {
		return
	}
	for _, id := range slices.Backward(ids) {
		run, err := ws.History(ctx, id)
		if err != nil || run.Ended != nil || run.Started.Shadow {
			continue
		}
		as, back := spellingOf(run, ws.Dir, run.Policy.Given), ""
		if latest.Count(history.Completed) > 0 && latest.After == nil {
			back = as.spell(action.Action{Kind: action.Rollback, Run: latest.Started.Run, Step: latest.Steps[0].Address}) + "; then  "
		}
		p.warn("run %s has ended, and run %s before it has not; to go on with that one:  %s%s", latest.Started.Run, id,
			escaped(back), escaped(as.resume))
		return
	}
}

// attemptOf finds an attempt of a step.
//
// Attempts count on over a rollback, so a number means the same attempt as long
// as the run is kept.
func attemptOf(run *history.Run, step plan.Address, number int) (*history.Step, *history.Attempt, error) {
	s := run.Step(step)
	if s == nil {
		known := make([]string, len(run.Steps))
		for i := range run.Steps {
			known[i] = string(run.Steps[i].Address)
		}
		return nil, nil, &usageError{fmt.Sprintf("run %s has no step %q; its steps are %s", run.Started.Run, step,
			strings.Join(known, ", "))}
	}
	all := slices.Concat(s.Undone, s.Attempts) // a rollback begins no new count
	slices.SortStableFunc(all, func(a, b *history.Attempt) int { return cmp.Compare(a.Number, b.Number) })
	if len(all) == 0 && s.Carried != nil {
		return nil, nil, &carriedError{run.Started.Run, step, s.Carried.Run}
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("step %s of run %s has no attempt%s", step, run.Started.Run, yet(run))
	}
	if number < 0 || number > len(all) {
		return nil, nil, &usageError{fmt.Sprintf("step %s has %s; there is no attempt %d", step, plural(len(all), "attempt"), number)}
	}
	if number == 0 {
		number = len(all)
	}
	return s, all[number-1], nil
}

// A carriedError says that a step was carried out by another run.
type carriedError struct {
	run  string
	step plan.Address
	from string
}

func (e *carriedError) Error() string {
	return fmt.Sprintf("step %s of run %s has no attempt of its own: it was taken over from run %s",
		e.step, e.run, e.from)
}

// yet is " yet", unless nothing more comes.
func yet(run *history.Run) string {
	if run.Ended != nil {
		return ""
	}
	return " yet"
}

// cutOff reports whether a run neither ended nor was stopped in order, and
// nobody works on it.
func cutOff(ctx context.Context, ws exec.Workspace, run *history.Run) bool {
	return run.Ended == nil && run.Paused == nil && holder(ctx, ws, run) == ""
}

// holder says who works on a run; "" is nobody. Where it is kept elsewhere, that may be
// somebody on another machine.
func holder(ctx context.Context, ws exec.Workspace, run *history.Run) string {
	by := hold.Holder(ctx, ws.Dir)
	if kept, ok := ws.Runs.(checkpoint.Holders); ok && by == "" {
		by, _ = kept.Holder(ctx, run.Started.Run) // where nobody can say it, it is as if nobody did
	}
	return by
}

// inHand says who works on a run that was not stopped in order, and if nobody
// does, how to go on.
//
// It looks at the hold of the workspace, or of the journal, which tells a controller that
// works from one that died; the text in the lock file does not.
func inHand(ctx context.Context, ws exec.Workspace, run *history.Run, resume string) string {
	if by := holder(ctx, ws, run); by != "" {
		return fmt.Sprintf("wait: %s works on the workspace", escaped(by))
	}
	return "no planlock works on it any more; go on with  " + resume
}

// stays reports whether what an attempt did is in the tree.
func stays(run *history.Run, s *history.Step, a *history.Attempt) bool {
	return a.Failure == nil && !a.Ended.IsZero() && !slices.Contains(s.Undone, a) && run.After.Of(s.Address) == nil
}

// outcomeOf says what became of what an attempt did.
func outcomeOf(run *history.Run, s *history.Step, a *history.Attempt) string {
	switch {
	case a.Failure != nil:
		return "undone, " + escaped(a.Failure.Class.String())
	case stays(run, s, a):
		return "kept"
	case !slices.Contains(s.Undone, a) && run.After.Of(s.Address) != nil:
		return "undone, the run was set back after it had ended"
	case slices.Contains(s.Undone, a):
		return "undone, the run was set back"
	}
	return "not over"
}

// tellWhereItEnds says of a workspace below the top of a repository that it ends
// there.
func tellWhereItEnds(w io.Writer, dir string) {
	at, err := filepath.Abs(dir)
	if err != nil {
		return
	}
	if top, rel, ok := repository.Top(at); ok && rel != "." {
		fmt.Fprintf(w, "the workspace is %s of the repository %s, and ends there: nothing above it is part of the run (--dir names another)\n",
			escaped(rel), escaped(top))
	}
}
