package intake

import "github.com/planlock/planlock/plan"

// Codes lists the diagnostics of pending actions and contracts, sorted by code: for each a document that draws it and one that
// does not.
func Codes() []plan.Code {
	return []plan.Code{
		{Code: "acceptance-invalid", Severity: plan.Warning, Why: "A criterion is no text.",
			Bad: action(`, "priority": "LOW", "acceptance_criteria": ["x", {}]`), Good: fine},
		{Code: "contract-flags-missing", Severity: plan.Error, Why: "Without a list of critical flags a contract rejects.",
			Bad: `{"verdict": "APPROVE", "flags": {}}`, Good: contract},
		{Code: "contract-jobs-invalid", Severity: plan.Warning, Why: "A job is named, and says what it runs.",
			Bad: `{"verdict": "APPROVE", "flags": {"critical": [], "warnings": []}, "proposed_jobs": [{}]}`, Good: contract},
		{Code: "contract-verdict-invalid", Severity: plan.Error, Why: "A verdict is one of three words, spelled exactly so.",
			Bad: `{"verdict": "approve", "flags": {"critical": [], "warnings": []}}`, Good: contract},
		{Code: "json-parse-error", Severity: plan.Error, Why: "The document is not JSON.", Bad: `[{"task_id": 1}, ...]`, Good: fine},
		{Code: "list-wrapped", Severity: plan.Note, Why: "The list of tasks is the document, not a member of it.", Bad: `{"tasks": ` + fine + `}`, Good: fine},
		{Code: "no-tasks", Severity: plan.Error, Why: "There is nothing to do.", Bad: `[]`, Good: fine},
		{Code: "priority-unknown", Severity: plan.Warning, Why: "Tasks go in the order HIGH, MEDIUM, LOW.",
			Bad: action(`, "priority": "P1", "acceptance_criteria": ["x"]`), Good: fine},
		{Code: "task-cycle", Severity: plan.Error, Why: "Tasks that wait for each other never start.",
			Bad: action(`, "priority": "LOW", "acceptance_criteria": ["x"], "dependencies": [1]`), Good: fine},
		{Code: "task-dep-unknown", Severity: plan.Warning, Why: "A task waits for one that is not in the list.",
			Bad: action(`, "priority": "LOW", "acceptance_criteria": ["x"], "dependencies": ["gate"]`), Good: fine},
		{Code: "task-duplicate-id", Severity: plan.Error, Why: "A task_id names one task.",
			Bad: `[` + task + `, ` + task + `]`, Good: fine},
		{Code: "task-field-missing", Severity: plan.Error, Why: "A task has task_id, priority, action and acceptance_criteria, and none of them is null. Only a task that does not say what is to be done is an error.",
			Bad: `[{"task_id": 1, "priority": "LOW", "acceptance_criteria": ["x"]}]`, Good: fine},
		{Code: "task-no-acceptance", Severity: plan.Warning, Why: "Nothing says when the task is done.", Bad: action(`, "priority": "LOW"`), Good: fine},
		{Code: "too-many-tasks", Severity: plan.Error, Why: "A list with more than 12,000 tasks is not read to its end."},
	}
}

const (
	task     = `{"task_id": 1, "action": "Close the gate", "priority": "LOW", "acceptance_criteria": ["it is shut"]}`
	fine     = `[` + task + `]`
	contract = `{"verdict": "APPROVE", "flags": {"critical": [], "warnings": []}, "proposed_jobs": []}`
)

// action is a list of one task with further members.
func action(more string) string { return `[{"task_id": 1, "action": "Close the gate"` + more + `}]` }
