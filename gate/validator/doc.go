// Package validator is the gate of a reviewer who did not do the work: a
// program, or a model that a host calls, which looks at a task when its last
// step is done, and says whether it is what its acceptance criteria ask for.
//
// # The idea
//
// A [Reviewer] is shown a [Request] with the criteria and the changed paths. It
// answers with one JSON object:
//
//	{"verdict": "pass",
//	 "criteria": [{"criterion": 1, "met": true, "citations": ["server/limit.go:42"]}],
//	 "findings": []}
//
// The verdict is pass, partial or fail. What it says is not believed because it
// is said: every citation must point at a file of the tree, and at a line that
// it has, else that is a finding; a pass must cite something for each
// criterion; and a task without criteria must cite something at all. A pass
// without evidence is none. A verdict that cannot be read, or that does not
// come within 120 seconds, decides nothing, and that stops the step as well.
//
// # A short program
//
//	c := exec.Controller{
//		Dir:      ".",
//		Executor: builder,
//		Gates:    []gate.Gate{validator.New(&validator.Program{Args: []string{"./review"}})},
//	}
//
// What it objects to is fed back to the executor in the next attempt.
//
// # What is not promised
//
// That a line exists does not prove what is said of it: a citation leads the
// reader there. Work and review by one model are not independent of each other;
// a host sees to that.
package validator
