// Package flow says how a run as a whole is carried out: in which order, with
// how much ceremony, and what became of its tasks and speclets. Everything here
// is a function of the plan and of the run's history, and has no other memory;
// the controller of package exec asks, and writes what it is told into the
// journal.
//
//	for _, address := range flow.Order(p, locked.Format()) {
//		fmt.Println(address) // dependencies first
//	}
//	for _, s := range flow.Speclets(p, run) {
//		fmt.Println(s.ID, s.Status, s.Reason)
//	}
//	for _, next := range flow.Next(run) {
//		fmt.Println(next.Label, next.Action)
//	}
//
// The main functions:
//
//   - [Order] is the order of execution.
//   - [Complexity] is how hard a plan looks, [Measured] how hard it turned out
//     to be, [Choose] and [Switch] what follows of it.
//   - [TaskOver] is how a task ended, with what was verified about it.
//   - [Speclets] and [Stages] are where the groups of tasks stand.
//   - [CycleOf] is how a step writes its test first.
//   - [Limit] is how long an attempt may take, [Level] how far a token budget is used up.
//   - [Next] is what to do after the run.
//
// Not promised: complexity is a rule of thumb. It decides how much ceremony
// there is, and never what a step may do.
package flow
