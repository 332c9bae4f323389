package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/planlock/planlock/cmd"
	"github.com/planlock/planlock/exec"
	jobs "github.com/planlock/planlock/exec/postgres"
	"github.com/planlock/planlock/exec/remote"
)

// engine opens what --engine names.
func engine(_ context.Context, name, store string) (*cmd.Engine, error) {
	if name == "postgres" {
		return inDatabase(store)
	}
	return nil, fmt.Errorf("nobody knows the engine %q: postgres is known, for runs that a database keeps", name)
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
