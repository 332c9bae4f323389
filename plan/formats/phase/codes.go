package phase

import (
	"github.com/planlock/planlock/plan"
)

// Codes lists the diagnostics of phase plans, sorted by code.
// testdata/codes.toml has a plan that draws each, and one that does not.
func Codes() []plan.Code {
	return []plan.Code{
		{Code: "front-matter-parse-error", Severity: plan.Warning,
			Why: "A front matter that is no YAML means different things to different readers; it is " +
				"read line by line."},
		{Code: "no-tasks", Severity: plan.Error, Why: "A plan in prose has nothing that could be carried out."},
		{Code: "plan-dep-unknown", Severity: plan.Warning,
			Why: "A plan waits for one that is not in its folder, so nothing can be said about their order."},
		{Code: "speclet-cycle", Severity: plan.Error, Why: "Plans that wait for each other never start."},
		{Code: "speclet-duplicate-id", Severity: plan.Error, Why: "Two plans of a folder have one number."},
		{Code: "task-cycle", Severity: plan.Error, Why: "Tasks that wait for each other never start."},
		{Code: "task-dep-prose", Severity: plan.Note,
			Why: "What a task waits for is said in words, and orders nothing."},
		{Code: "task-dep-unknown", Severity: plan.Error, Why: "A task waits for one that is not there."},
		{Code: "task-duplicate-id", Severity: plan.Error, Why: "An id names one task."},
		{Code: "task-field-missing", Severity: plan.Warning, Why: "A task that says nothing cannot be carried out."},
		{Code: "task-no-acceptance", Severity: plan.Warning,
			Why: "Nothing says how one sees that a task is done. Where no task of a plan does, it is said once."},
		{Code: "task-not-closed", Severity: plan.Warning,
			Why: "All that follows belongs to a task whose end is missing."},
		{Code: "task-parse-error", Severity: plan.Warning,
			Why: "An entry of a list of tasks is no YAML; it is read line by line."},
		{Code: "too-many-tasks", Severity: plan.Error,
			Why: "A file with more than 12,000 tasks is not read to its end."},
		{Code: "wave-differs", Severity: plan.Note,
			Why: "A plan declares another wave than follows from what it depends on; it would wait for nothing, or too long."},
		{Code: "wave-not-after-dependency", Severity: plan.Error,
			Why: "A plan is in a wave that is not after the wave of one it depends on: both would start together. Of tasks within a file it is a warning."},
	}
}
