package history

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// TaskOver says that a task ended, how, and that what stands in the journal
// about it agrees with itself.
type TaskOver struct {
	Task    string         `json:"task"`
	Status  StepStatus     `json:"status"`            // Completed, Failed, Blocked, Skipped or PartlyDone
	Reason  string         `json:"reason,omitempty"`  // why it is not completed
	By      []plan.Address `json:"by,omitempty"`      // the steps because of which it is not
	Unblock []string       `json:"unblock,omitempty"` // ways to get it done all the same
	Steps   TaskSteps      `json:"steps"`
	Checks  []TaskCheck    `json:"checks"`
	// Consecutive is the number of failed steps in a row when the task ended;
	// Failures those of the task.
	Consecutive int `json:"consecutive"`
	Failures    int `json:"failures"`

	At time.Time `json:"-"` // when it was recorded; set by the fold
}

// TaskSteps counts the steps of a task by how they ended.
type TaskSteps struct {
	Total     int `json:"total"`
	Completed int `json:"completed"`
	Failed    int `json:"failed"`
	Skipped   int `json:"skipped"`
	Blocked   int `json:"blocked"`
	Open      int `json:"open"` // never ran, because the run was halted
	Retries   int `json:"retries"`
	Backups   int `json:"backups"`
}

// StepsOver is the check that each step of a task has ended. It does not hold
// where the run ended before.
const StepsOver = "steps-over"

// A TaskCheck is one thing that is verified when a task ended: [StepsOver],
// "ids", "propagation-decided", "failures-acknowledged", "escalated",
// "strategy-followed", "counters".
type TaskCheck struct {
	Name  string   `json:"name"`
	Holds bool     `json:"holds"`
	Found []string `json:"found,omitempty"` // what does not agree
}

func (*TaskOver) Type() string { return "task-over" }

func (f *TaskOver) String() string {
	text := sprint("by its steps, task %s is %s: %s", f.Task, f.Status, f.Reason)
	if !f.Holds() {
		text += " (its record does not agree with itself)"
	}
	return text
}

// Broken are the checks that do not hold, but for steps that are open because the
// run ended before them: these agree with the rest.
func (t *TaskOver) Broken() (list []TaskCheck) {
	for _, c := range t.Checks {
		if !c.Holds && (c.Name != StepsOver || t.Steps.Open == 0) {
			list = append(list, c)
		}
	}
	return list
}

// Holds reports whether what stands in the journal about the task agrees: no
// check is [TaskOver.Broken].
func (t *TaskOver) Holds() bool { return len(t.Broken()) == 0 }

// Compliance is the look at a task before its first step.
type Compliance struct {
	Task     string      `json:"task_id"`
	Critical int         `json:"critical_count"` // critical steps of the task
	Total    int         `json:"total_count"`
	Checked  []string    `json:"checked"` // articles, as in "IV"
	Violated []Violation `json:"violations,omitempty"`

	At     time.Time `json:"-"` // when it was recorded; set by the fold
	Undone bool      `json:"-"` // the task gained steps since; set by the fold
}

// A Violation of an article.
type Violation struct {
	Article  string       `json:"article"`
	Severity string       `json:"severity"` // "warning", "critical"
	Step     plan.Address `json:"step,omitempty"`
	Why      string       `json:"description"`
	Action   string       `json:"corrective_action"`
}

func (*Compliance) Type() string { return "compliance" }

func (f *Compliance) String() string {
	if len(f.Violated) == 0 {
		return sprint("task %s keeps its articles", f.Task)
	}
	v := f.Violated[0]
	return sprint("task %s: article %s: %s (%s)", f.Task, v.Article, v.Why, v.Severity)
}

// ApprovalStatus is where a task stands with its reviewers.
type ApprovalStatus string

const (
	Approved      ApprovalStatus = "approved"       // all reviewers approved, and nothing critical was raised
	Rejected      ApprovalStatus = "rejected"       // one did not; a patched draft may follow
	ApprovedRetry ApprovalStatus = "approved_retry" // they approved a patched draft
	FailedRetry   ApprovalStatus = "failed_retry"   // they were not won over, and nothing more is tried
)

// Runs reports whether the steps of the task may run.
func (s ApprovalStatus) Runs() bool { return s == Approved || s == ApprovedRetry }

// Approval is a decision of the reviewers about a task, before its first step.
type Approval struct {
	Task   string         `json:"task_id"`
	Status ApprovalStatus `json:"preliminary_status"`
	// in the order of the reviewers; none where they were not asked again
	Reviews []review.Review `json:"reviews,omitempty"`
	Reasons []string        `json:"reasons,omitempty"` // why it was not approved
	Jobs    []review.Job    `json:"approved_jobs,omitempty"`
	// RunBy is the step that carries out Jobs; "" if none does, since the plan says
	// how its steps are done. Entries are the files that Jobs begin with, as they
	// were when they were approved; those that were not there yet are left out.
	RunBy   plan.Address    `json:"run_by,omitempty"`
	Entries []ApprovedEntry `json:"entries,omitempty"`
	// Ready are jobs that went well in earlier runs and are for tasks like this one:
	// those that the reviewers were offered, and those that were withheld. FromMemory
	// is the one that Jobs are; "" where the reviewers proposed them.
	Ready      []ReadyJob    `json:"ready_jobs,omitempty"`
	FromMemory ledger.Digest `json:"from_memory,omitempty"`
	Retry      int           `json:"retry_attempt"` // 0 for the draft as planned
	Attempt    string        `json:"attempt_id"`    // as in "2/approval#1", from 1
	// Step and Patch name the patched method of the draft that was decided on.
	Step  plan.Address `json:"step,omitempty"`
	Patch string       `json:"patch_id,omitempty"`
	// Terminal says why nothing more is tried; "" where the task runs, or a
	// patched draft may follow.
	Terminal string `json:"terminal,omitempty"`

	// Decided is when, and Undone is set if the run was set back to before the
	// task. Both are known from the journal's order.
	Decided time.Time `json:"-"`
	Undone  bool      `json:"-"`
}

// Held reports whether the draft did not pass although each of its reviewers
// approved it: a job cannot be carried out, or a reviewer changed the tree.
func (a *Approval) Held() bool {
	if a == nil || a.Status.Runs() || len(a.Reviews) == 0 {
		return false
	}
	objections, _ := review.Decide(a.Reviews)
	return len(objections) == 0
}

// An ApprovedEntry is a file that an approved job begins with.
type ApprovedEntry struct {
	Path   string        `json:"path"`
	Digest ledger.Digest `json:"digest"`
}

func (*Approval) Type() string { return "approval" }

func (f *Approval) String() string {
	if len(f.Reviews) == 0 { // nobody was asked again
		return sprint("task %s is %s: %s", f.Task, f.Status, cmp.Or(f.Terminal, strings.Join(f.Reasons, "; ")))
	}
	said := slices.Clone(f.Reasons)
	for _, c := range f.Recalled() {
		said = append(said, c.String())
	}
	if f.Terminal != "" { // why nothing more is tried
		said = append(said, f.Terminal)
	}
	by := ""
	if f.Status.Runs() { // who rejected it is among the reasons
		by = " by " + count(len(f.Reviews), "reviewer")
	}
	return sprint("task %s is %s%s: %s", f.Task, f.Status, by, strings.Join(said, "; "))
}

// Open reports whether a patched draft may follow.
func (a *Approval) Open() bool { return a.Status == Rejected && a.Terminal == "" }
