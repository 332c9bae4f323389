package exec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/views"
	"github.com/planlock/planlock/internal/disk"
)

// ErrNoSummaries says that there is nothing to write a summary beside: the run
// is not over, was a trial, or its plan is no NAME-PLAN.md of a phase.
var ErrNoSummaries = errors.New("exec: no summary is written beside the plan")

// WriteSummaries writes the summary of each NAME-PLAN.md of a run that is over
// beside it, as 04-01-SUMMARY.md for 04-01-PLAN.md, and returns the paths of
// those that it wrote. A summary that another run of the workspace wrote is
// replaced. What anybody else wrote there, or changed since, stays as it is: the
// error names it, and the others are written. Later runs of the workspace take
// these files for what they are, and for nobody's change.
//
// The error is [ErrNoSummaries] where there is nothing to write.
func (w Workspace) WriteSummaries(ctx context.Context, run *history.Run) (written []string, err error) {
	if run.Sealed == nil {
		return nil, fmt.Errorf("%w: run %s is not over", ErrNoSummaries, run.Started.Run)
	}
	if run.Started.Shadow {
		return nil, fmt.Errorf("%w: run %s was a trial", ErrNoSummaries, run.Started.Run)
	}
	p, err := w.Plan(ctx, run)
	if err != nil {
		return nil, err
	}
	model, err := document.New(p, run, nil)
	if err != nil {
		return nil, err
	}
	list := document.Summaries(model)
	files, _ := w.Sources(run)
	if len(list) == 0 || len(files) != len(list) {
		return nil, fmt.Errorf("%w: the plan of run %s is no NAME-PLAN.md of a phase", ErrNoSummaries, run.Started.Run)
	}
	var errs []error
	for i, s := range list {
		path := filepath.Join(filepath.Dir(files[i].Path), s.Beside)
		if _, err := os.Lstat(path); err == nil && !w.home().Summary(path) {
			errs = append(errs, fmt.Errorf("exec: %s is there, and no run of this workspace wrote it: move it away, or keep it and read %s among the documents of the run",
				path, s.Name))
			continue
		}
		if err := w.writeSummary(ctx, run, path, s); err != nil {
			errs = append(errs, err)
			continue
		}
		written = append(written, path)
	}
	return written, errors.Join(errs...)
}

// writeSummary writes a summary where it is known as one that the run drew.
func (w Workspace) writeSummary(ctx context.Context, run *history.Run, path string, s document.Summary) error {
	sum, err := views.Sum(s.Draw)
	if err == nil && run.After.Last() != nil { // it says more than the run's own document
		err = w.home().Told(ctx, run.Started.Run, sum)
	}
	if err == nil {
		err = disk.From(ctx).ReplaceBy(path, 0o644, s.Draw)
	}
	if err != nil {
		return fmt.Errorf("exec: summary: %w", err)
	}
	return nil
}
