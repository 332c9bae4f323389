//go:build agents

package cmd_test

import (
	"testing"

	"github.com/planlock/planlock/exec/agent/agenttest"
)

// TestFirstRunWithClaude is TestFirstRunWithAnAgent with the real programs.
func TestFirstRunWithClaude(t *testing.T) {
	path, err := agenttest.Programs()
	if err != nil {
		t.Skip("claude cannot be had: ", err)
	}
	agentScripts(t, path)
}
