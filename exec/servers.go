package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/planlock/planlock/exec/internal/binding"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/exec/internal/needs"
	"github.com/planlock/planlock/exec/internal/probe"
	"github.com/planlock/planlock/plan"
)

// ToolServers are the servers of tools that a host has configured, by the names
// that plans give them in [mcp_tools]. See package exec/mcp, a module of its
// own, for those of the Model Context Protocol.
type ToolServers interface {
	// Find says whether a server of this name is configured, and what a person has
	// to accept before it is started; a code that is empty is nothing. The code
	// names what is started, by its digest, so that it accepts nothing else.
	Find(name string) (accept plan.Acknowledgement, found bool)
	// Look starts a server in the sandbox of a plan, asks it for its tools, and
	// ends it. The version says which server that is and what its tools are; it
	// is part of the envelope. A [*CallError] says that a step cannot call it as
	// the plan has it; the version is there then too.
	Look(ctx context.Context, p *plan.Plan, name string) (version string, err error)
}

// A CallError says why a step cannot call a tool of a server that is there.
type CallError = binding.CallError

// A WantedServer is a tool server that a plan names in [mcp_tools], or whose
// tools its steps call.
type WantedServer = binding.Wanted

// WantedServers lists the tool servers that a plan wants. It looks for none.
func WantedServers(p *plan.Plan) []WantedServer { return binding.WantedIn(p) }

// servers looks for the tool servers of a run, for each once, and for none that
// has to be accepted and was not.
type servers struct {
	of       ToolServers // nil: nobody looks
	sought   []string    // those that are looked for
	accepted []string

	mu   sync.Mutex
	seen map[string]seenServer
}

type seenServer struct {
	version string
	err     error
}

// find is [ToolServers.Find] of a host.
func (s *servers) find(name string) (plan.Acknowledgement, bool) {
	if s.of == nil {
		return plan.Acknowledgement{}, false
	}
	defer home.InPort("the tool server " + name)
	return s.of.Find(name)
}

// look is [ToolServers.Look] of a host. What went wrong for want of time is asked
// again the next time.
func (s *servers) look(ctx context.Context, p *plan.Plan, name string) (string, error) {
	needed, found := s.find(name)
	switch {
	case !found:
		return "", errors.New("no server of that name is configured")
	case needed.Code != "" && !slices.Contains(s.accepted, needed.Code):
		return "", fmt.Errorf("nobody accepted that it is started (%s)", needed.Code)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if seen, ok := s.seen[name]; ok {
		return seen.version, seen.err
	}
	defer home.InPort("the tool server " + name)
	version, err := s.of.Look(ctx, p, name)
	if ctx.Err() == nil {
		if s.seen == nil {
			s.seen = map[string]seenServer{}
		}
		s.seen[name] = seenServer{version, err}
	}
	return version, err
}

// ServersOf are the servers whose tools a step calls, it or its backups, each
// once.
func ServersOf(s *plan.Step) (names []string) { return binding.Called(s) }

// askServers adds what has to be accepted of tool servers to what is needed.
func (e *execution) askServers() {
	for _, name := range e.servers.sought {
		if accept, found := e.servers.find(name); found && accept.Code != "" {
			e.Needs = append(e.Needs, needs.Of{Name: "tool server " + name, Accept: &accept})
		}
	}
}

// toolServers are the servers that are looked for and that are configured, each
// with its version, as the envelope has them.
func (e *execution) toolServers(ctx context.Context) (all []probe.Agent, err error) {
	for _, name := range e.servers.sought {
		if _, found := e.servers.find(name); !found {
			continue
		}
		version, err := e.servers.look(ctx, e.sandboxed(), name)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil && version == "" {
			version = "not there"
		}
		all = append(all, probe.Agent{Name: "tool server " + name, Version: version})
	}
	return all, nil
}

// sandboxed is the plan with the sandbox that the run has.
func (e *execution) sandboxed() *plan.Plan {
	if !e.NoSandbox {
		return e.Plan
	}
	p := *e.Plan
	p.Sandbox.Level = "none"
	return &p
}

// toolsAsked is who says whether a tool server can be used; nil: nobody.
func (e *execution) toolsAsked() func(context.Context, string) error {
	if e.c.Tools != nil || e.servers.of == nil {
		return e.c.Tools
	}
	return func(ctx context.Context, name string) error {
		_, err := e.servers.look(ctx, e.sandboxed(), name)
		return err
	}
}
