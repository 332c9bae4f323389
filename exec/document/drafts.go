package document

import (
	"cmp"
	"encoding/json"
	"io"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A taskDraft is what reviewers were shown of a task, with the contract of each
// of them: the latest draft that stands.
type taskDraft struct {
	Task      string                 `json:"task_id"`
	Priority  string                 `json:"priority"`
	Action    string                 `json:"action"`
	About     string                 `json:"description,omitempty"` // where the plan says more than the action
	Criteria  []string               `json:"acceptance_criteria"`
	Attempt   string                 `json:"attempt_id"`
	Retry     int                    `json:"retry_attempt"`
	Patch     *string                `json:"patch_id"`
	Status    history.ApprovalStatus `json:"preliminary_status"`
	Reasons   []string               `json:"reasons"`
	Terminal  *string                `json:"terminal_reason"`
	Steps     []review.Step          `json:"steps"` // how it would be done
	Jobs      []draftJob             `json:"proposed_jobs"`
	Ready     []readyLine            `json:"ready_jobs,omitempty"`
	Memory    *fromMemory            `json:"from_memory,omitempty"`
	Contracts ordered[contract]      `json:"contracts"` // by reviewer
}

// A contract is what a reviewer said of a draft, in the form in which reviewers
// write it. Faults and Error say why it is none.
type contract struct {
	Verdict *string          `json:"verdict"`
	Flags   flags            `json:"flags"`
	Checks  ordered[rawJSON] `json:"checks"`
	Jobs    []draftJob       `json:"proposed_jobs"`
	Ready   ledger.Digest    `json:"ready_job,omitempty"`
	Faults  []string         `json:"faults,omitempty"`
	Error   string           `json:"error,omitempty"`
}

type flags struct {
	Critical []string `json:"critical"`
	Warnings []string `json:"warnings"`
}

// A draftJob is a job that somebody proposes.
type draftJob struct {
	ID        string   `json:"id"`
	Entry     string   `json:"entry"`
	Args      rawJSON  `json:"args"`
	Artifacts []string `json:"expected_artifacts"`
	EnvKeys   []string `json:"env_keys,omitempty"`
}

// rawJSON is a value as it was written. One that was cut short is a text.
type rawJSON string

// MarshalJSON writes the value, null where there is none.
func (v rawJSON) MarshalJSON() ([]byte, error) {
	switch {
	case v == "":
		return []byte("null"), nil
	case json.Valid([]byte(v)):
		return []byte(v), nil
	}
	return json.Marshal(string(v))
}

// drawDrafts draws the drafts of the tasks that reviewers were asked about, the
// most urgent first, as they are carried out.
func drawDrafts(w io.Writer, rep *Model) error {
	drafts := []taskDraft{}
	for _, i := range rep.plan.ByUrgency() {
		task := &rep.plan.Tasks[i]
		if a := rep.of.Task(task.ID).Approval(); a != nil {
			drafts = append(drafts, newDraft(rep, task, a))
		}
	}
	return encode(w, drafts)
}

// newDraft is a task as reviewers saw it last.
func newDraft(rep *Model, task *plan.Task, a *history.Approval) taskDraft {
	d := taskDraft{Task: task.ID, Priority: priorityOf(task), Action: cmp.Or(task.Title, task.Description),
		About:    textOf(task),
		Criteria: list(task.AcceptanceCriteria), Attempt: a.Attempt, Retry: a.Retry, Patch: orNull(a.Patch),
		Status: a.Status, Reasons: list(a.Reasons), Terminal: orNull(a.Terminal), Jobs: []draftJob{},
		Ready: readyLines(a), Memory: newFromMemory(a), Contracts: ordered[contract]{}}
	shown := review.Request{}
	for i := range task.Steps {
		step := shown.AddStep(&task.Steps[i])
		if made := rep.of.Step(task.Steps[i].Address).Patch(a.Patch); made != nil && a.Step == task.Steps[i].Address {
			step.Patch, step.Run, step.Prompt = made.ID, made.Method.Run, made.Method.Prompt
			step.Executor = made.Method.Executor
		}
	}
	d.Steps = list(shown.Steps)
	for _, r := range reviewsOf(rep.of, a) {
		c := newContract(r)
		d.Jobs = append(d.Jobs, c.Jobs...)
		d.Contracts = append(d.Contracts, pair[contract]{r.Reviewer, c})
	}
	return d
}

// reviewsOf are what reviewers said of the draft of a decision. Where it was
// decided without asking them again, that is what they said of it before.
func reviewsOf(r *history.Run, a *history.Approval) []review.Review {
	var said []review.Review
	for i := range r.Approvals {
		if of := &r.Approvals[i]; of.Task == a.Task && !of.Undone && len(of.Reviews) > 0 {
			said = of.Reviews
		}
	}
	return said
}

// newContract is a review in the form in which reviewers write it. Of a check
// that stands there twice it has the first: the contract has a fault then.
func newContract(r review.Review) contract {
	c := contract{Verdict: orNull(r.Verdict), Flags: flags{list(r.Critical), list(r.Warnings)},
		Checks: ordered[rawJSON]{}, Jobs: draftJobs(r.Jobs), Ready: r.ReadyJob, Faults: r.Faults, Error: r.Error}
	seen := map[string]bool{}
	for _, check := range r.Checks {
		if !seen[check.Name] {
			seen[check.Name] = true
			c.Checks = append(c.Checks, pair[rawJSON]{check.Name, rawJSON(check.Value)})
		}
	}
	return c
}

// draftJobs are jobs in the form in which reviewers write them.
func draftJobs(jobs []review.Job) []draftJob {
	all := []draftJob{}
	for _, j := range jobs {
		all = append(all, draftJob{j.ID, j.Entry, rawJSON(j.Args), list(j.Artifacts), j.EnvKeys})
	}
	return all
}
