package exec_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/review"
)

const contract = `{"verdict":%q,"flags":{"critical":%s,"warnings":[]},"checks":{"requirements_passed":true},"proposed_jobs":[]}`

// reviewer approves drafts for which ok says so.
func reviewer(name string, ok func(review.Request) bool) review.Reviewer {
	return review.Func{Label: name, Ask: func(_ context.Context, d review.Request) (review.Review, error) {
		if ok(d) {
			return d.Read(fmt.Appendf(nil, contract, "APPROVE", "[]"))
		}
		return d.Read(fmt.Appendf(nil, contract, "REJECT", "[]"))
	}}
}

func always(review.Request) bool  { return true }
func rejects(review.Request) bool { return false }

// small approves drafts whose training takes a small batch.
func small(d review.Request) bool {
	return !strings.Contains(d.Steps[0].Run, "32")
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
		reviewers []review.Reviewer
		advisors  exec.Advisors
		want      []string
		terminal  string
		status    history.Status
		method    string // that was carried out in 1.1; "" if none
	}{
		"one approves": {[]review.Reviewer{reviewer("ops", always)}, nil, []string{"approved(0)"}, "",
			history.Achieved, "primary"},
		"three approve": {[]review.Reviewer{reviewer("ops", always), reviewer("quality", always),
			reviewer("infra", always)}, nil, []string{"approved(0)"}, "", history.Achieved, "primary"},
		"one of three rejects": {[]review.Reviewer{reviewer("ops", always), reviewer("quality", rejects),
			reviewer("infra", always)}, exec.Advisors{advice.Reflection: nil}, []string{"rejected(0)"}, "nobody gives advice", history.NotAchieved, ""},
		"patched then approved": {[]review.Reviewer{reviewer("ops", small)}, reflects(0.70, "16"),
			[]string{"rejected(0)", "approved_retry(1)"}, "", history.Achieved, "patch_1"},
		"confidence below 0.70": {[]review.Reviewer{reviewer("ops", small)}, reflects(0.69, "16"),
			[]string{"rejected(0)", "failed_retry(0)"}, "0.70 is needed", history.NotAchieved, ""},
		"neither a change nor sure": {[]review.Reviewer{reviewer("ops", small)}, reflects(0.2, ""),
			[]string{"rejected(0)", "failed_retry(0)"}, "the advice changes nothing, and its confidence is 0.20, where 0.70 is needed",
			history.NotAchieved, ""},
		"a patch without a change": {[]review.Reviewer{reviewer("ops", small)}, reflects(0.9, ""),
			[]string{"rejected(0)", "failed_retry(0)"}, "changes nothing", history.NotAchieved, ""},
		"a patch that widens": {[]review.Reviewer{reviewer("ops", small)}, reflects(0.9, "../../etc/passwd"), []string{"rejected(0)", "failed_retry(0)"}, "is refused", history.NotAchieved, ""},
		"rejected for good":   {[]review.Reviewer{reviewer("ops", rejects)}, halving(), []string{"rejected(0)", "rejected(1)", "failed_retry(2)"}, "limit of 2", history.NotAchieved, ""},
		"approved at the last": {[]review.Reviewer{reviewer("ops",
			func(d review.Request) bool { return strings.Contains(d.Steps[0].Run, " 8") || d.Task == "2" })},
			halving(), []string{"rejected(0)", "rejected(1)", "approved_retry(2)"}, "", history.Achieved, "patch_2"},
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
			last := run.Report.Run.Task("1").Approval()
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
			wanted := history.Failed
			if test.status == history.Achieved {
				wanted = history.Completed
			}
			for _, task := range []string{"1", "2"} {
				o := run.Report.Run.Task(task).Outcome()
				if o == nil || o.Status != wanted {
					t.Fatalf("task %s: %+v, want %s", task, o, wanted)
				}
				if a := run.Report.Run.Task(task).Approval(); a != nil && !a.Status.Runs() {
					if !strings.Contains(o.Reason, a.Reasons[0]) || !strings.Contains(o.Reason, a.Terminal) ||
						strings.Contains(o.Reason, "what was made of it") != (a.Retry > 0) {
						t.Errorf("its last word %q does not say what its reviewers said: %+v", o.Reason, a)
					}
				}
			}
		})
	}
}

// TestRejectedTasksDoNothing: no step of a rejected task is attempted, nor of a
// task that needs it.
func TestRejectedTasksDoNothing(t *testing.T) {
	var record exectest.Record
	b := exectest.New(t, pipeline, workspace, record.Of(pipelineScript()))
	b.Controller.Reviewers = []review.Reviewer{reviewer("ops", func(d review.Request) bool { return d.Task != "1" })}
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

// TestReviewersChangeNothing: a reviewer that writes into the workspace has
// rejected, and what it wrote is undone.
func TestReviewersChangeNothing(t *testing.T) {
	b := exectest.New(t, pipeline, workspace, pipelineScript())
	b.Controller.Reviewers = []review.Reviewer{reviewer("ops", func(d review.Request) bool {
		return exectest.Put(d.Dir, "smuggled", "x") == nil
	})}
	run := b.Run(t)
	if a := run.Report.Run.Task("1").Approval(); a.Status != history.Rejected || a.Terminal != "a reviewer changed the tree" {
		t.Errorf("%+v", a)
	}
	if got := run.Read(t, "smuggled"); got != "" {
		t.Error("what the reviewer wrote is still there")
	}
}

// TestReviewersAreBound: a run does not go on under other reviewers.
func TestReviewersAreBound(t *testing.T) {
	b := exectest.New(t, pipeline, workspace, pipelineScript())
	b.Controller.Reviewers = []review.Reviewer{reviewer("ops", always), reviewer("quality", always)}
	locked := b.Lock(t)
	b.Controller.Reviewers = b.Controller.Reviewers[:1]
	var refused *exec.RefusedError
	if _, err := b.Controller.Run(t.Context(), locked); !errors.As(err, &refused) {
		t.Errorf("without a reviewer: %v", err)
	}
	b.Controller.Reviewers = []review.Reviewer{nil}
	if _, err := b.Controller.Run(t.Context(), locked); !errors.As(err, &refused) {
		t.Errorf("with a nil reviewer: %v", err)
	}
}
