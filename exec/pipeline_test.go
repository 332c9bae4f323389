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

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/approval"
	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/plan/intake"
)

// pipeline is a plan with an experiment and a document that needs it.
const pipeline = `schema = 1
requirements = [{ id = "R1", text = "a baseline and a report" }]
non_goals = [{ id = "N1", text = "leave the secret alone", paths = ["secret/**"] }]
invariants = []

[meta]
goal_descriptor = "baseline"

[goal]
description = "Measure the baseline"

[defaults]
executor = "script"
requirements = ["R1"]
rollback = "reversible"
on_failure = "retry"
max_retries = 1
semantic_change = "extending"
limits = { max_files = 3, max_lines = 10 }
preconditions = []

[[tasks]]
id = 1
description = "Run the baseline"

[[tasks.steps]]
id = 1
description = "Train"
run = "train --batch_size 32"
artifacts = { create = ["base.txt"] }
postconditions = [{ kind = "file_exists", path = "base.txt" }]

[[tasks]]
id = 2
description = "Write the report"
depends_on = [1]

[[tasks.steps]]
id = 1
description = "Report"
run = "report"
artifacts = { create = ["report.md"] }
postconditions = [{ kind = "file_exists", path = "report.md" }]
`

// trained is what a good job of the experiment does.
func trained(runs ...string) exectest.Action {
	return func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		out, err := exectest.Write("base.txt", w.Method.Run+"\n")(ctx, w)
		out.Runs = runs
		return out, err
	}
}

func pipelineScript(runs ...string) exectest.Script {
	return exectest.Script{"1.1": trained(runs...), "2.1": exectest.Write("report.md", "# Report\n")}
}

const contract = `{"verdict":%q,"flags":{"critical":%s,"warnings":[]},"checks":{"requirements_passed":true},"proposed_jobs":[]}`

// reviewer approves drafts for which ok says so.
func reviewer(name string, ok func(approval.Draft) bool) exec.Reviewer {
	return approval.Func{Label: name, Ask: func(_ context.Context, d approval.Draft) (*intake.Contract, error) {
		if ok(d) {
			return intake.ReadContract(name, fmt.Appendf(nil, contract, "APPROVE", "[]")), nil
		}
		return intake.ReadContract(name, fmt.Appendf(nil, contract, "REJECT", "[]")), nil
	}}
}

func always(approval.Draft) bool  { return true }
func rejects(approval.Draft) bool { return false }

// small approves drafts whose training takes a small batch.
func small(d approval.Draft) bool {
	return !strings.Contains(d.Steps[0].Run, "32")
}

// reflects is an advisor that proposes a batch of half the size.
func reflects(confidence float64, batch string) exec.Advisors {
	return exec.Advisors{advice.Reflection: advice.Func(func(_ context.Context, c advice.Case) (advice.Advice, error) {
		a := advice.Advice{Advisor: "scripted", RootCause: "too large", Confidence: confidence}
		if batch != "" {
			a.Patch = &advice.Patch{Summary: "less at a time", Args: map[string]string{"batch_size": batch}}
		}
		return a, nil
	})}
}

// statuses are the decisions about a task, as STATUS(RETRY).
func statuses(r *history.Run, task string) []string {
	var list []string
	for _, a := range r.Approvals {
		if a.Task == task {
			list = append(list, fmt.Sprintf("%s(%d)", a.Status, a.Retry))
		}
	}
	return list
}

func TestApproval(t *testing.T) {
	tests := map[string]struct {
		reviewers []exec.Reviewer
		advisors  exec.Advisors
		want      []string
		terminal  string
		status    history.Status
		method    string // that was carried out in 1.1; "" if none
	}{
		"one approves":             {[]exec.Reviewer{reviewer("ops", always)}, nil, []string{"approved(0)"}, "", history.Achieved, "primary"},
		"three approve":            {[]exec.Reviewer{reviewer("ops", always), reviewer("quality", always), reviewer("infra", always)}, nil, []string{"approved(0)"}, "", history.Achieved, "primary"},
		"one of three rejects":     {[]exec.Reviewer{reviewer("ops", always), reviewer("quality", rejects), reviewer("infra", always)}, exec.Advisors{advice.Reflection: nil}, []string{"rejected(0)"}, "nobody gives advice", history.NotAchieved, ""},
		"patched, then approved":   {[]exec.Reviewer{reviewer("ops", small)}, reflects(0.70, "16"), []string{"rejected(0)", "approved_retry(1)"}, "", history.Achieved, "patch_1"},
		"confidence below 0.70":    {[]exec.Reviewer{reviewer("ops", small)}, reflects(0.69, "16"), []string{"rejected(0)", "failed_retry(0)"}, "0.70 is needed", history.NotAchieved, ""},
		"a patch without a change": {[]exec.Reviewer{reviewer("ops", small)}, reflects(0.9, ""), []string{"rejected(0)", "failed_retry(0)"}, "changes nothing", history.NotAchieved, ""},
		"a patch that widens":      {[]exec.Reviewer{reviewer("ops", small)}, reflects(0.9, "../../etc/passwd"), []string{"rejected(0)", "failed_retry(0)"}, "is refused", history.NotAchieved, ""},
		"rejected for good":        {[]exec.Reviewer{reviewer("ops", rejects)}, halving(), []string{"rejected(0)", "rejected(1)", "failed_retry(2)"}, "limit of 2", history.NotAchieved, ""},
		"approved at the last":     {[]exec.Reviewer{reviewer("ops", func(d approval.Draft) bool { return strings.Contains(d.Steps[0].Run, " 8") || d.Task == "2" })}, halving(), []string{"rejected(0)", "rejected(1)", "approved_retry(2)"}, "", history.Achieved, "patch_2"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, pipeline, workspace, pipelineScript())
			b.Controller.Reviewers, b.Controller.Advisors = test.reviewers, test.advisors
			run := b.Run(t)
			run.Want(t, test.status)
			if diff := cmp.Diff(test.want, statuses(run.Report.Run, "1")); diff != "" {
				t.Errorf("decisions: %s", diff)
			}
			last := run.Report.Run.Approval("1")
			if !strings.Contains(last.Terminal, test.terminal) || (last.Terminal == "") != (test.terminal == "") {
				t.Errorf("terminal reason %q, want …%s…", last.Terminal, test.terminal)
			}
			method := ""
			if a := run.Report.Run.Step("1.1").Last(); a != nil {
				method = a.Method.Method
			}
			if method != test.method {
				t.Errorf("1.1 was carried out by %q, want %q", method, test.method)
			}
			wanted := history.TaskFailed
			if test.status == history.Achieved {
				wanted = history.TaskCompleted
			}
			for _, task := range []string{"1", "2"} {
				if o := run.Report.Run.Outcome(task); o == nil || o.Status != wanted {
					t.Errorf("task %s: %+v, want %s", task, o, wanted)
				}
			}
		})
	}
}

// halving proposes half of the batch, and half of that.
func halving() exec.Advisors {
	return exec.Advisors{advice.Reflection: advice.Func(func(_ context.Context, c advice.Case) (advice.Advice, error) {
		size := "16"
		if strings.Contains(c.Method.Run, "16") {
			size = "8"
		}
		return advice.Advice{Confidence: 0.9, Patch: &advice.Patch{Summary: "half", Args: map[string]string{"batch_size": size}}}, nil
	})}
}

// TestRejectedTasksDoNothing: no step of a rejected task is attempted, nor of a task that needs it.
func TestRejectedTasksDoNothing(t *testing.T) {
	var record exectest.Record
	b := exectest.New(t, pipeline, workspace, record.Of(pipelineScript()))
	b.Controller.Reviewers = []exec.Reviewer{reviewer("ops", func(d approval.Draft) bool { return d.Task != "1" })}
	b.Controller.Advisors = exec.Advisors{advice.Reflection: nil}
	run := b.Run(t)
	run.Want(t, history.NotAchieved)
	if got := record.Attempts(); len(got) > 0 {
		t.Errorf("attempted %q", got)
	}
	if s := run.Report.Run.Step("1.1"); s.Skipped == nil || s.Skipped.By != "the reviewers" {
		t.Errorf("1.1 is %s", s.Status)
	}
	if s := run.Report.Run.Step("2.1"); s.Blocked == nil || s.Blocked.By != "1.1" {
		t.Errorf("2.1 is %s", s.Status)
	}
}

// TestReviewersChangeNothing: a reviewer that writes into the workspace has rejected, and what it wrote is undone.
func TestReviewersChangeNothing(t *testing.T) {
	b := exectest.New(t, pipeline, workspace, pipelineScript())
	b.Controller.Reviewers = []exec.Reviewer{reviewer("ops", func(d approval.Draft) bool {
		return exectest.Put(d.Dir, "smuggled", "x") == nil
	})}
	run := b.Run(t)
	if a := run.Report.Run.Approval("1"); a.Status != history.Rejected || a.Terminal != "a reviewer changed the tree" {
		t.Errorf("%+v", a)
	}
	if got := run.Read(t, "smuggled"); got != "" {
		t.Error("what the reviewer wrote is still there")
	}
}

// TestReviewersAreBound: a run does not go on under other reviewers.
func TestReviewersAreBound(t *testing.T) {
	b := exectest.New(t, pipeline, workspace, pipelineScript())
	b.Controller.Reviewers = []exec.Reviewer{reviewer("ops", always), reviewer("quality", always)}
	locked := b.Lock(t)
	b.Controller.Reviewers = b.Controller.Reviewers[:1]
	var refused *exec.RefusedError
	if _, err := b.Controller.Run(t.Context(), locked); !errors.As(err, &refused) {
		t.Errorf("without a reviewer: %v", err)
	}
	b.Controller.Reviewers = []exec.Reviewer{nil}
	if _, err := b.Controller.Run(t.Context(), locked); !errors.As(err, &refused) {
		t.Errorf("with a nil reviewer: %v", err)
	}
}

// TestTelemetryIsCaughtWhereTheLogIsCut: what a job says in the middle of a long log is not lost, and what
// it says on standard error is not heard.
func TestTelemetryIsCaughtWhereTheLogIsCut(t *testing.T) {
	const noise = `i=0; while [ $i -lt 3000 ]; do echo "epoch $i is over and nothing of interest happened"; i=$((i+1)); done; `
	text := strings.Replace(pipeline, `"train --batch_size 32"`, `'''`+noise+`echo MLFLOW_RUN_ID=abc123; echo "ARTIFACT base.txt"; echo "METRIC acc=0.5"; `+
		`echo "METRIC acc=9" >&2; `+noise+`echo x > base.txt'''`, 1)
	run := exectest.Run(t, text, workspace, exectest.Script{"1.1": exectest.Shell(), "2.1": exectest.Write("report.md", "x")})
	run.Want(t, history.Achieved)
	a := run.Report.Run.Step("1.1").Last()
	want := &history.Telemetry{Status: history.Succeeded, Runs: []string{"abc123"}, Artifacts: []string{"base.txt"}, Metrics: map[string]float64{"acc": 0.5}}
	if diff := cmp.Diff(want, a.Telemetry); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(a.Said.Output, "abc123") {
		t.Error("the log was not cut, so this test shows nothing")
	}
	if run.Report.Run.Step("2.1").Last().Telemetry != nil || len(run.Report.Run.Outcomes) > 0 {
		t.Error("a run that nobody reviews has facts of the pipeline")
	}
}

// tracking is a server that knows a run from the n-th time on that it is asked.
func tracking(t *testing.T, from int32) (*evidence.MLflow, *atomic.Int32) {
	asked := new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) < from {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error_code":"RESOURCE_DOES_NOT_EXIST"}`)
			return
		}
		fmt.Fprintf(w, `{"run":{"info":{"run_id":%q,"status":"FINISHED","experiment_id":"1"},"data":{}}}`, r.URL.Query().Get("run_id"))
	}))
	t.Cleanup(s.Close)
	return &evidence.MLflow{URL: s.URL}, asked
}

func TestEvidenceOfTasks(t *testing.T) {
	nobody := exec.Advisors{advice.Reflection: nil}
	tests := map[string]struct {
		from     int32 // when the server knows the run
		script   exectest.Script
		advisors exec.Advisors
		looks    int // for the evidence of task 1
		want     history.FinalStatus
		reason   string
	}{
		"found":                             {1, pipelineScript("r1"), nobody, 1, history.TaskCompleted, "was found"},
		"no run named":                      {1, pipelineScript(), nobody, 1, history.TaskFailed, "evidence is missing"},
		"unknown to the server, no advice":  {9, pipelineScript("r1"), nobody, 1, history.TaskFailed, "evidence is missing"},
		"known a little later":              {2, pipelineScript("r1"), nil, 2, history.TaskCompleted, "after a retry"},
		"known at the last look":            {3, pipelineScript("r1"), nil, 3, history.TaskCompleted, "after a retry"},
		"known too late":                    {4, pipelineScript("r1"), nil, 3, history.TaskFailedFinal, "after all retries"},
		"named after a patch":               {1, nameless("16"), reflects(0.70, "16"), 2, history.TaskCompleted, "after a retry"},
		"confidence below 0.70":             {1, nameless("16"), reflects(0.69, "16"), 1, history.TaskFailed, "0.70 is needed"},
		"named after two patches":           {1, nameless("8"), halving(), 3, history.TaskCompleted, "after a retry"},
		"not named after two patches":       {1, nameless("4"), halving(), 3, history.TaskFailedFinal, "after all retries"},
		"advice that changes nothing":       {1, nameless("16"), reflects(0.9, ""), 1, history.TaskFailed, "changes nothing"},
		"the job fails where it is patched": {1, failsPatched(), reflects(0.9, "16"), 1, history.TaskFailedFinal, "after all retries"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, pipeline, workspace, test.script)
			tracker, _ := tracking(t, test.from)
			b.Controller.Evidence, b.Controller.Advisors = &evidence.Policy{Tracker: tracker, Delay: time.Millisecond}, test.advisors
			run := b.Run(t)
			looks := 0
			for _, e := range run.Report.Run.Evidence {
				if e.Task == "1" {
					looks++
				}
			}
			o := run.Report.Run.Outcome("1")
			if looks != test.looks || o.Status != test.want || !strings.Contains(o.Reason, test.reason) {
				t.Errorf("%d looks, %s (%s); want %d, %s (…%s…)\n%s", looks, o.Status, o.Reason, test.looks, test.want, test.reason, run.Report)
			}
			if second := run.Report.Run.Outcome("2"); (second.Status == history.TaskCompleted) != (test.want == history.TaskCompleted) {
				t.Errorf("the task that needs it is %s", second.Status)
			}
			if (run.Status() == history.Achieved) != (test.want == history.TaskCompleted) {
				t.Errorf("the run ended %s", run.Status())
			}
		})
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

// TestRegenerationRestoresTheTree: what the first method left is gone before the patched one begins.
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
	b.Controller.Evidence, b.Controller.Advisors = &evidence.Policy{Tracker: tracker}, reflects(0.9, "16")
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

// TestIrreversibleStepsAreNotRegenerated: what cannot be undone is not done twice for its evidence.
func TestIrreversibleStepsAreNotRegenerated(t *testing.T) {
	text := strings.Replace(pipeline, "run = \"train --batch_size 32\"", "run = \"train --batch_size 32\"\nrollback = \"irreversible\"", 1)
	var record exectest.Record
	b := exectest.New(t, text, workspace, record.Of(nameless("16")))
	tracker, _ := tracking(t, 1)
	b.Controller.Evidence, b.Controller.Advisors = &evidence.Policy{Tracker: tracker}, reflects(0.9, "16")
	run := b.Run(t)
	if o := run.Report.Run.Outcome("1"); o == nil || o.Status != history.TaskFailed || !strings.Contains(o.Reason, "cannot be undone") {
		t.Errorf("%+v\n%v", o, run.Err)
	}
	if got := record.Attempts(); len(got) != 1 {
		t.Errorf("attempted %q", got)
	}
}

// TestPipelineSurvivesACrash cuts the journal after every append of a run with a
// rejected draft, telemetry, missing evidence and a step that is carried out
// again, and resumes: the end is what it was, and so are decisions and counters.
func TestPipelineSurvivesACrash(t *testing.T) {
	script := nameless("8")
	ready := func(t *testing.T, cut int) (*exectest.Bench, *cutLog) {
		b := exectest.New(t, pipeline, workspace, script)
		log := &cutLog{MemoryLog: &checkpoint.MemoryLog{}, left: cut}
		b.Controller.OpenLog = func(context.Context, string) (checkpoint.Log, error) { return log, nil }
		b.Controller.Reviewers = []exec.Reviewer{reviewer("ops", small), reviewer("quality", always)}
		b.Controller.Evidence = &evidence.Policy{Tracker: known(t), Delay: time.Millisecond}
		b.Controller.Advisors = halving()
		return b, log
	}
	picture := func(r *history.Run) string {
		var b strings.Builder
		for _, a := range r.Approvals {
			fmt.Fprintln(&b, a.Task, a.Status, a.Retry, a.Attempt, a.Patch)
		}
		for _, e := range r.Evidence {
			fmt.Fprintln(&b, e.Task, e.Kind, e.Pass, e.Retry, e.Action)
		}
		for _, o := range r.Outcomes {
			fmt.Fprintln(&b, o.Task, o.Status, o.Reason, o.Retries)
		}
		return b.String()
	}
	b, _ := ready(t, 1<<30)
	undisturbed := b.Run(t)
	undisturbed.Want(t, history.Achieved)
	want, tree := picture(undisturbed.Report.Run), b.Tree(t).Digest()
	if n := len(undisturbed.Report.Run.EvidenceRetries); n != 1 {
		t.Fatalf("%d retries for evidence, want 1:\n%s", n, want)
	}
	for cut := 2; ; cut++ {
		b, log := ready(t, cut)
		locked := b.Lock(t)
		report, err := b.Controller.Run(context.Background(), locked)
		if err == nil {
			if cut < 15 {
				t.Fatalf("the run was over after %d appends: nothing was cut", cut)
			}
			return
		}
		if !errors.Is(err, errCut) {
			t.Fatalf("cut %d: %v", cut, err)
		}
		log.MemoryLog, log.left = log.MemoryLog.Reopen(), 1<<30
		report, err = b.Controller.Resume(context.Background(), locked, report.Run.Started.Run)
		if err != nil {
			t.Fatalf("cut %d: resume: %v\n%s", cut, err, report)
		}
		if diff := cmp.Diff(want, picture(report.Run)); diff != "" {
			t.Errorf("cut %d: %s", cut, diff)
		}
		if got := b.Tree(t).Digest(); got != tree {
			t.Errorf("cut %d: the tree is %s, undisturbed it is %s", cut, got.Short(), tree.Short())
		}
	}
}

// known is a server that knows every run.
func known(t *testing.T) *evidence.MLflow {
	m, _ := tracking(t, 0)
	return m
}

// TestClaimsAreOwed: what jobs name and what plans declare is looked for, each once.
func TestClaimsAreOwed(t *testing.T) {
	script := pipelineScript("r1")
	inner := script["1.1"]
	script["1.1"] = func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		out, err := inner(ctx, w)
		out.Artifacts = []string{"base.txt", "never/made.json"}
		return out, err
	}
	b := exectest.New(t, pipeline, workspace, script)
	b.Controller.Evidence = &evidence.Policy{Tracker: known(t)}
	b.Controller.Advisors = exec.Advisors{advice.Reflection: nil}
	var names []string
	for _, i := range b.Run(t).Report.Run.Verified("1").Items {
		names = append(names, string(i.Kind)+" "+i.Name+" "+string(i.State))
	}
	want := []string{"run r1 found", "file base.txt found", "file never/made.json missing"}
	if !slices.Equal(names, want) {
		t.Errorf("looked for %q, want %q", names, want)
	}
}

// TestWaitingForALateServer: a server is asked again after the policy's delay, five seconds where it has none, and a run that is
// interrupted meanwhile goes on with what it had decided.
func TestWaitingForALateServer(t *testing.T) {
	if got := (&evidence.Policy{}).Wait(); got != 5*time.Second {
		t.Errorf("the delay is %v, want 5s", got)
	}
	b := exectest.New(t, pipeline, workspace, pipelineScript("r1"))
	tracker, asked := tracking(t, 2)
	ctx, cancel := context.WithCancelCause(t.Context())
	b.Controller.Evidence = &evidence.Policy{Tracker: tracker, Delay: time.Hour}
	b.Controller.Observer.Advised = func(exec.Event) { time.AfterFunc(20*time.Millisecond, func() { cancel(errors.New("stop")) }) }
	locked := b.Lock(t)
	report, err := b.Controller.Run(ctx, locked)
	if err == nil || report.Run.Outcome("1") != nil || asked.Load() != 1 {
		t.Fatalf("%v, asked %d times; want an interrupted run that waits", err, asked.Load())
	}
	b.Controller.Observer.Advised = nil
	ctx, cancel = context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(errors.New("stop")) })
	report, err = b.Controller.Resume(ctx, locked, report.Run.Started.Run)
	if err == nil || len(report.Run.EvidenceRetries) != 1 || report.Run.EvidenceRetries[0].After != time.Hour {
		t.Errorf("%v, retries %+v; want the one that was decided, with its hour", err, report.Run.EvidenceRetries)
	}
}
