package exec_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// toolServers are servers of a host: github has to be accepted.
type toolServers struct {
	version string
	looked  []string
	sandbox string // level of the plan that the latest was started for
}

func (s *toolServers) Find(name string) (accept plan.Acknowledgement, found bool) {
	if name == "github" {
		accept = plan.Acknowledgement{Code: plan.ServerCode(name, "1a2b"), Text: "starts github"}
	}
	return accept, name == "github" || name == "postgres"
}

func (s *toolServers) Look(_ context.Context, p *plan.Plan, name string) (string, error) {
	s.looked, s.sandbox = append(s.looked, name), p.Sandbox.Level
	if s.version == "" {
		return "", errors.New("it is dead")
	}
	return name + " " + s.version, nil
}

// No server is started before it is accepted; its version is part of what is
// locked, and a run does not go on with another one.
func TestToolServers(t *testing.T) {
	b := exectest.New(t, tooled("halt_if_required_missing = false"), workspace, goodScript)
	s := &toolServers{version: "1"}
	b.Controller.Servers = s
	var acks *plan.AckError
	if _, err := b.Controller.Lock(t.Context(), b.Draft); !errors.As(err, &acks) || len(acks.Missing) != 1 ||
		acks.Missing[0].Code != "mcp:github:1a2b" {
		t.Fatalf("got %v, want what has to be accepted", err)
	}
	if slices.Contains(s.looked, "github") {
		t.Fatal("a server was started that nobody accepted")
	}
	if _, err := b.Controller.Lock(t.Context(), b.Draft, "mcp:github:ffff"); !errors.As(err, &acks) || slices.Contains(s.looked, "github") {
		t.Fatalf("another code was accepted: %v", err)
	}
	needs, err := b.Controller.Needs(t.Context(), b.Draft)
	if err != nil || len(needs) != 1 || needs[0].Code != "mcp:github:1a2b" || needs[0].Lines[0] != "starts github" {
		t.Errorf("needs: %+v, %v", needs, err)
	}
	locked, err := b.Controller.Lock(t.Context(), b.Draft, "mcp:github:1a2b")
	if err != nil || !slices.Contains(s.looked, "github") {
		t.Fatalf("%v; looked for %v", err, s.looked)
	}
	s.looked = nil
	ctx, cancel := context.WithCancelCause(t.Context())
	b.Controller.Observe = event.On(func(event.Event, *history.StepCompleted) { cancel(errors.New("stop")) })
	report, err := b.Controller.Run(ctx, locked)
	if err == nil || report.Run.Started.Tools[0].Status != "verified" {
		t.Fatalf("%v, %+v", err, report.Run.Started.Tools)
	}
	if n := len(s.looked); n != 2 { // each once
		t.Errorf("looked %d times: %v", n, s.looked)
	}
	b.Controller.Observe = nil
	for _, version := range []string{"2", ""} {
		s.version = version
		var refused *exec.RefusedError
		if _, err = b.Controller.Resume(t.Context(), locked, ""); !errors.As(err, &refused) ||
			!strings.Contains(err.Error(), "tool server github") {
			t.Errorf("with version %q: %v", version, err)
		}
	}
	s.version = "1"
	if _, err := b.Controller.Resume(t.Context(), locked, ""); err != nil {
		t.Error(err)
	}
	if s.sandbox == "none" {
		t.Error("they were started without a sandbox")
	}
}
