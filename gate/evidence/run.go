package evidence

import (
	"context"
	"errors"
	"fmt"
	"path"
)

// look finds out about a run.
func (m *MLflow) look(ctx context.Context, n Need) Item {
	if n.Name == "" {
		return missing(n, "no run was named: a job of an experiment prints MLFLOW_RUN_ID=…")
	}
	if m == nil {
		return unverifiable(n, "no tracking server is set up, so nobody can say whether run %q exists", n.Name)
	}
	run, err := m.Run(ctx, n.Name)
	switch {
	case errors.Is(err, ErrNoRun):
		return missing(n, "%v", err)
	case err != nil:
		return unverifiable(n, "%v", err)
	}
	item := Item{Need: n, State: Found, Status: run.Status, Experiment: run.Experiment, Metrics: run.Metrics}
	if run.Status != "FINISHED" {
		item.State, item.Why = Missing, fmt.Sprintf("the server calls run %q %q, not FINISHED", n.Name, run.Status)
	}
	return item
}

// lookForArtifact finds out about a file that the server should keep for a run.
func (m *MLflow) lookForArtifact(ctx context.Context, n Need) Item {
	if m == nil {
		return unverifiable(n, "no tracking server is set up")
	}
	folder := path.Dir(n.Name)
	if folder == "." {
		folder = ""
	}
	files, err := m.Artifacts(ctx, n.Want, folder)
	switch {
	case errors.Is(err, ErrNoRun):
		return missing(n, "%v", err)
	case err != nil:
		return unverifiable(n, "%v", err)
	}
	for _, f := range files {
		if f.Path != n.Name {
			continue
		}
		if !f.Dir && f.Size == 0 {
			return missing(n, "artifact %q of run %q is empty", n.Name, n.Want)
		}
		return Item{Need: n, State: Found, Size: f.Size}
	}
	return missing(n, "run %q has no artifact %q", n.Want, n.Name)
}
