package temporal_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/checkpoint/folder"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/escalator"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/exec/temporal"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// A host keeps journals, contents and questions where all owners have them: in a
// folder here; a database does as well (package checkpoint/postgres).
type host struct {
	shared string
	blobs  checkpoint.Blobs
}

func (h *host) workspace(dir string) exec.Workspace {
	return exec.Workspace{Dir: dir, Blobs: h.blobs, Runs: filelog.Runs{Dir: filepath.Join(h.shared, "runs")}}
}

func (h *host) questions() *escalator.Folder {
	return &escalator.Folder{Dir: filepath.Join(h.shared, "questions")}
}

// advance begins a run or goes on with it, in a folder that is made anew.
func (h *host) advance(ctx context.Context, t temporal.Task, report func(temporal.State) error) (s temporal.State,
	err error) {
	dir, err := os.MkdirTemp("", "run-")
	if err != nil {
		return s, err
	}
	defer os.RemoveAll(dir)
	ws := h.workspace(dir)
	c := &exec.Controller{Dir: dir, RunID: t.Run, Blobs: ws.Blobs, Runs: ws.Runs, Gates: builtin.Gates(),
		Executors: exec.Default(&shell.Executor{}), Escalator: h.questions(),
		Observe: func(_ context.Context, e event.Event) {
			if e.Fact != nil {
				_ = report(temporal.StateOf(e.State)) // ctx ends where that is of no use any more
			}
		}}
	var before []string // what was accepted when the run began
	run, err := ws.History(ctx, t.Run)
	begun := err == nil
	if begun {
		before, err = run.Started.Acknowledged, ws.Rebuild(ctx, t.Run)
	}
	if err != nil && !errors.Is(err, exec.ErrNoRun) {
		return s, err
	}
	text, err := checkpoint.NewStore(h.blobs).Get(ctx, ledger.Digest(t.Plan))
	if err != nil {
		return s, err
	}
	locked, err := lock(c, text, before)
	if err != nil && !begun { // nor can another owner
		return temporal.State{Over: true, Says: err.Error()}, nil
	}
	if err != nil {
		return s, err
	}
	var r *exec.Report
	if begun {
		r, err = c.Resume(ctx, locked, t.Run)
	} else {
		r, err = begin(ctx, c, locked, report)
	}
	return temporal.StateOf(r.Run), err
}

// lock makes the lock of a plan: for a run that has begun, the one that it began with.
func lock(c *exec.Controller, text []byte, acknowledged []string) (*plan.Locked, error) {
	draft, err := native.Read("plan.toml", text)
	if err != nil {
		return nil, err
	}
	return plan.Lock(draft, plan.LockOptions{Check: c.Options(), Acknowledged: acknowledged})
}

// begin begins a run, whose id is known to all owners before: with the one that an
// earlier owner was to begin it with, unless another run has begun since.
func begin(ctx context.Context, c *exec.Controller, locked *plan.Locked,
	report func(temporal.State) error) (*exec.Report, error) {
	if c.RunID != "" {
		r, err := c.Run(ctx, locked)
		if !errors.As(err, new(*exec.RefusedError)) || r.Status() != "" {
			return r, err
		}
	}
	var err error
	if c.RunID, err = c.NewRun(ctx); err == nil {
		err = report(temporal.State{Run: c.RunID})
	}
	if err != nil {
		return &exec.Report{}, err
	}
	return c.Run(ctx, locked)
}

func (h *host) owner(config temporal.Config) *temporal.Owner {
	return &temporal.Owner{Config: config, At: 2, Advance: h.advance,
		Answer: func(_ context.Context, a ask.Answer) error { return h.questions().Answer(a) }}
}

// An owner is a process that carries out runs which somebody has started, here or
// elsewhere, beside others like it.
func ExampleOwner() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	blobs, err := folder.Open(ctx, "/srv/plans/contents")
	if err != nil {
		log.Fatal(err)
	}
	h := &host{shared: "/srv/plans", blobs: blobs}
	if err := h.owner(config).Run(ctx); err != nil {
		log.Fatal(err)
	}
}

// Whoever wants a plan carried out puts it among the contents, starts it, and
// answers what is asked.
func ExampleRuns() {
	ctx := context.Background()
	blobs, err := folder.Open(ctx, "/srv/plans/contents")
	if err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile("plan.toml")
	if err != nil {
		log.Fatal(err)
	}
	digest, err := checkpoint.NewStore(blobs).Put(ctx, text)
	if err != nil {
		log.Fatal(err)
	}
	runs, err := temporal.OpenRuns(ctx, config)
	if err != nil {
		log.Fatal(err)
	}
	defer runs.Close()
	if err := runs.Start(ctx, temporal.Task{Key: "invoice-4711", Plan: string(digest)}); err != nil {
		log.Fatal(err)
	}
	state, err := runs.State(ctx, "invoice-4711")
	if err != nil {
		log.Fatal(err)
	}
	for _, q := range state.Questions {
		a := ask.Answer{Question: q, Choice: "r", By: "anna"}
		if err := runs.Answer(ctx, "invoice-4711", a); err != nil {
			log.Fatal(err)
		}
	}
	if state, err = runs.Wait(ctx, "invoice-4711"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(state.Run, state.Status)
}
