package exec_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate/evidence/search"
	"github.com/planlock/planlock/gate/review"
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
postconditions = [{ kind = "file_contains", path = "base.txt", matches = "." }]

[[tasks]]
id = 2
description = "Write the report"
depends_on = [1]

[[tasks.steps]]
id = 1
description = "Report"
run = "report"
artifacts = { create = ["report.md"] }
postconditions = [{ kind = "file_contains", path = "report.md", matches = "." }]
`

// trained is what a good job of the experiment does.
func trained(runs ...string) exec.Func {
	return func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		out, err := exectest.Write("base.txt", w.Method.Run+"\n")(ctx, w)
		out.Runs = runs
		return out, err
	}
}

func pipelineScript(runs ...string) exectest.Script {
	return exectest.Script{"1.1": trained(runs...), "2.1": exectest.Write("report.md", "# Report\n")}
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

// halving proposes half of the batch, and half of that.
func halving() exec.Advisors {
	return exec.Advisors{advice.Reflection: advice.Func(func(_ context.Context, c advice.Case) (advice.Advice, error) {
		size := "16"
		if strings.Contains(c.Method.Run, "16") {
			size = "8"
		}
		return advice.Advice{Confidence: 0.9, Patch: &advice.Patch{Summary: "half",
			Args: map[string]string{"batch_size": size}}}, nil
	})}
}

// TestTelemetryIsCaughtWhereTheLogIsCut: what a job says in the middle of a
// long log is not lost, and what it says on standard error is not heard.
func TestTelemetryIsCaughtWhereTheLogIsCut(t *testing.T) {
	const noise = `i=0; while [ $i -lt 3000 ]; do echo "epoch $i is over and nothing of interest happened"; i=$((i+1)); done; `
	text := strings.Replace(pipeline, `"train --batch_size 32"`, `'''`+noise+`echo MLFLOW_RUN_ID=abc123; echo "ARTIFACT base.txt"; echo "METRIC acc=0.5"; `+
		`echo "METRIC acc=9" >&2; `+noise+`echo x > base.txt'''`, 1)
	run := exectest.Run(t, text, workspace, exectest.Script{"1.1": (&shell.Executor{}).Execute,
		"2.1": exectest.Write("report.md", "x")})
	run.Want(t, history.Achieved)
	a := run.Report.Run.Step("1.1").Last()
	want := &history.Telemetry{Status: "SUCCEEDED", Runs: []string{"abc123"}, Artifacts: []string{"base.txt"},
		Metrics: map[string]float64{"acc": 0.5}}
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

// TestPipelineSurvivesACrash cuts the journal after every append of a run with
// a rejected draft, telemetry, missing evidence and a step that is carried out
// again, and resumes: the end is what it was, and so are decisions and
// counters.
func TestPipelineSurvivesACrash(t *testing.T) {
	script := nameless("8")
	ready := func(t *testing.T, cut int) (*exectest.Bench, *cutLog) {
		b := exectest.New(t, pipeline, workspace, script)
		log := &cutLog{MemoryLog: &checkpoint.MemoryLog{}, left: cut}
		b.Controller.Runs = exectest.Logs(b.Controller.Dir, func(context.Context, string) (checkpoint.Log, error) { return log, nil })
		b.Controller.Reviewers = []review.Reviewer{reviewer("ops", small), reviewer("quality", always)}
		b.Controller.Evidence = &search.Policy{Tracker: known(t), Delay: time.Millisecond}
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
	for cut := 2; ; cut += stride() {
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
