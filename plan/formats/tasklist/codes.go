package tasklist

import "github.com/planlock/planlock/plan"

// Codes lists the diagnostics of task lists, sorted by code: for each a list that draws it and one that does not.
func Codes() []plan.Code {
	return []plan.Code{
		{Code: "item-irregular", Severity: plan.Warning, Why: "A checkbox has no id in the form of the others. It is kept, as a task or with the text of the item above it.",
			Bad: "- [ ] T001 Count\n- [ ] Note it\n", Good: "- [ ] T001 Count\n- [ ] T002 Note it\n"},
		{Code: "json-parse-error", Severity: plan.Error, Why: "A line of an issue list is not JSON; the others are read.",
			Bad:  issue + "{\"id\": \"bd-2\",\n",
			Good: issue + "{\"id\": \"bd-2\", \"title\": \"Order\", \"status\": \"open\", \"priority\": 1}\n"},
		{Code: "no-tasks", Severity: plan.Error, Why: "The text is none of the lists that are known.", Bad: "Count the lamps\n", Good: "- [ ] T001 Count the lamps\n"},
		{Code: "step-duplicate-id", Severity: plan.Warning, Why: "A number names one step of its task.",
			Bad: "### Task 1: A\n- [ ] **Step 1: a**\n- [ ] **Step 1: b**\n", Good: "### Task 1: A\n- [ ] **Step 1: a**\n- [ ] **Step 2: b**\n"},
		{Code: "subtask-cycle", Severity: plan.Warning, Why: "Subtasks that wait for each other have no order but that of the file.",
			Bad:  `{"tasks": [{"id": 1, "title": "A", "subtasks": [{"id": 1, "title": "a", "dependencies": [2]}, {"id": 2, "title": "b", "dependencies": [1]}]}]}`,
			Good: `{"tasks": [{"id": 1, "title": "A", "subtasks": [{"id": 1, "title": "a", "dependencies": [2]}, {"id": 2, "title": "b", "dependencies": []}]}]}`},
		{Code: "tags-share-ids", Severity: plan.Warning, Why: "Tasks of several tags have one id, so that neither can be addressed.",
			Bad:  `{"a": {"tasks": [{"id": 1, "title": "A", "status": "pending"}]}, "b": {"tasks": [{"id": 1, "title": "B", "status": "pending"}]}}`,
			Good: `{"a": {"tasks": [{"id": 1, "title": "A", "status": "pending"}]}}`},
		{Code: "task-cycle", Severity: plan.Error, Why: "Tasks that wait for each other never start.",
			Bad: "- [ ] T001 a (depends on T002)\n- [ ] T002 b (depends on T001)\n", Good: "- [ ] T001 a\n- [ ] T002 b (depends on T001)\n"},
		{Code: "task-dep-unknown", Severity: plan.Warning, Why: "A task waits for one that is not in the list.",
			Bad: "- [ ] T001 a (depends on T009)\n", Good: "- [ ] T001 a\n- [ ] T002 b (depends on T001)\n"},
		{Code: "task-duplicate-id", Severity: plan.Error, Why: "An id names one task.", Bad: "- [ ] 1. a\n- [ ] 1. b\n", Good: "- [ ] 1. a\n- [ ] 2. b\n"},
		{Code: "too-many-tasks", Severity: plan.Error, Why: "A list with more than 12,000 items is not read to its end."},
	}
}

const issue = "{\"id\": \"bd-1\", \"title\": \"Count\", \"status\": \"open\", \"issue_type\": \"task\"}\n"
