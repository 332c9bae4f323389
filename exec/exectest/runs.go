package exectest

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/exec"
)

// Logs are the runs of a workspace whose logs a test opens itself: it fails
// them, cuts them, or keeps them in memory. What is done with the work of a run
// that is sealed, and the index, are files.
func Logs(dir string, open func(ctx context.Context, run string) (checkpoint.Log, error)) checkpoint.Runs {
	return logs{filelog.Runs{Dir: filepath.Join(dir, exec.Own, "runs")}, open}
}

type logs struct {
	filelog.Runs
	open func(ctx context.Context, run string) (checkpoint.Log, error)
}

func (l logs) Open(ctx context.Context, name string) (checkpoint.Log, error) {
	if strings.HasSuffix(name, checkpoint.AfterRun) {
		return l.Runs.Open(ctx, name)
	}
	return l.open(ctx, name)
}

func (l logs) Read(ctx context.Context, name string) (checkpoint.Log, error) {
	if strings.HasSuffix(name, checkpoint.AfterRun) {
		return l.Runs.Read(ctx, name)
	}
	return l.open(ctx, name)
}
