// Package compliance reviews runs against the articles that a plan is carried
// out under: errors propagate, critical steps are balanced, backups are other
// ways, the outcomes of earlier steps are read, people are asked in time,
// everything is logged, and knowledge is kept.
//
// [Before] checks a task before its first step, [After] reviews a run when it
// is over. Both are pure functions of plan and history: a review says nothing
// that cannot be said again from the journal.
//
//	review := compliance.After(p, run)
//	fmt.Println(review.Score)
//	for _, a := range review.Articles {
//		fmt.Println(a.Article, a.Holds, a.Why)
//	}
//
// The score is 100 less a deduction for each finding: [CriticalCost] for a
// critical one, [WarningCost] for a warning, and never below 0. Every deduction
// is listed, so a score can be explained to the point.
package compliance
