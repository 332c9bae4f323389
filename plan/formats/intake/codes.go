package intake

import (
	"github.com/planlock/planlock/plan"
)

// Codes lists the diagnostics of pending actions and contracts, sorted by code.
// testdata/codes.toml has a document that draws each, and one that does not.
func Codes() []plan.Code {
	return []plan.Code{
		{Code: "acceptance-invalid", Severity: plan.Warning, Why: "A criterion is no text."},
		{Code: "contract-flags-missing", Severity: plan.Error,
			Why: "Without a list of critical flags a contract rejects."},
		{Code: "contract-jobs-invalid", Severity: plan.Warning, Why: "A job is named, and says what it runs."},
		{Code: "contract-verdict-invalid", Severity: plan.Error,
			Why: "A verdict is one of three words, spelled exactly so."},
		{Code: "json-parse-error", Severity: plan.Error, Why: "The document is not JSON."},
		{Code: "list-wrapped", Severity: plan.Note, Why: "The list of tasks is the document, not a member of it."},
		{Code: "no-tasks", Severity: plan.Error, Why: "There is nothing to do."},
		{Code: "priority-unknown", Severity: plan.Warning, Why: "Tasks go in the order HIGH, MEDIUM, LOW."},
		{Code: "task-cycle", Severity: plan.Error, Why: "Tasks that wait for each other never start."},
		{Code: "task-dep-unknown", Severity: plan.Warning, Why: "A task waits for one that is not in the list."},
		{Code: "task-duplicate-id", Severity: plan.Error, Why: "A task_id names one task."},
		{Code: "task-field-missing", Severity: plan.Error,
			Why: "A task has task_id, priority, action and acceptance_criteria, and none of them is null. Only a task that does not say what is to be done is an error."},
		{Code: "task-no-acceptance", Severity: plan.Warning, Why: "Nothing says when the task is done."},
		{Code: "too-many-tasks", Severity: plan.Error,
			Why: "A list with more than 12,000 tasks is not read to its end."},
	}
}
