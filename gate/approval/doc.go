// Package approval asks reviewers about a task before anything of it is carried
// out, and decides by what they answer.
//
// # The idea
//
// A [Reviewer] is shown a [Draft]: the task and how each of its steps would be
// done. It answers with a contract in JSON, which has five fields, all of them
// needed:
//
//	{"verdict": "APPROVE",
//	 "flags": {"critical": [], "warnings": ["the batch is large"]},
//	 "checks": {"requirements_passed": true, "mlflow_required": true},
//	 "proposed_jobs": [{"id": "base", "entry": "run.py", "args": {"batch_size": 16},
//	                    "expected_artifacts": ["base.json"]}]}
//
// [Read] reads it, and nothing else is read: a text that says "approved" is a
// rejection, as is a contract in which a field is missing or stands twice.
// [Decide] holds the rule: the task is approved if every reviewer says APPROVE
// and none raises a critical flag.
//
// # Reviewers
//
// [Program] starts a program for each draft, [Func] is a Go function. How many
// there are and what they are called is the host's choice; at least one.
//
//	reviewers := []approval.Reviewer{
//		&approval.Program{Label: "ops", Args: []string{"./review-ops"}},
//		approval.Func{Label: "quality", Review: quality},
//	}
//	reviews := approval.Ask(ctx, reviewers, draft)
//	decision := approval.Decide(reviews)
//	fmt.Println(decision.Approved, decision.Reasons)
//
// # What is not promised
//
// What a reviewer says is recorded as it was said: the checks and warnings of a
// contract inform and decide nothing. Reviewers are asked one after another,
// each on its own, and see no other's answer.
package approval
