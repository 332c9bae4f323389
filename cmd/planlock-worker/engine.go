package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"go.temporal.io/sdk/client"

	"github.com/planlock/planlock/cmd"
	"github.com/planlock/planlock/exec"
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
	return e, nil
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
