// Package review asks reviewers: about a plan before it is locked, about a task
// before anything of it is carried out, and about the work of a task when its
// last step is done.
//
// # The idea
//
// A [Reviewer] is a program, a model, a person, or a function. It is shown a
// [Request], which says what it is about, and answers with a [Review]. A program
// (package external) gets the request as one line of JSON on its standard input.
//
// About a plan or a task the answer is a contract in JSON, which has five
// fields, all of them needed:
//
//	{"verdict": "APPROVE",
//	 "flags": {"critical": [], "warnings": ["the batch is large"]},
//	 "checks": {"requirements_passed": true, "mlflow_required": true},
//	 "proposed_jobs": [{"id": "base", "entry": "run.py", "args": {"batch_size": 16},
//	                    "expected_artifacts": ["base.json"]}]}
//
// Nothing else is read: a text that says "approved" is a rejection, as is a
// contract in which a field is missing or stands twice. [Decide] holds the
// rule: approved is what every reviewer says APPROVE to, and none raises a
// critical flag about. An [exec.Controller] with reviewers asks them about each
// task; [Plan] makes a gate that asks them about the plan.
//
// About work the answer says what became of each acceptance criterion:
//
//	{"verdict": "pass",
//	 "criteria": [{"criterion": 1, "met": true, "citations": ["server/limit.go:42"]}],
//	 "findings": []}
//
// The verdict is pass, partial or fail. What it says is not believed because it
// is said: every citation must point at a file of the tree, and at a line that
// it has, else that is a finding; what is quoted, as in "server/limit.go:42:
// n++", must stand there; and a pass must cite something for each criterion. A
// task without criteria has one: that it is done as described. An answer that
// cannot be read, or that does not come in time, decides nothing, and that
// stops the step as well. [Work] makes the gate, which is asked when no other
// gate objects.
//
// What is said of each criterion stands in the verdict of the gate, with what
// each citation shows: something that the task changed, a path that it names,
// or neither. A path by itself is cited where the task changed it and no line
// shows that: it was deleted, or is empty. A criterion of which it is not said
// whether it is met was not judged.
//
// # A short program
//
//	ops := &external.Program{Label: "ops", Args: []string{"./review"}}
//	c := exec.Controller{
//		Dir:       ".",
//		Executors: exec.Default(builder),
//		Reviewers: []review.Reviewer{ops},
//		Gates:     append(builtin.Gates(), review.Plan(ops), review.Work(ops)),
//	}
//
// # What is not promised
//
// What a reviewer says is recorded as it was said: the checks and warnings of a
// contract inform and decide nothing. Reviewers are asked one after another,
// each on its own, and see no other's answer. That a line exists does not prove
// what is said of it: a citation leads the reader there. Work and review by one
// model are not independent of each other: history.Review.Why says so of one
// program, and of all else a host sees to it.
//
// [exec.Controller]: https://pkg.go.dev/github.com/planlock/planlock/exec#Controller
package review
