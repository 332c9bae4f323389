package main

import (
	"context"
	"testing"

	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/gatetest"
)

// This is all that a host needs to test its composition.
func TestShoutingIsRefused(t *testing.T) {
	for answer, want := range map[string]history.Status{
		"Hello reader": history.Achieved,
		"HELLO READER": history.NotAchieved,
	} {
		scribe := agent{ask: func(_ context.Context, task string) (string, error) { return answer + task[:1], nil }}
		bench := exectest.New(t, "plan.toml", nil, scribe)
		bench.Controller.Gates = composed("", scribe, nil, nil).Gates
		bench.Run(t).Want(t, want)
	}
}

func TestExampleRuns(t *testing.T) {
	if err := run(t.Context(), "plan.toml"); err != nil {
		t.Fatal(err)
	}
}

func TestPoliteKeepsTheRulesOfGates(t *testing.T) { gatetest.Run(t, polite) }
