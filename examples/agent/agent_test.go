package main

import (
	osexec "os/exec"
	"testing"

	"github.com/planlock/planlock/exec/history"
)

func TestAgents(t *testing.T) {
	for agent, needs := range map[string]string{"agent.sh": "sh", "agent.py": "python3"} {
		t.Run(agent, func(t *testing.T) {
			if _, err := osexec.LookPath(needs); err != nil {
				t.Skipf("%s is not on this machine", needs)
			}
			report, err := run(t.Context(), "../embedded/plan.toml", agent)
			if err != nil || report.Status() != history.Achieved {
				t.Fatalf("%v\n%s", err, report)
			}
		})
	}
}
