package agenttest_test

import (
	"testing"
	"time"

	"github.com/planlock/planlock/exec/agent"
	"github.com/planlock/planlock/exec/agent/agenttest"
)

// A kind is a way to drive an agent.
type kind struct {
	label string // as in "claude by acp"
	name  string
	how   agent.How
	model string
	other string // an agent that works beside it, without a terminal
	asks  bool   // before it writes
	costs bool   // it says what it has cost
	// counts says that it tells the tokens that it has spent.
	counts bool
	// silent says that it neither tells of limits nor of a full context, and copes
	// with both by itself.
	silent bool
	// vague says that it does not tell until when nobody is served, or tells the
	// two hours of the header.
	vague bool
	// alone says that it is one program for both ways.
	alone bool
	// programs are those of npm that it needs, its own first.
	programs []string
	path     func(t *testing.T) string // the folder of its programs
	slow     time.Duration             // more than it takes to start
}

// small are the agents that are always there.
func small() []kind {
	of := func(names ...string) func(t *testing.T) string {
		return func(t *testing.T) string {
			dir := t.TempDir()
			agenttest.Install(t, dir, names...)
			return dir
		}
	}
	return []kind{
		{label: "small headless", name: "claude", other: "claude", how: agent.Headless, costs: true, counts: true,
			path: of("claude"), slow: 3 * time.Second},
		{label: "small by acp", name: "claude", other: "claude", how: agent.ACP, costs: true, counts: true, asks: true,
			path: of("claude-agent-acp", "claude"), slow: 3 * time.Second},
	}
}

// real are the agents of npm, by both ways.
func real() []kind {
	const sonnet = "anthropic/claude-sonnet-4-5"
	all := []kind{
		{label: "claude headless", name: "claude", other: "codex", how: agent.Headless, costs: true, counts: true,
			programs: []string{"claude", "codex"}, slow: 20 * time.Second},
		{label: "claude by acp", name: "claude", other: "codex", how: agent.ACP, asks: true, costs: true, counts: true,
			programs: []string{"claude-agent-acp", "codex"}, slow: 40 * time.Second},
		{label: "codex headless", name: "codex", other: "claude", how: agent.Headless, vague: true, counts: true,
			programs: []string{"codex", "claude"}, slow: 20 * time.Second},
		{label: "codex by acp", name: "codex", other: "claude", how: agent.ACP, asks: true, vague: true,
			programs: []string{"codex-acp", "claude"}, slow: 20 * time.Second},
		{label: "gemini headless", name: "gemini", other: "claude", how: agent.Headless, counts: true, alone: true,
			programs: []string{"gemini", "claude"}, slow: 60 * time.Second},
		{label: "gemini by acp", name: "gemini", other: "claude", how: agent.ACP, asks: true, counts: true, alone: true,
			programs: []string{"gemini", "claude"}, slow: 60 * time.Second},
		{label: "opencode headless", name: "opencode", other: "codex", how: agent.Headless, model: sonnet, costs: true, counts: true,
			silent: true, alone: true, programs: []string{"opencode", "codex"}, slow: 60 * time.Second},
		{label: "opencode by acp", name: "opencode", other: "codex", how: agent.ACP, model: sonnet, asks: true, costs: true, counts: true,
			silent: true, alone: true, programs: []string{"opencode", "codex"}, slow: 60 * time.Second},
	}
	for i := range all {
		all[i].path = func(t *testing.T) string { return agenttest.Only(t, all[i].programs...) }
	}
	return all
}
