package document

import (
	"io"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/review"
)

// approvalLine is one decision.
type approvalLine struct {
	Task      string                 `json:"task_id"`
	Status    history.ApprovalStatus `json:"preliminary_status"`
	Time      string                 `json:"timestamp"`
	Verdicts  map[string]string      `json:"verdicts"` // by reviewer; "" where there is no contract
	Critical  []string               `json:"critical_flags"`
	Jobs      []string               `json:"approved_jobs"` // ids
	Attempt   string                 `json:"attempt_id"`
	Patch     *string                `json:"patch_id"`
	Retry     int                    `json:"retry_attempt"`
	Reasons   []string               `json:"reasons"`
	Terminal  *string                `json:"terminal_reason"`
	Undone    bool                   `json:"undone"` // the run was set back to before the task
	Contracts []review.Review        `json:"contracts"`
}

// drawApprovals draws the decisions of reviewers, a line of JSON for each, in
// the order in which they were made.
func drawApprovals(w io.Writer, rep *Model) error { return encodeLines(w, rep.Approvals) }

func newApprovalLine(a *history.Approval) approvalLine {
	line := approvalLine{Task: a.Task, Status: a.Status, Time: a.Decided.UTC().Format(approvalTime),
		Verdicts: map[string]string{}, Critical: []string{}, Jobs: []string{}, Attempt: a.Attempt,
		Patch: orNull(a.Patch), Retry: a.Retry,
		Reasons: append([]string{}, a.Reasons...), Terminal: orNull(a.Terminal), Undone: a.Undone,
		Contracts: append([]review.Review{}, a.Reviews...)}
	for _, r := range a.Reviews {
		line.Verdicts[r.Reviewer] = r.Verdict
		for _, flag := range r.Critical {
			line.Critical = append(line.Critical, r.Reviewer+": "+flag)
		}
	}
	for _, j := range a.Jobs {
		line.Jobs = append(line.Jobs, j.ID)
	}
	return line
}

// approvalTime is how times are written, as in all views.
const approvalTime = "2006-01-02T15:04:05.000Z"

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
