// Package tasklist reads the task lists of other planning tools: spec-kit, Kiro
// and cc-sdd, OpenSpec, Task Master, beads, ExecPlans and superpowers; and pages
// of Markdown that are no tool's.
//
// [Detect] names the tool by the content of a file, [Read] yields a
// [plan.Draft] with positions:
//
//	draft, err := tasklist.Read("tasks.md", text)
//	if err != nil {
//		return err // too large
//	}
//	for _, t := range draft.Plan.Tasks {
//		fmt.Println(t.ID, t.Status, t.Title)
//	}
//
// What each tool means by its marks:
//
//	spec-kit     - [ ] T001 [P] [US1] text (depends on T000): a task; [P] may run beside others
//	Kiro         - [ ] 1. text: a task; 1.1 below it a step; [-] is under way; a star makes it optional, so
//	             not critical
//	OpenSpec     ## 1. Group is a task, - [x] 1.1 text a step of it
//	Task Master  tasks of tasks.json, their subtasks as steps; of several tags each
//	beads        a line is an issue; only "blocks" orders work
//	ExecPlan     the items of Progress
//	superpowers  ### Task N: text, with its steps
//	markdown     what package page finds; what is no task helps with the tasks, or
//	             says how all is verified
//
// Which items are optional, may run beside others, or belong to a phase or
// story is kept in the settings below "task_list". A checkbox that fits none of
// the forms is kept, as a task or with the text of the item above it, and
// reported as item-irregular.
//
// What stands below an item behind "Verify:", "Acceptance criteria:" and the like
// becomes postconditions and criteria, as in phase plans. A code block that is
// indented below an item is part of its text.
//
// Items are gathered one by one into a list, which notes where each stands and
// what is below it; each tool has a function that finds the items. References
// between them are judged when all are there, and only warned of: lists are
// often cut from larger ones, so that a name that is missing is no fault.
//
// A status that the source gives is kept with the task and is no part of a
// plan's meaning, so that ticking a box does not move a lock.
//
// Not promised: order between items that do not name each other is only that of
// the file.
package tasklist
