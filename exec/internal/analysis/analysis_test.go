package analysis_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/analysis"
	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/plan"
)

// A told is a run that a test writes fact by fact.
type told struct {
	t       *testing.T
	plan    *plan.Plan
	records []record.Record
}

// tell begins a run of a plan with one task of n steps for each number;
// critical says which are.
func tell(t *testing.T, critical func(plan.Address) bool, tasks ...int) *told {
	t.Helper()
	p := &plan.Plan{}
	started := &history.Started{Run: "r", Policy: history.Policy{Mode: plan.Dynamic}}
	for i, n := range tasks {
		task := plan.Task{ID: fmt.Sprint(i + 1)}
		for j := range n {
			at := plan.Address(fmt.Sprintf("%d.%d", i+1, j+1))
			c := critical(at)
			task.Steps = append(task.Steps, plan.Step{ID: fmt.Sprint(j + 1), Address: at, Critical: &c,
				Backups: []plan.Backup{{ID: "1", Description: "by hand"}, {ID: "2", Description: "by mail"}}})
			started.Steps = append(started.Steps, history.Outline{Address: at, Task: task.ID, Critical: c})
		}
		p.Tasks = append(p.Tasks, task)
	}
	r := &told{t: t, plan: p}
	return r.add("", 0, started)
}

func all(plan.Address) bool  { return true }
func none(plan.Address) bool { return false }

func (r *told) add(at plan.Address, attempt int, f history.Fact) *told {
	r.t.Helper()
	fact, err := history.Located{Where: history.Where{Step: at, Attempt: attempt}, Fact: f}.Encode()
	if err != nil {
		r.t.Fatal(err)
	}
	n := len(r.records) + 1
	r.records = append(r.records, record.Record{Seq: uint64(n), Time: time.Unix(int64(n), 0).UTC(), Fact: fact})
	return r
}

// step runs a step: each method but the last fails with the message, and the
// last one completes it unless it is "".
func (r *told) step(at plan.Address, message string, methods ...string) *told {
	r.t.Helper()
	r.add(at, 0, &history.StepStarted{Decision: "proceed", Prior: r.priors(at)})
	for i, m := range methods {
		if m == "" {
			return r.add(at, 0, &history.StepFailed{Class: history.Crashed, Reasons: []string{message}})
		}
		if i > 0 {
			rung := "backup"
			if m == methods[i-1] {
				rung = "retry"
			}
			r.add(at, i, &history.Recovery{Rung: rung, Method: m})
		}
		r.add(at, i+1, &history.AttemptStarted{Method: m})
		if i < len(methods)-1 {
			r.add(at, i+1, &history.AttemptFailed{Class: history.Crashed, Reasons: []string{message}})
		}
	}
	return r.add(at, 0, &history.StepCompleted{Method: methods[len(methods)-1]})
}

// priors are the failed steps before one, which its checkpoint has read.
func (r *told) priors(at plan.Address) []plan.Address {
	var prior []plan.Address
	run := r.fold()
	for _, s := range run.Steps {
		if s.Status == history.Failed {
			prior = append(prior, s.Address)
		}
	}
	return prior
}

func (r *told) end(status history.Status) *told {
	r.t.Helper()
	return r.add("", 0, &history.Ended{Status: status})
}

func (r *told) fold() *history.Run {
	r.t.Helper()
	run, err := history.Fold(r.records)
	if err != nil {
		r.t.Fatal(err)
	}
	return run
}

func (r *told) analysed() analysis.Analysis {
	r.t.Helper()
	return analysis.Of(r.plan, r.fold())
}

// texts are the recommendations about something.
func (r *told) texts(about string) []string {
	var out []string
	for _, rec := range r.analysed().Recommendations {
		if rec.About == about {
			out = append(out, rec.Text())
		}
	}
	return out
}

func TestFailures(t *testing.T) {
	r := tell(t, none, 3, 2)
	r.step("1.1", "out of memory", "primary", "primary", "backup_1")
	r.step("1.2", "hm", "primary", "")
	r.step("1.3", "out of memory", "primary", "backup_1", "backup_2", "")
	r.step("2.1", "", "primary")
	r.step("2.2", "out of memory", "primary", "")
	got := r.end(history.Partial).analysed().Failures
	want := analysis.Failures{
		Steps: []analysis.FailedStep{
			{Step: "1.1", Failures: 2, Retries: 1, Resolved: "backup_1", Cause: "out of memory"},
			{Step: "1.2", Failures: 1},
			{Step: "1.3", Failures: 3, Cause: "out of memory"},
			{Step: "2.2", Failures: 1, Cause: "out of memory"},
		},
		Tasks: []analysis.FailedTask{{Task: "1", Rate: analysis.Rate{N: 2, Of: 3}},
			{Task: "2", Rate: analysis.Rate{N: 1, Of: 2}}},
		Overall:   analysis.Rate{N: 3, Of: 5},
		Clustered: "1",
		Causes:    []analysis.Cause{{Name: "out of memory", Steps: []plan.Address{"1.1", "1.3", "2.2"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTwoFailuresAreNoCluster(t *testing.T) {
	r := tell(t, none, 2, 1)
	r.step("1.1", "", "primary", "").step("1.2", "", "primary", "").step("2.1", "", "primary")
	if got := r.analysed().Failures.Clustered; got != "" {
		t.Errorf("got %q", got)
	}
}

func TestBackups(t *testing.T) {
	r := tell(t, none, 3)
	r.step("1.1", "", "primary", "backup_1").step("1.2", "", "primary", "backup_1", "backup_2").step("1.3", "", "primary", "backup_1", "backup_2", "")
	want := analysis.Backups{
		Used: []analysis.BackupUse{
			{Description: "by hand", Rate: analysis.Rate{N: 1, Of: 3}, Steps: []plan.Address{"1.1", "1.2", "1.3"}},
			{Description: "by mail", Rate: analysis.Rate{N: 1, Of: 2}, Steps: []plan.Address{"1.2", "1.3"}},
		},
		Rate: analysis.Rate{N: 2, Of: 5},
	}
	if diff := cmp.Diff(want, r.analysed().Backups); diff != "" {
		t.Error(diff)
	}
}

func TestEscalations(t *testing.T) {
	r := tell(t, all, 2)
	switched := func(to plan.Mode, cause string, triggers ...string) {
		r.add("", 0, &history.ModeSwitched{From: plan.Dynamic, To: plan.Collaborative, Cause: cause,
			Triggers: triggers})
		r.add("", 0, &history.ModeSwitched{From: plan.Collaborative, To: to, Cause: "asked for"})
	}
	switched(plan.Dynamic, "x", "consecutive failures", "backup depletion")
	switched(plan.Silent, "critical failure")
	r.add("", 0, &history.ModeSwitched{From: plan.Silent, To: plan.Dynamic, Cause: "asked for"})
	switched(plan.Education, "critical failure") // a person wants to be asked more, not less
	r.add("", 0, &history.ModeSwitched{From: plan.Education, To: plan.Dynamic, Cause: "asked for"})
	r.add("", 0, &history.ModeSwitched{From: plan.Dynamic, To: plan.Collaborative, Cause: "consecutive failures"})
	question := func(id string, answered bool) {
		q := ask.Question{ID: id, Run: "r", Step: "1.1", Kind: ask.StepFailed, Choices: []ask.Choice{{Key: "r"}}}
		r.add("1.1", 0, &history.Asked{Question: q})
		if answered {
			r.add("1.1", 0, &history.Answered{Answer: ask.Answer{Question: id, Choice: "r"}})
			return
		}
		r.add("1.1", 0, &history.Unanswered{Question: id, Final: true})
	}
	question("q1", true)
	question("q2", false)
	want := analysis.Escalations{
		Total:     4,
		TakenBack: 2,
		Triggers: []analysis.Count{{What: "consecutive failures", N: 2}, {What: "backup depletion", N: 1},
			{What: "critical failure", N: 2}},
		Asked:    []analysis.Count{{What: "step-failed", N: 2}},
		Answered: analysis.Rate{N: 1, Of: 2},
	}
	if diff := cmp.Diff(want, r.analysed().Escalations); diff != "" {
		t.Error(diff)
	}
	if got := r.texts("mode"); len(got) != 2 {
		t.Errorf("two escalations by each of two triggers: got %q", got)
	}
}

func TestPropagation(t *testing.T) {
	r := tell(t, all, 2, 2)
	r.step("1.1", "", "primary", "")
	r.add("1.2", 0, &history.StepBlocked{By: "1.1"})
	r.add("2.1", 0, &history.StepStarted{Decision: "proceed with concern", Prior: []plan.Address{"1.1"}})
	r.add("2.1", 1, &history.AttemptStarted{Method: "primary"}).add("2.1", 1, &history.StepCompleted{Method: "primary"})
	r.add("2.2", 0, &history.StepStarted{Decision: "reviewed"}) // and has not read that 1.1 failed
	want := analysis.Propagation{Concerned: 1, Reviewed: 1, Blocked: 1,
		Chains: []analysis.Chain{{From: "1.1", Blocked: []plan.Address{"1.2"}}}, Unread: []plan.Address{"2.2"}}
	if diff := cmp.Diff(want, r.analysed().Propagation); diff != "" {
		t.Error(diff)
	}
}

func TestKPIs(t *testing.T) {
	r := tell(t, all, 1, 1, 1, 1)
	r.step("1.1", "", "primary").step("2.1", "", "primary", "backup_1").step("3.1", "", "primary", "primary", "").step("4.1", "", "primary")
	r.add("", 0, &history.Evidence{Task: "1", Pass: true, Kind: evidence.Documentation, Items: []evidence.Item{{State: evidence.Found}}})
	r.add("", 0, &history.Evidence{Task: "3", Kind: evidence.Documentation}) // owes none
	r.add("", 0, &history.Evidence{Task: "4", Pass: false, Kind: evidence.Experimental, Items: []evidence.Item{{State: evidence.Missing}}})
	r.add("", 0, &history.TaskOutcome{Task: "4", Status: history.Failed})
	got := r.end(history.Partial).analysed().KPIs
	want := analysis.KPIs{Tasks: 4, Completed: analysis.Rate{N: 2, Of: 4}, RetrySuccess: analysis.Rate{N: 1, Of: 2},
		Evidence: analysis.Rate{N: 1, Of: 2},
		Unaided:  analysis.Rate{N: 3, Of: 3}, Recovered: analysis.Rate{N: 1, Of: 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestFiguresOfTheAssistant: tests that were seen to fail first, sessions and
// tokens.
func TestFiguresOfTheAssistant(t *testing.T) {
	r := tell(t, all, 1, 1, 1)
	for i, red := range []history.Cycle{
		{Phase: history.Red, Ran: true, Exit: 1, Holds: true, Did: "kept"},
		{Phase: history.Red, Ran: true, Passed: true, Did: "refused"},
	} {
		at := plan.Address(fmt.Sprintf("%d.1", i+1))
		r.add(at, 0, &history.StepStarted{}).add(at, 1, &history.AttemptStarted{Method: "primary"}).add(at, 1, &red)
		r.add(at, 1, &history.AttemptEnded{Tokens: 10}).add(at, 0, &history.StepCompleted{Method: "primary"})
		r.add("", 0, &history.Resumed{Reason: "crash"})
	}
	got := r.step("3.1", "", "primary").end(history.Achieved).analysed().KPIs
	if got.TestFirst != (analysis.Rate{N: 1, Of: 2}) || got.Resumed != 2 || got.Tokens != 20 {
		t.Errorf("got %+v; want 1 of 2 tests first, resumed twice, 20 tokens", got)
	}
}

func TestRecommendations(t *testing.T) {
	mixed := func(a plan.Address) bool { return a[len(a)-1]%2 == 1 }
	for _, tt := range []struct {
		name, about string
		tell        func(t *testing.T) *told
		want        []string
	}{
		{"a critical step that was not", "critical flag", func(t *testing.T) *told {
			return tell(t, mixed, 2).step("1.1", "", "primary", "").step("1.2", "", "primary").end(history.Partial)
		}, []string{"step 1.1: mark it as not critical (it failed, nothing was blocked by that, and the run ended PARTIAL)"}},
		{"a critical step that somebody left out", "critical flag", func(t *testing.T) *told {
			return tell(t, mixed, 2).add("1.1", 0, &history.StepSkipped{By: "ana"}).
				step("1.2", "", "primary").end(history.Partial)
		}, nil},
		{"a critical step that was", "critical flag", func(t *testing.T) *told {
			return tell(t, mixed, 2).step("1.1", "", "primary", "").add("1.2", 0,
				&history.StepBlocked{By: "1.1"}).end(history.Partial)
		}, nil},
		{"a step that should be critical", "critical flag", func(t *testing.T) *told {
			return tell(t, none, 3).step("1.1", "", "primary", "").step("1.2", "", "primary", "").step("1.3", "", "primary", "").end(history.NotAchieved)
		}, []string{"step 1.1: mark it as critical (it failed, and what followed in its task failed, too)", "step 1.2: mark it as critical (it failed, and what followed in its task failed, too)"}},
		{"a step that blocks what follows", "critical flag", func(t *testing.T) *told {
			return tell(t, none, 3).step("1.1", "", "primary", "").add("1.2", 0, &history.StepBlocked{By: "1.1"}).
				add("1.3", 0, &history.StepBlocked{By: "1.2"}).end(history.Partial)
		}, []string{"step 1.1: mark it as critical (it failed, and what followed in its task failed or was blocked)"}},
		{"a step beside one that blocks", "critical flag", func(t *testing.T) *told {
			return tell(t, none, 3).step("1.1", "", "primary", "").step("1.2", "", "primary", "").
				add("1.3", 0, &history.StepBlocked{By: "1.1"}).end(history.Partial)
		}, []string{"step 1.1: mark it as critical (it failed, and what followed in its task failed or was blocked)"}},
		{"a backup that is better", "backup", func(t *testing.T) *told {
			return tell(t, mixed, 2).step("1.1", "", "primary", "backup_1").step("1.2", "", "primary")
		}, []string{"step 1.1: make backup 1 the primary method: by hand (the primary method failed and this one did it)"}},
		{"a backup that comes too late", "backup", func(t *testing.T) *told {
			return tell(t, mixed, 2).step("1.1", "", "primary", "backup_1", "backup_2").step("1.2", "", "primary")
		}, []string{"step 1.1: make backup 2 the primary method: by mail (the primary method failed and this one did it)",
			"step 1.1: put backup 2 before those that failed (1 before it failed)"}},
		{"a backup that failed once itself", "backup", func(t *testing.T) *told {
			return tell(t, mixed, 2).step("1.1", "", "primary", "backup_1", "backup_2", "backup_2").step("1.2", "", "primary")
		}, []string{"step 1.1: make backup 2 the primary method: by mail (the primary method failed and this one did it)",
			"step 1.1: put backup 2 before those that failed (1 before it failed)"}},
		{"a person knew what was missing", "backup", func(t *testing.T) *told {
			r := tell(t, mixed, 2).step("1.1", "", "primary", "backup_1").step("1.2", "", "primary")
			r.add("1.1", 0, &history.Asked{Question: ask.Question{ID: "q1", Step: "1.1", Attempt: 1}})
			return r.add("1.1", 0, &history.Answered{Answer: ask.Answer{Question: "q1", Choice: "p", By: "ana", Reason: "say 429"}})
		}, []string{"step 1.1: write into its methods what ana said: say 429 (what was tried before failed, and what heard it did it)"}},
		{"a backup that is no other way", "backup", func(t *testing.T) *told {
			r := tell(t, mixed, 2).step("1.1", "", "primary", "backup_1").step("1.2", "", "primary")
			s := &r.plan.Tasks[0].Steps[0]
			s.Run, s.Backups[0].Run = "make", "make"
			return r
		}, nil},
		{"no backup helped", "backup", func(t *testing.T) *told {
			return tell(t, mixed, 2).step("1.1", "", "primary", "backup_1", "backup_2", "").step("1.2", "", "primary")
		}, []string{"step 1.1: find another way (its primary method and all 2 backups failed)"}},
		{"no backup helped and it was left out", "backup", func(t *testing.T) *told {
			r := tell(t, mixed, 2).add("1.1", 0, &history.StepStarted{Decision: "proceed"})
			for i, m := range []string{"primary", "backup_1", "backup_2"} {
				if i > 0 {
					r.add("1.1", i, &history.Recovery{Rung: "backup", Method: m})
				}
				r.add("1.1", i+1, &history.AttemptStarted{Method: m})
				r.add("1.1", i+1, &history.AttemptFailed{Class: history.Crashed, Reasons: []string{"no"}})
			}
			return r.add("1.1", 0, &history.StepSkipped{By: "ana", Why: "enough"}).step("1.2", "", "primary")
		}, []string{"step 1.1: find another way (its primary method and all 2 backups failed)"}},
		{"one backup is left", "backup", func(t *testing.T) *told {
			return tell(t, mixed, 2).step("1.1", "", "primary", "backup_1", "").step("1.2", "", "primary")
		}, nil},
		{"there is no backup", "backup", func(t *testing.T) *told {
			r := tell(t, mixed, 2).step("1.1", "", "primary", "")
			r.plan.Tasks[0].Steps[0].Backups = nil
			return r
		}, []string{"step 1.1: give it a backup (it is critical, failed, and had none)"}},
		{"it was refused", "backup", func(t *testing.T) *told {
			r := tell(t, mixed, 2).add("1.1", 0, &history.StepStarted{Decision: "proceed"}).
				add("1.1", 0, &history.StepFailed{Class: history.Refused, Reasons: []string{"a.txt is not there"}})
			r.plan.Tasks[0].Steps[0].Backups = nil
			return r
		}, nil},
		{"a proven backup", "backup", func(t *testing.T) *told {
			return tell(t, mixed, 2).step("1.1", "", "primary", "backup_1").step("1.2", "", "primary", "backup_1")
		}, []string{"step 1.1: make backup 1 the primary method: by hand (the primary method failed and this one did it)",
			"step 1.2: make backup 1 the primary method: by hand (the primary method failed and this one did it)",
			`use "by hand" first wherever it is a backup (it helped in all of 2 steps)`}},
		{"a task too large", "structure", func(t *testing.T) *told {
			return tell(t, mixed, 4).step("1.1", "", "primary", "").step("1.2", "", "primary", "").step("1.3", "", "primary", "").step("1.4", "", "primary")
		}, []string{"task 1: break it into smaller tasks (3 of its 4 steps failed)"}},
		{"half of it failed", "structure", func(t *testing.T) *told {
			return tell(t, mixed, 4).step("1.1", "", "primary", "").step("1.2", "", "primary", "").step("1.3", "", "primary").step("1.4", "", "primary")
		}, nil},
		{"a task of three", "structure", func(t *testing.T) *told {
			return tell(t, mixed, 3).step("1.1", "", "primary", "").step("1.2", "", "primary", "").step("1.3", "", "primary", "")
		}, nil},
		{"everything is critical", "balance", func(t *testing.T) *told { return tell(t, all, 2).step("1.1", "", "primary") },
			[]string{"mark between 40 and 60 percent of the steps as critical (now 2 of 2)"}},
		{"balanced", "balance", func(t *testing.T) *told { return tell(t, mixed, 2).step("1.1", "", "primary") }, nil},
		{"tasks of one step count", "balance", func(t *testing.T) *told {
			return tell(t, mixed, 2, 1, 1, 1).step("1.1", "", "primary")
		}, []string{"mark between 40 and 60 percent of the steps as critical (now 4 of 5)"}},
		{"one escalation", "mode", func(t *testing.T) *told {
			return tell(t, mixed, 2).add("", 0, &history.ModeSwitched{From: plan.Dynamic, To: plan.Collaborative,
				Cause: "x"})
		}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.tell(t).texts(tt.about)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestCriticalStepWithoutBackup needs a plan without backups.
func TestCriticalStepWithoutBackup(t *testing.T) {
	r := tell(t, all, 1)
	r.plan.Tasks[0].Steps[0].Backups = nil
	r.step("1.1", "", "primary", "")
	if diff := cmp.Diff([]string{"step 1.1: give it a backup (it is critical, failed, and had none)"},
		r.texts("backup")); diff != "" {
		t.Error(diff)
	}
}

// TestSameHistorySameAnalysis analyses twice.
func TestSameHistorySameAnalysis(t *testing.T) {
	r := tell(t, all, 2, 2)
	r.step("1.1", "out of memory", "primary", "backup_1").step("1.2", "", "primary", "")
	if diff := cmp.Diff(r.analysed(), r.analysed()); diff != "" {
		t.Error(diff)
	}
}
