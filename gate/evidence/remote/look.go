package remote

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/planlock/planlock/gate/evidence"
)

// Look finds out about a run, or about a file that the server should keep for
// one.
func (m *MLflow) Look(ctx context.Context, n evidence.Need) evidence.Item {
	if n.Kind == evidence.Artifact {
		return m.artifact(ctx, n)
	}
	return m.run(ctx, n)
}

// Name says which server is asked.
func (m *MLflow) Name() string {
	if m == nil {
		return "no tracking server"
	}
	return "mlflow " + m.URL
}

// Validate refuses a server that cannot be asked.
func (m *MLflow) Validate() error {
	if m == nil {
		return nil
	}
	if (m.UserEnv == "") != (m.PasswordEnv == "") || m.UserEnv != "" && m.TokenEnv != "" {
		return errors.New("remote: MLflow.UserEnv and MLflow.PasswordEnv go together, and without MLflow.TokenEnv")
	}
	_, err := m.endpoint("", nil)
	return err
}

// run finds out about a run. What the server does not know is missing; where it
// cannot be asked nobody knows, and that is neither found nor missing.
func (m *MLflow) run(ctx context.Context, n evidence.Need) evidence.Item {
	if m == nil {
		return n.Unverifiable("no tracking server is set up, so nobody can say whether run %q exists", n.Name)
	}
	run, err := m.lookUp(ctx, n.Name)
	switch {
	case errors.Is(err, errNoRun):
		return n.Missing("%v", err)
	case err != nil:
		return n.Unverifiable("%v", err)
	}
	return run.item(n)
}

// item is what a run that is known shows: it must have ended well, and not be
// deleted.
func (r *trackedRun) item(n evidence.Need) evidence.Item {
	item := evidence.Item{Need: n, State: evidence.Found, Status: r.status, Experiment: r.experiment,
		Metrics: r.metrics, Started: r.started}
	if r.deleted {
		item.State, item.Why = evidence.Missing, fmt.Sprintf("run %q was deleted", n.Name)
	} else if r.status != "FINISHED" {
		item.State, item.Why = evidence.Missing, fmt.Sprintf("the tracker calls run %q %q, not FINISHED", n.Name,
			r.status)
	}
	return item
}

// artifact finds out about a file that the server should keep for a run.
func (m *MLflow) artifact(ctx context.Context, n evidence.Need) evidence.Item {
	if m == nil {
		return n.Unverifiable("no tracking server is set up")
	}
	folder := path.Dir(n.Name)
	if folder == "." {
		folder = ""
	}
	files, err := m.list(ctx, n.Want, folder)
	switch {
	case errors.Is(err, errNoRun):
		return n.Missing("%v", err)
	case err != nil:
		return n.Unverifiable("%v", err)
	}
	for _, f := range files {
		if f.Path != n.Name {
			continue
		}
		if !f.Dir && f.Size == 0 {
			return n.Missing("artifact %q of run %q is empty", n.Name, n.Want)
		}
		return evidence.Item{Need: n, State: evidence.Found, Size: int64(f.Size)}
	}
	return n.Missing("run %q has no artifact %q", n.Want, n.Name)
}
