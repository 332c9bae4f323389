// Package intake reads pending_actions.json, the list of tasks that a planning
// team hands on, and the contract documents with which reviewers answer to such
// a task.
//
// The list is an array, or lies in an object under a key such as "decisions" or
// "tasks". Each task has task_id, priority, action and acceptance_criteria;
// what is missing, null or of another type is reported with its JSON pointer,
// line and column, and what is there is read all the same:
//
//	draft, err := intake.Read("pending_actions.json", text)
//	if err != nil {
//		return err // too large
//	}
//
// Tasks stand in the draft in the order of the file. The setting
// intake.order_by_priority has their ids in the order in which they are to be
// carried out: HIGH before MEDIUM before LOW, else as written.
//
// A contract, {verdict, flags, checks, proposed_jobs}, is recognised and is no
// plan; package gate/review reads what it says.
package intake
