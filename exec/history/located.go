package history

import "github.com/planlock/planlock/plan"

// Where a fact belongs: a step and one of its attempts, or the run as a whole.
type Where struct {
	Step    plan.Address
	Attempt int // 0: the step as a whole
}

// A Located fact knows where it belongs.
type Located struct {
	Where Where
	Fact  Fact
}

// At says where facts belong.
func At(w Where, facts ...Fact) []Located {
	located := make([]Located, len(facts))
	for i, f := range facts {
		located[i] = Located{Where: w, Fact: f}
	}
	return located
}

// Of is where facts about a step, and the given attempt of it, belong.
func Of(s *Step, attempt int) Where { return Where{Step: s.Address, Attempt: attempt} }
