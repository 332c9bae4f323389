package recovery_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

func number(n int) *int { return &n }
func no() *bool         { b := false; return &b }

// tried is a step's history after attempts of the given methods.
func tried(methods ...string) *history.Step {
	s := &history.Step{}
	for i, m := range methods {
		s.Attempts = append(s.Attempts, &history.Attempt{Number: i + 1, Method: history.AttemptStarted{Method: m}})
		switch {
		case i == 0:
		case m == recovery.Primary:
			s.Recoveries = append(s.Recoveries, history.Recovery{Rung: recovery.RetryRung, Method: m})
		default:
			s.Recoveries = append(s.Recoveries, history.Recovery{Rung: "backup", Method: m})
		}
	}
	return s
}

func TestStandardLadder(t *testing.T) {
	two := []plan.Backup{{ID: "1", Description: "by hand"}, {ID: "2", Description: "by mail"}}
	crashed := history.AttemptFailed{Class: history.Crashed}
	tests := []struct {
		name string
		s    recovery.Situation
		want string // method, "ask" or "failed"
	}{
		{"retries while it may", recovery.Situation{Step: &plan.Step{OnFailure: plan.Retry, MaxRetries: number(2)},
			History: tried("primary"), Failure: &crashed}, "primary"},
		{"retries to the last", recovery.Situation{Step: &plan.Step{OnFailure: plan.Retry, MaxRetries: number(2),
			Backups: two},
			History: tried("primary", "primary"), Failure: &crashed}, "primary"},
		{"then the backups", recovery.Situation{Step: &plan.Step{OnFailure: plan.Retry, MaxRetries: number(2),
			Backups: two},
			History: tried("primary", "primary", "primary"), Failure: &crashed}, "backup_1"},
		{"one after another", recovery.Situation{Step: &plan.Step{OnFailure: plan.Retry, MaxRetries: number(2),
			Backups: two},
			History: tried("primary", "backup_1"), Failure: &crashed}, "backup_2"},
		{"a backup is not retried", recovery.Situation{Step: &plan.Step{OnFailure: plan.Retry, MaxRetries: number(9),
			Backups: two[:1]},
			History: tried("primary", "backup_1"), Failure: &crashed}, "ask"},
		{"then a person", recovery.Situation{Step: &plan.Step{OnFailure: plan.Retry, MaxRetries: number(1)},
			History: tried("primary", "primary"), Failure: &crashed}, "ask"},
		{"retry without a number is once", recovery.Situation{Step: &plan.Step{OnFailure: plan.Retry},
			History: tried("primary", "primary"), Failure: &crashed}, "ask"},
		{"block does not retry", recovery.Situation{Step: &plan.Step{OnFailure: plan.Block, MaxRetries: number(2)},
			History: tried("primary"), Failure: &crashed}, "failed"},
		{"block uses its backups", recovery.Situation{Step: &plan.Step{OnFailure: plan.Block, Backups: two},
			History: tried("primary"), Failure: &crashed}, "backup_1"},
		{"what is not critical fails quietly", recovery.Situation{Step: &plan.Step{OnFailure: plan.Retry,
			Critical: no()},
			History: tried("primary", "primary"), Failure: &crashed}, "failed"},
		{"collaborative mode asks all the same", recovery.Situation{Step: &plan.Step{OnFailure: plan.Retry,
			Critical: no()},
			History: tried("primary", "primary"), Failure: &crashed, Mode: plan.Collaborative}, "ask"},
		{"a stateful executor is not retried", recovery.Situation{Step: &plan.Step{OnFailure: plan.Retry,
			MaxRetries: number(2)},
			History: tried("primary"), Failure: &crashed, Stateful: true}, "ask"},
		{"nothing is repeated that cannot be undone",
			recovery.Situation{Step: &plan.Step{OnFailure: plan.Retry, MaxRetries: number(2),
				Rollback: plan.Irreversible, Backups: two, Critical: no()}, History: tried("primary"),
				Failure: &crashed}, "ask"},
		{"a refusal is asked about at once", recovery.Situation{Step: &plan.Step{OnFailure: plan.Retry,
			MaxRetries: number(2), Backups: two},
			History: tried(), Failure: &history.AttemptFailed{Class: history.Refused}}, "ask"},
	}
	for _, cause := range []gate.Cause{gate.Deadlock, gate.ModelStall} {
		tests = append(tests, struct {
			name string
			s    recovery.Situation
			want string
		}{fmt.Sprintf("a time-out by %s is no reason to retry", cause), recovery.Situation{
			Step: &plan.Step{OnFailure: plan.Retry, MaxRetries: number(2)}, History: tried("primary"),
			Failure: &history.AttemptFailed{Class: history.TimedOut, Cause: cause}}, "ask"})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			next := recovery.Ladder{recovery.Retry{}, recovery.Backup{}, recovery.Ask{}}.Next(tt.s)
			got := next.Method
			if got == "" {
				got = map[bool]string{true: "ask", false: "failed"}[next.Ask]
			}
			if got != tt.want {
				t.Errorf("got %s (%s), want %s", got, next.Why, tt.want)
			}
		})
	}
}

func ExampleLadder() {
	step := &plan.Step{OnFailure: plan.Retry, Backups: []plan.Backup{{ID: "1", Description: "write it by hand"}}}
	next := recovery.Ladder{recovery.Retry{}, recovery.Backup{}, recovery.Ask{}}.Next(recovery.Situation{
		Step: step, History: tried("primary", "primary"), Failure: &history.AttemptFailed{Class: history.GateFailed},
	})
	fmt.Println(next.Rung, next.Method)
	fmt.Println(next.Why)
	// Output:
	// backup backup_1
	// backup 1 of 1: write it by hand
}

// begunRun is a run of steps of which nothing has begun.
func begunRun(t *testing.T, addresses ...plan.Address) *history.Run {
	t.Helper()
	started := &history.Started{Run: "R", Envelope: &envelope.Envelope{}}
	for _, a := range addresses {
		task, _, _ := strings.Cut(string(a), ".")
		started.Steps = append(started.Steps, history.Outline{Address: a, Task: task})
	}
	fact, err := history.Located{Fact: started}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	run := &history.Run{}
	if err := run.Apply(record.Record{Seq: 1, Fact: fact}); err != nil {
		t.Fatal(err)
	}
	return run
}
