//go:build agents

package agenttest_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/planlock/planlock/exec/agent"
	"github.com/planlock/planlock/exec/agent/agenttest"
)

// real are the agents of npm, by both ways.
func real() []kind {
	bin, err := agenttest.Programs() // before a test has a home of its own
	of := func(program string) func(t *testing.T) string {
		return func(t *testing.T) string {
			if err != nil {
				t.Skipf("%s cannot be had: %v", program, err)
			}
			if _, err := os.Stat(filepath.Join(bin, program)); err != nil {
				t.Skipf("%s is not there: %v", program, err)
			}
			return bin
		}
	}
	const sonnet = "anthropic/claude-sonnet-4-5"
	return []kind{
		{label: "claude headless", name: "claude", how: agent.Headless, costs: true, path: of("claude"), slow: 20 * time.Second},
		{label: "claude by acp", name: "claude", how: agent.ACP, asks: true, costs: true, path: of("claude-agent-acp"), slow: 40 * time.Second},
		{label: "codex headless", name: "codex", how: agent.Headless, vague: true, path: of("codex"), slow: 20 * time.Second},
		{label: "codex by acp", name: "codex", how: agent.ACP, asks: true, vague: true, path: of("codex-acp"), slow: 20 * time.Second},
		{label: "gemini headless", name: "gemini", how: agent.Headless, path: of("gemini"), slow: 60 * time.Second},
		{label: "gemini by acp", name: "gemini", how: agent.ACP, asks: true, vague: true, path: of("gemini"), slow: 60 * time.Second},
		{label: "opencode headless", name: "opencode", how: agent.Headless, model: sonnet, costs: true, silent: true, path: of("opencode"), slow: 60 * time.Second},
		{label: "opencode by acp", name: "opencode", how: agent.ACP, model: sonnet, asks: true, costs: true, silent: true, path: of("opencode"), slow: 60 * time.Second},
	}
}

// TestRealAgents has what each does that people have. Without -short all cases
// are played; with it, the first ones.
func TestRealAgents(t *testing.T) {
	for _, k := range real() {
		t.Run(k.label, func(t *testing.T) {
			for _, p := range plays {
				t.Run(p.name, func(t *testing.T) {
					if p.full && testing.Short() {
						t.Skip("one of those that take their time")
					}
					p.run(t, k)
				})
			}
		})
	}
}
