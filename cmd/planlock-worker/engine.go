package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/planlock/planlock/cmd"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	jobs "github.com/planlock/planlock/exec/postgres"
	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/exec/temporal"
	"github.com/planlock/planlock/ledger"
)

// engine opens what --engine names.
func engine(_ context.Context, name, store string) (*cmd.Engine, error) {
	switch scheme, _, _ := strings.Cut(name, ":"); scheme {
	case "postgres":
		return inDatabase(store)
	case "temporal":
		return atService(name, store)
	}
	return nil, fmt.Errorf("nobody knows the engine %q: postgres is known, for runs that a database keeps, and temporal://HOST:PORT/NAMESPACE", name)
}

// atService is the engine of a Temporal service, as in
// temporal://localhost:7233/default. Owners and workers find each other by where
// the runs are kept.
func atService(name, store string) (*cmd.Engine, error) {
	u, err := url.Parse(name)
	if err != nil {
		return nil, err
	}
	config := temporal.Config{Workspace: string(ledger.Sum([]byte(store)).Short()),
		Client: client.Options{HostPort: u.Host, Namespace: strings.Trim(u.Path, "/")}}
	var closers []interface{ Close() }
	e := &cmd.Engine{Close: func() error {
		for _, c := range closers {
			c.Close()
		}
		return nil
	}}
	e.Queue = func(ctx context.Context) (remote.Queue, error) {
		q, err := temporal.OpenQueue(ctx, config)
		if err != nil {
			return nil, err
		}
		closers = append(closers, q)
		return q, nil
	}
	e.Source = func(ctx context.Context, of exec.Executors) (remote.Source, error) {
		s, err := temporal.OpenSource(ctx, config, of)
		if err != nil {
			return nil, err
		}
		closers = append(closers, s)
		return s, nil
	}
	e.Runs = func(ctx context.Context) (cmd.Runs, error) {
		r, err := temporal.OpenRuns(ctx, config)
		if err != nil {
			return nil, err
		}
		closers = append(closers, r)
		return runs{r}, nil
	}
	e.Own = func(ctx context.Context, o cmd.Owner) error {
		config := config
		config.Log = o.Log
		return (&temporal.Owner{Config: config, At: o.At, Answer: o.Answer,
			Advance: func(ctx context.Context, t temporal.Task, report func(temporal.State) error) (
				temporal.State, error) {
				return stateOf(o.Advance(ctx, t.Run, func(r *history.Run) {
					_ = report(temporal.StateOf(r)) // ctx ends where that is of no use any more
				}))
			}}).Run(ctx)
	}
	return e, nil
}

// runs are given to owners by their ids.
type runs struct{ *temporal.Runs }

// Give has a run that is with owners be looked at, and starts it else.
func (r runs) Give(ctx context.Context, run string) error {
	err := r.GoOn(ctx, run)
	if errors.Is(err, temporal.ErrNoTask) {
		err = r.Start(ctx, temporal.Task{Key: run, Run: run})
	}
	return err
}

// Take cancels it, and waits until its owner has let go of it. Where none does, since there
// is none, the run is dropped: the cancel would end what is given to owners later.
func (r runs) Take(ctx context.Context, run string, stop exec.Stop) error {
	err := r.Cancel(ctx, run, stop)
	if err == nil {
		waits, end := context.WithTimeout(ctx, letGo)
		defer end()
		if _, err = r.Wait(waits, run); waits.Err() != nil {
			err = r.Drop(ctx, run, fmt.Sprintf("%s: %s", stop.By, stop.Why))
		}
	}
	if errors.Is(err, temporal.ErrNoTask) {
		return nil
	}
	return err
}

// letGo is how long an owner may take to bring a run to a checkpoint.
const letGo = 15 * time.Second

// stateOf is how a run stands that its owner lets go of. One that waits, and for no
// answer, is over for the service: a person has to mend something, and gives it away again.
func stateOf(r *history.Run, err error) (s temporal.State, _ error) {
	if r != nil {
		s = temporal.StateOf(r)
	}
	if lost := errors.Is(err, exec.ErrNoRun); lost || errors.Is(err, exec.ErrWaiting) && len(s.Questions) == 0 {
		s.Over, s.Says = true, err.Error()
	}
	return s, err
}

// inDatabase is the engine in the database that keeps the runs.
func inDatabase(store string) (*cmd.Engine, error) {
	if !strings.HasPrefix(store, "postgres") {
		return nil, fmt.Errorf("--engine postgres: the runs are kept at %s, which is no PostgreSQL database", store)
	}
	address, config, err := workspace(store)
	if err != nil {
		return nil, err
	}
	var opened []*jobs.Queue
	open := func(ctx context.Context) (*jobs.Queue, error) {
		q, err := jobs.Open(ctx, address, jobs.Config{Workspace: config.Workspace})
		if err == nil {
			opened = append(opened, q)
		}
		return q, err
	}
	return &cmd.Engine{
		Queue:  func(ctx context.Context) (remote.Queue, error) { return open(ctx) },
		Source: func(ctx context.Context, _ exec.Executors) (remote.Source, error) { return open(ctx) },
		Close: func() error {
			for _, q := range opened {
				q.Close()
			}
			return nil
		},
	}, nil
}
