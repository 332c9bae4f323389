package history_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/planlock/planlock/envelope"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// What the fold keeps for the controller is what can be counted, after every
// record of a long and crooked run.
func TestStandingIsWhatCanBeCounted(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 100 {
		const n = 9
		j := &journal{}
		var steps []history.Outline
		for i := range n {
			steps = append(steps, history.Outline{Address: plan.Address(fmt.Sprintf("%d.%d", i/3+1, i%3+1)),
				Task: fmt.Sprint(i/3 + 1)})
		}
		j.add("", 0, &history.Started{Run: "R", Policy: history.Policy{Mode: plan.Dynamic},
			Envelope: &envelope.Envelope{}, Steps: steps})
		for range 30 {
			if random.IntN(5) == 0 {
				j.add("", 0, phasesOf(&j.run, 1+random.IntN(n)))
			}
			if n := j.run.UnsaidPhase(); n > 0 && random.IntN(2) == 0 {
				j.add("", 0, &history.PhaseOver{Number: n, Phase: j.run.Flow.Strategy.Phases[n-1].Name})
			}
			s := j.run.Steps[random.IntN(n)]
			switch {
			case s.Status != history.Pending:
				if random.IntN(4) == 0 {
					j.add(s.Address, 0, &history.RolledBack{To: s.Address})
				}
			case random.IntN(5) == 0:
				j.add(s.Address, 0, &history.Advised{})
			case random.IntN(5) == 0:
				id := fmt.Sprintf("q%d", j.run.Asked+1)
				j.add(s.Address, 0, &history.Asked{Question: ask.Question{ID: id}}, &history.Answered{Answer: ask.Answer{Question: id}})
			case random.IntN(3) == 0:
				j.add(s.Address, 0, &history.StepSkipped{})
			case random.IntN(2) == 0:
				j.add(s.Address, 0, &history.StepStarted{}, &history.StepFailed{})
			default:
				j.add(s.Address, 0, &history.StepStarted{}).
					add(s.Address, s.Tried()+1, &history.AttemptStarted{Method: "primary"}, &history.AttemptEnded{},
						&history.StepCompleted{})
			}
			for task := range 3 {
				id := fmt.Sprint(task + 1)
				over := !slices.ContainsFunc(j.run.Steps,
					func(s *history.Step) bool { return s.Task == id && !s.Status.Over() })
				if over && j.run.Flow.Task(id) == nil && random.IntN(2) == 0 {
					j.add("", 0, &history.TaskOver{Task: id})
				}
			}
			if j.last != nil {
				t.Fatal(j.last)
			}
			holdsStanding(t, &j.run)
		}
	}
}

// phasesOf is a strategy that has the steps of a run in phases of so many.
func phasesOf(r *history.Run, each int) *history.StrategySet {
	set := &history.StrategySet{Strategy: history.Orchestrated}
	for part := range slices.Chunk(r.Steps, each) {
		p := history.Phase{Name: string(part[0].Address)}
		for _, s := range part {
			p.Steps = append(p.Steps, s.Address)
		}
		set.Phases = append(set.Phases, p)
	}
	return set
}

// unsaidPhase is the first phase that is over, of which no record says so.
func unsaidPhase(r *history.Run) int {
	for i := 0; r.Flow.Strategy != nil && i < len(r.Flow.Strategy.Phases); i++ {
		said := slices.ContainsFunc(r.Flow.Phases, func(p history.PhaseOver) bool { return p.Number == i+1 })
		open := slices.ContainsFunc(r.Flow.Strategy.Phases[i].Steps, func(a plan.Address) bool { return !r.Step(a).Status.Over() })
		if !said && !open {
			return i + 1
		}
	}
	return 0
}

// holdsStanding compares what the fold keeps with what it could count anew.
func holdsStanding(t *testing.T, r *history.Run) {
	t.Helper()
	var apart, done, heard, asked, past []*history.Step
	over := 0
	for _, s := range r.Steps {
		if s.Status.Over() && s.Status != history.Completed {
			apart = append(apart, s)
		}
		if s.Status.Over() {
			past = append(past, s)
		}
		if len(s.Questions)+len(s.Earlier) > 0 {
			asked = append(asked, s)
		}
		if len(s.Advised) > 0 {
			heard = append(heard, s)
		}
		if s.Status == history.Completed || s.Status == history.Failed {
			done = append(done, s)
		}
	}
	for over < len(r.Steps) && r.Steps[over].Status.Over() {
		over++
	}
	slices.SortFunc(done, func(a, b *history.Step) int { return int(a.EndedAt) - int(b.EndedAt) })
	unsaid := false
	for _, s := range r.Steps {
		open := slices.ContainsFunc(r.Steps, func(o *history.Step) bool { return o.Task == s.Task && !o.Status.Over() })
		unsaid = unsaid || !open && r.Flow.Task(s.Task) == nil
	}
	switch {
	case !slices.Equal(r.NotCompleted(), apart):
		t.Errorf("NotCompleted: %v, want %v", r.NotCompleted(), apart)
	case !slices.Equal(r.Concluded(), done):
		t.Errorf("Concluded: %v, want %v", r.Concluded(), done)
	case !slices.Equal(r.Consulted(), asked):
		t.Errorf("Consulted: %v, want %v", r.Consulted(), asked)
	case !slices.Equal(r.Advised(), heard):
		t.Errorf("Advised: %v, want %v", r.Advised(), heard)
	case len(r.Open()) != len(r.Steps)-over:
		t.Errorf("Open: %d steps, want %d", len(r.Open()), len(r.Steps)-over)
	case r.UnsaidPhase() != unsaidPhase(r):
		t.Errorf("UnsaidPhase: %d, want %d", r.UnsaidPhase(), unsaidPhase(r))
	case len(r.UnsaidTasks()) > 0 != unsaid:
		t.Errorf("UnsaidTasks: %q", r.UnsaidTasks())
	}
	for _, but := range r.Steps {
		want := slices.DeleteFunc(slices.Clone(past), func(s *history.Step) bool { return s == but })
		before := max(0, len(want)-3)
		if got, more := r.Past(3, but); more != before || !slices.Equal(got, want[before:]) {
			t.Errorf("Past(3, %s): %v and %d more, want %v", but.Address, got, more, want)
		}
	}
}

// A folder that came with a file is no file that was touched.
func TestFoldersAreNotTouched(t *testing.T) {
	j := &journal{}
	j.add("", 0, &history.Started{Run: "R", Policy: history.Policy{Mode: plan.Dynamic}, Envelope: &envelope.Envelope{},
		Steps: []history.Outline{{Address: "1.1", Task: "1"}}})
	entry := func(path string, kind ledger.Kind) ledger.Change {
		return ledger.Change{Path: path, Op: ledger.Created, After: &ledger.Entry{Path: path, Kind: kind}}
	}
	changes := []ledger.Change{entry("src", ledger.Dir), entry("src/a.ts", ledger.File), entry("src/b.ts", ledger.File)}
	j.add("1.1", 0, &history.StepStarted{}).add("1.1", 1, &history.AttemptStarted{Method: "primary"},
		&history.AttemptEnded{}, &history.Accounted{Changes: changes, Total: len(changes)})
	if got := j.run.Measures().Files; got != 2 {
		t.Errorf("%d files, want 2", got)
	}
}
