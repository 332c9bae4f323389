package exec

import (
	"context"
	"io"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/jobs"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/gate"
)

// A listening runner reads what programs say of themselves on their standard
// output, however much of it is kept.
type listening struct {
	*session.Runner
	said *jobs.Collector
}

// Run runs a command and listens to it.
func (l listening) Run(ctx context.Context, c gate.Command) (gate.CommandResult, error) {
	out := l.said.Stream()
	defer out.Close()
	c.Stdout = both(out, c.Stdout)
	return l.Runner.Run(ctx, c)
}

// RunLive is Run for executors that want standard error as it comes.
func (l listening) RunLive(ctx context.Context, c gate.Command, stderr io.Writer) (gate.CommandResult, error) {
	out := l.said.Stream()
	defer out.Close()
	c.Stdout = both(out, c.Stdout)
	return l.Runner.RunLive(ctx, c, stderr)
}

func both(first, second io.Writer) io.Writer {
	if second == nil {
		return first
	}
	return io.MultiWriter(first, second)
}

// telemetry is what an attempt said of itself, for the journal; nil if it said
// nothing and nobody wants to know.
func (e *execution) telemetry(t *trial, f *fault) *history.Telemetry {
	t.jobs.Add(jobs.Telemetry{Runs: t.outcome.Runs, Artifacts: t.outcome.Artifacts})
	said := t.jobs.Telemetry()
	if said.Empty() && !e.Decider().Policy.Pipeline() {
		return nil
	}
	var failure *history.AttemptFailed
	if f != nil {
		failure = &f.AttemptFailed
	}
	return &history.Telemetry{Status: history.ExecutionOf(failure, t.outcome.Exit),
		Runs: said.Runs, Artifacts: said.Artifacts, Metrics: said.Metrics, Dropped: said.Dropped}
}
