package exec_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/evidence/remote"
	"github.com/planlock/planlock/gate/evidence/search"
	"github.com/planlock/planlock/gate/review"
)

// tracking is a server that knows a run from the n-th time on that it is asked.
func tracking(t *testing.T, from int32) (*remote.MLflow, *atomic.Int32) {
	asked := new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) < from {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error_code":"RESOURCE_DOES_NOT_EXIST"}`)
			return
		}
		fmt.Fprintf(w, `{"run":{"info":{"run_id":%q,"status":"FINISHED","experiment_id":"1"},"data":{}}}`,
			r.URL.Query().Get("run_id"))
	}))
	t.Cleanup(s.Close)
	return &remote.MLflow{URL: s.URL}, asked
}

// known is a server that knows every run.
func known(t *testing.T) *remote.MLflow {
	m, _ := tracking(t, 0)
	return m
}

func TestEvidenceOfTasks(t *testing.T) {
	nobody := exec.Advisors{advice.Reflection: nil}
	tests := map[string]struct {
		from     int32 // when the server knows the run
		script   exectest.Script
		advisors exec.Advisors
		looks    int // for the evidence of task 1
		want     history.StepStatus
		reason   string
	}{
		"found":        {1, pipelineScript("r1"), nobody, 1, history.Completed, "was found"},
		"no run named": {1, pipelineScript(), nobody, 1, history.Failed, "evidence is missing: it counts as experimental, and lacks run: no run was named"},
		"unknown to the server": {9, pipelineScript("r1"), nobody, 1, history.Failed,
			"evidence is missing"},
		"known a little later":   {2, pipelineScript("r1"), nil, 2, history.Completed, "after a retry"},
		"known at the last look": {3, pipelineScript("r1"), nil, 3, history.Completed, "after a retry"},
		"known too late": {4, pipelineScript("r1"), nil, 3, history.FailedFinal,
			"after all retries"},
		"named after a patch":         {1, nameless("16"), reflects(0.70, "16"), 2, history.Completed, "after a retry"},
		"confidence below 0.70":       {1, nameless("16"), reflects(0.69, "16"), 1, history.Failed, "0.70 is needed"},
		"named after two patches":     {1, nameless("8"), halving(), 3, history.Completed, "after a retry"},
		"not named after two patches": {1, nameless("4"), halving(), 3, history.FailedFinal, "after all retries"},
		"advice that changes nothing": {1, nameless("16"), reflects(0.9, ""), 1, history.Failed,
			"changes nothing"},
		"the job fails where it is patched": {1, failsPatched(), reflects(0.9, "16"), 1, history.FailedFinal, "its evidence was missing, and it failed when it was tried anew"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, pipeline, workspace, test.script)
			tracker, _ := tracking(t, test.from)
			b.Controller.Evidence, b.Controller.Advisors = &search.Policy{Tracker: tracker,
				Delay: time.Millisecond}, test.advisors
			run := b.Run(t)
			looks := 0
			for _, e := range run.Report.Run.Evidence {
				if e.Task == "1" {
					looks++
				}
			}
			o := run.Report.Run.Task("1").Outcome()
			if looks != test.looks || o.Status != test.want || !strings.Contains(o.Reason, test.reason) {
				t.Errorf("%d looks, %s (%s); want %d, %s (…%s…)\n%s", looks, o.Status, o.Reason, test.looks,
					test.want, test.reason, run.Report)
			}
			second := run.Report.Run.Task("2").Outcome()
			if (second.Status == history.Completed) != (test.want == history.Completed) {
				t.Errorf("the task that needs it is %s", second.Status)
			}
			if (run.Status() == history.Achieved) != (test.want == history.Completed) {
				t.Errorf("the run ended %s", run.Status())
			}
		})
	}
}

// What is older than the task is no evidence of it: a run that began before, and
// a file that none of its steps wrote.
func TestOldEvidenceIsNone(t *testing.T) {
	for name, test := range map[string]struct {
		started string // of the run, as a part of the server's answer
		claims  string // a file that the job claims
		want    history.StepStatus
		reason  string
	}{
		"a run of now":          {fmt.Sprintf(`,"start_time":%d`, time.Now().Add(time.Hour).UnixMilli()), "base.txt", history.Completed, "was found"},
		"nobody knows when":     {"", "base.txt", history.Completed, "was found"},
		"a run of last year":    {`,"start_time":1760803461000`, "base.txt", history.Failed, "began at 2025-10-18T16:04:21Z, before the task did"},
		"a file that was there": {"", "b.txt", history.Failed, `"b.txt" was there before the task, and none of its steps wrote it`},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprintf(w, `{"run":{"info":{"run_id":"r1","status":"FINISHED"%s},"data":{}}}`, test.started)
			}))
			defer s.Close()
			script := pipelineScript()
			script["1.1"] = func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
				out, err := trained("r1")(ctx, w)
				out.Artifacts = []string{test.claims}
				return out, err
			}
			b := exectest.New(t, pipeline, workspace, script)
			b.Controller.Evidence = &search.Policy{Tracker: &remote.MLflow{URL: s.URL}}
			b.Controller.Advisors = exec.Advisors{advice.Reflection: nil}
			run := b.Run(t)
			if o := run.Report.Run.Task("1").Outcome(); o.Status != test.want || !strings.Contains(o.Reason, test.reason) {
				t.Errorf("%s (%s); want %s (…%s…)", o.Status, o.Reason, test.want, test.reason)
			}
		})
	}
}

// Who asks for evidence without a tracker is told why a task owes a run, and
// how it need not or can.
func TestEvidenceThatIsMissingSaysTheWayOut(t *testing.T) {
	b := exectest.New(t, pipeline, workspace, pipelineScript())
	b.Controller.Evidence = &search.Policy{}
	reason := b.Run(t).Report.Run.Task("1").Outcome().Reason
	for _, want := range []string{"counts as experimental", "name it as documentation", "give a tracker", "nothing more was tried: "} {
		if !strings.Contains(reason, want) {
			t.Errorf("the reason is %q, and does not say %q", reason, want)
		}
	}
}

// nameless names its run only where the batch has a size.
func nameless(size string) exectest.Script {
	s := pipelineScript()
	s["1.1"] = func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		if strings.HasSuffix(w.Method.Run, " "+size) {
			return trained("r1")(ctx, w)
		}
		return trained()(ctx, w)
	}
	return s
}

// failsPatched fails once it is patched.
func failsPatched() exectest.Script {
	s := pipelineScript()
	s["1.1"] = func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		if w.Method.ID != "primary" {
			return exec.Outcome{}, errors.New("it does not work")
		}
		return trained()(ctx, w)
	}
	return s
}

// TestRegenerationRestoresTheTree: what the first method left is gone before
// the patched one begins.
func TestRegenerationRestoresTheTree(t *testing.T) {
	var record exectest.Record
	script := nameless("16")
	inner := script["1.1"]
	script["1.1"] = func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		if w.Method.ID == "patch_1" && exectest.Put(w.Dir, "probe", "") == nil {
			if _, err := exectest.Remove("probe")(ctx, w); err != nil {
				return exec.Outcome{}, err
			}
		}
		return inner(ctx, w)
	}
	b := exectest.New(t, pipeline, workspace, record.Of(script))
	tracker, _ := tracking(t, 1)
	b.Controller.Evidence, b.Controller.Advisors = &search.Policy{Tracker: tracker}, reflects(0.9, "16")
	run := b.Run(t)
	run.Want(t, history.Achieved)
	if diff := cmp.Diff([]string{"1.1#1 primary", "1.1#2 patch_1", "2.1#1 primary"}, record.Attempts()); diff != "" {
		t.Error(diff)
	}
	if got := run.Read(t, "base.txt"); got != "train --batch_size 16\n" {
		t.Errorf("base.txt holds %q", got)
	}
	back := run.Report.Run.RolledBack
	if len(back) != 1 || back[0].By != history.ByEvidenceRetry || back[0].To != "1.1" {
		t.Errorf("set back: %+v", back)
	}
}

// TestIrreversibleStepsAreNotRegenerated: what cannot be undone is not done
// twice for its evidence.
func TestIrreversibleStepsAreNotRegenerated(t *testing.T) {
	text := strings.Replace(pipeline, "run = \"train --batch_size 32\"", "run = \"train --batch_size 32\"\nrollback = \"irreversible\"", 1)
	var record exectest.Record
	b := exectest.New(t, text, workspace, record.Of(nameless("16")))
	tracker, _ := tracking(t, 1)
	b.Controller.Evidence, b.Controller.Advisors = &search.Policy{Tracker: tracker}, reflects(0.9, "16")
	run := b.Run(t)
	if o := run.Report.Run.Task("1").Outcome(); o == nil || o.Status != history.Failed ||
		!strings.Contains(o.Reason, "cannot be undone") {
		t.Errorf("%+v\n%v", o, run.Err)
	}
	if got := record.Attempts(); len(got) != 1 {
		t.Errorf("attempted %q", got)
	}
}

// TestClaimsAreOwed: what jobs name and what plans declare is looked for, each
// once.
func TestClaimsAreOwed(t *testing.T) {
	script := pipelineScript("r1")
	inner := script["1.1"]
	script["1.1"] = func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		out, err := inner(ctx, w)
		out.Artifacts = []string{"base.txt", "never/made.json"}
		return out, err
	}
	b := exectest.New(t, pipeline, workspace, script)
	b.Controller.Evidence = &search.Policy{Tracker: known(t)}
	b.Controller.Advisors = exec.Advisors{advice.Reflection: nil}
	var names []string
	for _, i := range b.Run(t).Report.Run.Task("1").Evidence().Items {
		names = append(names, string(i.Kind)+" "+i.Name+" "+string(i.State))
	}
	want := []string{"run r1 found", "file base.txt found", "file never/made.json missing"}
	if !slices.Equal(names, want) {
		t.Errorf("looked for %q, want %q", names, want)
	}
}

// TestWaitingForALateServer: a server is asked again after the policy's delay,
// five seconds where it has none, and a run that is interrupted meanwhile goes
// on with what it had decided.
func TestWaitingForALateServer(t *testing.T) {
	if got := (&search.Policy{}).Wait(); got != 5*time.Second {
		t.Errorf("the delay is %v, want 5s", got)
	}
	b := exectest.New(t, pipeline, workspace, pipelineScript("r1"))
	tracker, asked := tracking(t, 2)
	ctx, cancel := context.WithCancelCause(t.Context())
	b.Controller.Evidence = &search.Policy{Tracker: tracker, Delay: time.Hour}
	b.Controller.Observe = event.On(func(event.Event, *history.EvidenceRetry) {
		time.AfterFunc(20*time.Millisecond, func() { cancel(errors.New("stop")) })
	})
	locked := b.Lock(t)
	report, err := b.Controller.Run(ctx, locked)
	if err == nil || report.Run.Task("1").Outcome() != nil || asked.Load() != 1 {
		t.Fatalf("%v, asked %d times; want an interrupted run that waits", err, asked.Load())
	}
	ctx, cancel = context.WithCancelCause(t.Context())
	b.Controller.Observe = event.On(func(event.Event, *history.Resumed) {
		time.AfterFunc(50*time.Millisecond, func() { cancel(errors.New("stop")) })
	})
	report, err = b.Controller.Resume(ctx, locked, report.Run.Started.Run)
	if err == nil || len(report.Run.EvidenceRetries) != 1 || report.Run.EvidenceRetries[0].After != time.Hour {
		t.Errorf("%v, retries %+v; want the one that was decided, with its hour", err, report.Run.EvidenceRetries)
	}
}

// TestOutcomesSayWhereTheyComeFrom: the last word about a task names its
// approval, its attempts, its retries, its runs and its artifacts.
func TestOutcomesSayWhereTheyComeFrom(t *testing.T) {
	b := exectest.New(t, pipeline, workspace, nameless("8"))
	b.Controller.Reviewers = []review.Reviewer{reviewer("ops", small)}
	b.Controller.Evidence, b.Controller.Advisors = &search.Policy{Tracker: known(t)}, halving()
	run := b.Run(t)
	run.Want(t, history.Achieved)
	want := []*history.TaskOutcome{
		{Task: "1", Status: history.Completed, Reason: "approved, and its evidence was found after a retry",
			Approval:  history.ApprovedRetry,
			Execution: "SUCCEEDED", Verification: "pass", Retries: history.Retries{Approval: 1,
				Verification: 1},
			Attempts: 2, Runs: []string{"r1"}, Artifacts: []string{"base.txt"}},
		{Task: "2", Status: history.Completed, Reason: "approved, and its evidence was found",
			Approval:  history.Approved,
			Execution: "SUCCEEDED", Verification: "pass", Attempts: 1, Artifacts: []string{"report.md"}},
	}
	for _, o := range want {
		if diff := cmp.Diff(o, run.Report.Run.Task(o.Task).Outcome()); diff != "" {
			t.Errorf("task %s (-want +got):\n%s", o.Task, diff)
		}
	}
}
