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
//	for _, i := range intake.ByPriority(draft.Plan.Tasks) {
//		fmt.Println(draft.Plan.Tasks[i].Title) // HIGH first, else as written
//	}
//
// A [Contract] is {verdict, flags, checks, proposed_jobs}. [Approve] holds the
// rule of the approval gate: three contracts, each with the verdict APPROVE and
// without a critical flag. What is missing or cannot be read rejects.
//
// Not promised: texts are not interpreted. A verdict "approve" in small letters
// is not APPROVE.
package intake
