//go:build agents

package agenttest_test

import (
	"testing"

	"github.com/planlock/planlock/exec/agent/agenttest"
)

// TestRealAgents has what each does that people have. Without -short all cases
// are played; with it, the first ones.
func TestRealAgents(t *testing.T) {
	_, _ = agenttest.Programs() // they are looked for before a test has a home of its own
	for _, k := range real() {
		t.Run(k.label, func(t *testing.T) {
			for _, p := range plays {
				t.Run(p.name, func(t *testing.T) {
					if p.full && testing.Short() {
						t.Skip("one of those that take their time")
					}
					p.play(t, k)
				})
			}
		})
	}
}
