// Package analysis says what a run that is over teaches about its plan: what
// failed and where, which backups were worth having, when people were asked,
// how errors propagated, and what to change before the plan is run again.
//
//	a := analysis.Of(p, run)
//	for _, r := range a.Recommendations {
//		fmt.Println(r.Step, r.Change)
//	}
//
// Everything is a pure function of plan and history, in the order of the plan.
// Recommendations are for people: nothing here changes a plan or a run.
package analysis
