package cmd

import (
	"testing"

	"github.com/planlock/planlock/exec/history"
)

func TestGistOfFlow(t *testing.T) {
	for want, fact := range map[string]history.Fact{
		"direct: complexity 1 of 5":                    &history.StrategySet{Strategy: history.Direct, Why: "complexity 1 of 5"},
		"warn: 70 of 100 tokens are used in session 1": &history.Budget{Level: history.Warned, Used: 70, Limit: 100, Session: 1},
		"red kept: go test ended with status 1":        &history.Cycle{Phase: history.Red, Did: "kept", Test: "go test", Exit: 1},
		"task 2 is completed":                          &history.TaskOver{Task: "2", Status: history.Completed},
		"task 2 is blocked: 1.1 failed":                &history.TaskOver{Task: "2", Status: history.Blocked, Reason: "1.1 failed"},
		"tree ; attempt 1 of step 1.1 in run R made  of the same inputs; refused: a.go, b.go": &history.Differs{Run: "R", Step: "1.1", Attempt: 1, Refused: true, Paths: []string{"a.go", "b.go"}},
	} {
		if got := gistOfFlow(fact); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
