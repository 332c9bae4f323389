package history

import "testing"

// What was cut off or set aside, and work that was accepted afterwards, is
// nothing that was tried, nor a failure of what its method is.
func TestWhatCountsAsTried(t *testing.T) {
	fell := func(c Class) *Attempt { return &Attempt{Failure: &AttemptFailed{Class: c}} }
	aside := fell(GateFailed)
	aside.Aside = &JoinFailed{}
	accepted := &Attempt{Method: AttemptStarted{Reinstates: 1}}
	for name, c := range map[string]struct {
		undone, attempts     []*Attempt
		anew, retried, tried int
	}{
		"once":                   {nil, []*Attempt{{}}, 0, 0, 1},
		"after it failed":        {nil, []*Attempt{fell(GateFailed), {}}, 1, 1, 2},
		"after it was lost":      {nil, []*Attempt{fell(Lost), {}}, 0, 0, 1},
		"after something moved":  {nil, []*Attempt{fell(Moved), {}}, 0, 0, 1},
		"after it was set aside": {nil, []*Attempt{aside, {}}, 0, 0, 1},
		"accepted":               {nil, []*Attempt{fell(Breach), accepted}, 0, 0, 1},
		"set back":               {[]*Attempt{fell(Breach), fell(Breach), {}}, []*Attempt{{}}, 3, 2, 1},
		"failed and set back":    {[]*Attempt{fell(Breach)}, []*Attempt{{}}, 1, 1, 1},
		"set back, and lost":     {[]*Attempt{fell(Lost)}, []*Attempt{{}}, 0, 0, 1},
		"nothing":                {nil, nil, 0, 0, 0},
	} {
		s := &Step{Undone: c.undone, Attempts: c.attempts}
		if s.Anew() != c.anew || s.Retried() != c.retried || s.Tries().Attempts != c.tried {
			t.Errorf("%s: tried anew %d times, retried %d, %d tries; want %d, %d, %d", name, s.Anew(), s.Retried(),
				s.Tries().Attempts, c.anew, c.retried, c.tried)
		}
	}
}
