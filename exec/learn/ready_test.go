package learn_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/learn"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/plan"
)

// prompted is a plan of one step that says what to do and no command.
func prompted() *plan.Plan {
	return &plan.Plan{Tasks: []plan.Task{{ID: "1", Steps: []plan.Step{{
		Address: "1.1", ID: "1", Description: "Ring the bell", Prompt: "ring it"}}}}}
}

// rang is a sealed run of prompted in which an approved job did the step, and a
// person says so.
func rang(name string) *history.Run {
	r := finished(name, "", "primary")
	r.Approvals = []history.Approval{{Task: "1", Status: history.Approved, RunBy: "1.1",
		Jobs:    []review.Job{{ID: "ring_" + name, Entry: "./ring.sh", Args: `{"times":3}`, Artifacts: []string{"bell.log"}}},
		Entries: []history.ApprovedEntry{{Path: "ring.sh", Digest: "sha256:aa"}}}}
	r.Steps[0].Carried = &history.StepCarried{Basis: history.Reviewed}
	return r
}

// recalls is rang, by the ready job of a memory.
func recalls(name string, ready history.ReadyJob) *history.Run {
	r := rang(name)
	a := &r.Approvals[0]
	a.Ready, a.FromMemory, a.Jobs = []history.ReadyJob{ready}, ready.Digest, ready.Jobs
	return r
}

// three is a book that three runs have taught a job, which anna promoted.
func three(t *testing.T) (*learn.Book, string) {
	t.Helper()
	b := open(t, new(checkpoint.MemoryLog))
	for _, name := range []string{"a", "b", "c"} {
		ring(t, b, rang(name))
	}
	e := one(t, b)
	if e.Job == nil || e.Kind != learn.Procedural || e.Remedy != "sh ring.sh --times 3" || e.Confirmed != 3 {
		t.Fatalf("got %+v", e)
	}
	if len(b.Memory().Ready) != 0 {
		t.Error("it is ready before anybody promoted it")
	}
	if err := b.Promote(t.Context(), e.ID, "anna", "it works"); err != nil {
		t.Fatal(err)
	}
	return b, e.ID
}

func ring(t *testing.T, b *learn.Book, r *history.Run) {
	t.Helper()
	if err := b.Take(t.Context(), prompted(), r); err != nil {
		t.Fatal(err)
	}
}

// said is what a memory says of its one ready job.
func said(t *testing.T, b *learn.Book) string {
	t.Helper()
	m := b.Memory()
	if len(m.Ready) != 1 {
		t.Fatalf("%d ready jobs", len(m.Ready))
	}
	r := m.Ready[0]
	text := fmt.Sprintf("%.2f", r.Confidence)
	for _, run := range r.Runs {
		text += fmt.Sprintf(" %s/%s/%s", run.Run, run.Step, run.Basis)
	}
	if r.Withheld != "" {
		text += " withheld"
	}
	return text
}

// TestAJobIsReadyOnceThreeRunsShowedIt has runs whose reviewers called one job by
// other names teach one thing, which is for steps that do the same.
func TestAJobIsReadyOnceThreeRunsShowedIt(t *testing.T) {
	b, _ := three(t)
	if got, want := said(t, b), "0.75 a/1.1/reviewed b/1.1/reviewed c/1.1/reviewed"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	r := b.Memory().Ready[0]
	if r.Does != "follows a prompt: ring the bell" || r.Digest == "" || len(r.Jobs) != 1 {
		t.Errorf("got %+v", r)
	}
	rec := b.Memory().Recommend(prompted())
	if len(rec) != 1 || rec[0].ReadyJob != r.Digest || !strings.Contains(rec[0].Change, "--learned") {
		t.Errorf("recommended: %+v", rec)
	}
	if m := b.ReadyJobs(); len(m) != 1 {
		t.Errorf("%d ready jobs in the book", len(m))
	}
}

// TestConfidenceOfAReadyJob follows it over runs that went well, failed, and were
// set back since.
func TestConfidenceOfAReadyJob(t *testing.T) {
	fail := func(c history.Class) func(*history.Run) {
		return func(r *history.Run) {
			r.Ended.Status, r.Steps[0].Status, r.Steps[0].Completed = history.NotAchieved, history.Failed, nil
			r.Steps[0].Attempts[0].Failure = &history.AttemptFailed{Class: c, Reasons: []string{"no bell"}}
		}
	}
	for name, test := range map[string]struct {
		spoil func(*history.Run)
		want  string
	}{
		"it went well":     {func(*history.Run) {}, "0.80 a/1.1/reviewed b/1.1/reviewed c/1.1/reviewed d/1.1/reviewed"},
		"it failed":        {fail(history.Crashed), "0.60 a/1.1/reviewed b/1.1/reviewed c/1.1/reviewed withheld"},
		"a gate said no":   {fail(history.GateFailed), "0.60 a/1.1/reviewed b/1.1/reviewed c/1.1/reviewed withheld"},
		"it was cut off":   {fail(history.Interrupted), "0.75 a/1.1/reviewed b/1.1/reviewed c/1.1/reviewed"},
		"the disk is full": {fail(history.NoSpace), "0.75 a/1.1/reviewed b/1.1/reviewed c/1.1/reviewed"},
		"it failed in a trial": {func(r *history.Run) { fail(history.Crashed)(r); r.Started.Shadow = true },
			"0.75 a/1.1/reviewed b/1.1/reviewed c/1.1/reviewed"},
		"its evidence is missing": {func(r *history.Run) {
			r.Outcomes = []history.TaskOutcome{{Task: "1", Status: history.Failed, Reason: "no evidence", Approval: history.Approved,
				Execution: "SUCCEEDED", Verification: "fail"}}
		}, "0.60 a/1.1/reviewed b/1.1/reviewed c/1.1/reviewed withheld"},
		"it failed before the run was set back": {func(r *history.Run) {
			undone := *r.Steps[0].Attempts[0]
			undone.Failure = &history.AttemptFailed{Class: history.Crashed}
			r.Steps[0].Undone, r.Approvals[0].Undone = []*history.Attempt{&undone}, true
		}, "0.60 a/1.1/reviewed b/1.1/reviewed c/1.1/reviewed withheld"},
	} {
		t.Run(name, func(t *testing.T) {
			b, _ := three(t)
			r := recalls("d", b.Memory().Ready[0])
			test.spoil(r)
			ring(t, b, r)
			if got := said(t, b); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestAReadyJobOfARunThatWasSetBack is not offered where too few others stand.
func TestAReadyJobOfARunThatWasSetBack(t *testing.T) {
	b, id := three(t)
	r := rang("c")
	r.After = &history.Afterwards{Setbacks: []history.Setback{{To: "1.1", Steps: []plan.Address{"1.1"}, Done: true}}}
	if err := b.Withdraw(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if got, want := said(t, b), "0.67 a/1.1/reviewed b/1.1/reviewed withheld"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	ring(t, b, rang("d"))
	if got, want := said(t, b), "0.75 a/1.1/reviewed b/1.1/reviewed d/1.1/reviewed"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if err := b.Revoke(t.Context(), id, "anna", "no"); err != nil || len(b.Memory().Ready) != 0 {
		t.Errorf("revoked: %v, %+v", err, b.Memory().Ready)
	}
}

// TestJobsThatTeachNothing are those of which nobody knows what they did, or with
// what they begin.
func TestJobsThatTeachNothing(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(*history.Run)
		why   string
	}{
		"nobody looked": {func(r *history.Run) { r.Steps[0].Carried.Basis = history.Unverified }, "nobody looked at what its jobs did"},
		"it only declared": {func(r *history.Run) { r.Steps[0].Carried.Basis = history.Declared },
			"nobody looked at what its jobs did: it is declared"},
		"a step made its entry": {func(r *history.Run) { r.Approvals[0].Entries = nil }, "was not there when it was approved"},
		"set back":              {func(r *history.Run) { r.Steps[0].Undone = r.Steps[0].Attempts[:1] }, "it was set back"},
		"a risk was accepted": {func(r *history.Run) {
			r.Steps[0].Questions = []history.Exchange{{Question: ask.Question{ID: "q1", Kind: ask.StepFailed,
				Choices: []ask.Choice{{Key: "r", Acknowledge: "I know"}}}, Answer: &ask.Answer{Choice: "r"}}}
		}, "a person accepted a risk"},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, new(checkpoint.MemoryLog))
			r := rang("a")
			test.spoil(r)
			ring(t, b, r)
			for e := range b.Entries() {
				t.Errorf("it teaches %+v", e)
			}
			var all strings.Builder
			for rec, err := range b.Audit(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				all.Write(rec.Data)
			}
			if !strings.Contains(all.String(), test.why) {
				t.Errorf("%s does not say %q", all.String(), test.why)
			}
		})
	}
}
