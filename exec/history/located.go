package history

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
