package main

import (
	"context"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/gatetest"
)

// This is all that a host needs to test its composition.
func TestShoutingIsRefused(t *testing.T) {
	for want, voice := range map[history.Status]func(string) string{
		history.Achieved:    strings.Clone,
		history.NotAchieved: strings.ToUpper,
	} {
		scribe := agent{ask: func(_ context.Context, task string) (string, error) { return voice("Hello: " + task), nil }}
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
