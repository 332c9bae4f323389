//go:build agents

package cmd_test

import (
	"testing"

	"github.com/planlock/planlock/exec/agent/agenttest"
)

// What a person types first, with the real programs: each as it is installed, and
// those with an adapter for the Agent Client Protocol beside it.

func TestFirstRunWithClaude(t *testing.T) { firstRun(t, "claude", "claude", "claude-agent-acp") }

func TestFirstRunWithCodex(t *testing.T) { firstRun(t, "codex", "codex", "codex-acp") }

func TestFirstRunWithGemini(t *testing.T) { firstRun(t, "gemini", "gemini") }

// OpenCode has models of several providers, and one of its own where none is named.
func TestFirstRunWithOpenCode(t *testing.T) {
	firstRun(t, "opencode=anthropic/claude-sonnet-4-5", "opencode")
}

// firstRun is TestFirstRunWithAnAgent with each of some programs. With -short it
// is the first.
func firstRun(t *testing.T, agent string, programs ...string) {
	for i, program := range programs {
		t.Run(program, func(t *testing.T) {
			if i > 0 && testing.Short() {
				t.Skip("one of those that take their time")
			}
			agentScripts(t, agent, agenttest.Only(t, program))
		})
	}
}
