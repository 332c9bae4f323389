package tasklist

import "github.com/planlock/planlock/plan"

// Codes lists the diagnostics of task lists, sorted by code.
// testdata/codes.toml has a list that draws each, and one that does not.
func Codes() []plan.Code {
	return []plan.Code{
		{Code: "item-irregular", Severity: plan.Warning,
			Why: "A checkbox has no id in the form of the others. It is kept, as a task or with the text of the item above it."},
		{Code: "json-parse-error", Severity: plan.Error,
			Why: "A line of an issue list is not JSON; the others are read."},
		{Code: "no-tasks", Severity: plan.Error, Why: "The text is none of the lists that are known."},
		{Code: "step-duplicate-id", Severity: plan.Warning, Why: "A number names one step of its task."},
		{Code: "subtask-cycle", Severity: plan.Warning,
			Why: "Subtasks that wait for each other have no order but that of the file."},
		{Code: "tags-share-ids", Severity: plan.Warning,
			Why: "Tasks of several tags have one id, so that neither can be addressed."},
		{Code: "task-cycle", Severity: plan.Error, Why: "Tasks that wait for each other never start."},
		{Code: "task-dep-unknown", Severity: plan.Warning, Why: "A task waits for one that is not in the list."},
		{Code: "task-duplicate-id", Severity: plan.Error, Why: "An id names one task."},
		{Code: "too-many-tasks", Severity: plan.Error,
			Why: "A list with more than 12,000 items is not read to its end."},
	}
}
