package attempt

import (
	"errors"
	"sync"

	"github.com/planlock/planlock/exec/history"
)

// ErrBudget is the cause with which the context of an attempt ends when what the
// run may cost is spent.
var ErrBudget = errors.New("exec: the budget of the run is spent")

// A Spent is what an attempt cost so far.
type Spent struct {
	Tokens int64
	Calls  int
	Cost   history.Money
}

// most is the larger one of each: nobody takes back what was told.
func (s Spent) most(o Spent) Spent {
	return Spent{max(s.Tokens, o.Tokens), max(s.Calls, o.Calls), max(s.Cost, o.Cost)}
}

// Spending is what attempts cost that are under way at once.
type Spending struct {
	mu   sync.Mutex
	live map[*trial]history.Money
}

// of notes what an attempt cost so far, and returns what all have that are under
// way.
func (s *Spending) of(t *trial, cost history.Money) (all history.Money) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil {
		s.live = map[*trial]history.Money{}
	}
	s.live[t] = cost
	for _, one := range s.live {
		all = all.Plus(one)
	}
	return all
}

// over forgets an attempt of which the journal says what it cost.
func (s *Spending) over(t *trial) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.live, t)
}

// A meter is what an executor says that an attempt cost, while it works.
type meter struct {
	*trial
	run    history.Money // of the run, when the attempt began
	limit  history.Money // of the run; 0: none
	before history.Money // in earlier phases of the attempt
	end    func()        // the attempt

	mu   sync.Mutex
	most Spent
}

// spent takes in what the attempt cost so far, and ends it where that, with what
// the run and other attempts cost, is more than the run may.
func (m *meter) spent(s Spent) {
	m.mu.Lock()
	m.most = m.most.most(s)
	cost := m.before.Plus(m.most.Cost)
	m.mu.Unlock()
	if all := m.run.Plus(m.Spending.of(m.trial, cost)); m.limit > 0 && all > m.limit {
		m.end()
	}
}

// read is what it said in all.
func (m *meter) read() Spent {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.most
}

// charge has an outcome cost at least what was told while it came about.
func (o *Outcome) charge(s Spent) {
	all := s.most(Spent{o.Tokens, o.Calls, o.Cost})
	o.Tokens, o.Calls, o.Cost = all.Tokens, all.Calls, all.Cost
}
