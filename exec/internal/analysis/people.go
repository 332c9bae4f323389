package analysis

import (
	"slices"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// A Count is how often something happened.
type Count struct {
	What string
	N    int
}

// count adds one to the count of something, which it puts behind the others the
// first time.
func count(counts []Count, what string) []Count {
	if i := slices.IndexFunc(counts, func(c Count) bool { return c.What == what }); i >= 0 {
		counts[i].N++
		return counts
	}
	return append(counts, Count{what, 1})
}

// Escalations say when people were asked, and why.
type Escalations struct {
	Total     int     // switches of dynamic mode to collaborative
	TakenBack int     // those after which the next switch was back to dynamic, or to silent: nobody needed them
	Triggers  []Count // that led to them, in the order in which they were met
	Asked     []Count // questions by kind
	Answered  Rate    // questions that somebody answered, of all that are closed
}

// escalations counts what dynamic mode did by itself, and what persons were
// asked. A switch that a person took back right away was not needed: its
// threshold is too low.
func escalations(r *history.Run) Escalations {
	var e Escalations
	for i, m := range r.Modes {
		if m.From != plan.Dynamic || m.To != plan.Collaborative {
			continue
		}
		e.Total++
		if next := i + 1; next < len(r.Modes) && (r.Modes[next].To == plan.Dynamic || r.Modes[next].To == plan.Silent) {
			e.TakenBack++
		}
		triggers := m.Triggers
		if len(triggers) == 0 {
			triggers = []string{m.Cause}
		}
		for _, t := range triggers {
			e.Triggers = count(e.Triggers, t)
		}
	}
	for _, s := range r.Steps {
		for _, x := range slices.Concat(s.Earlier, s.Questions) {
			e.asked(&x)
		}
	}
	for _, x := range r.Exchanges {
		e.asked(x)
	}
	return e
}

// asked counts a question.
func (e *Escalations) asked(x *history.Exchange) {
	e.Asked = count(e.Asked, string(x.Question.Kind))
	if x.Open() {
		return
	}
	e.Answered.Of++
	if x.Answer != nil {
		e.Answered.N++
	}
}

// Propagation says how errors propagated.
type Propagation struct {
	Halts     int            // steps whose failure ended the run
	Concerned int            // steps that ran although an earlier one had failed
	Reviewed  int            // steps that ran because a person said so after a failure
	Blocked   int            // steps that could not run
	Chains    []Chain        // what each failure kept from running
	Unread    []plan.Address // steps that began without reading an earlier failure; there should be none
}

// A Chain is a step that did not succeed, and the steps that could not run
// because of it.
type Chain struct {
	From    plan.Address
	Blocked []plan.Address
}

// propagation reads what was decided before each step, and what stands behind
// the steps that failed. Whether an earlier failure was read is taken from the
// checkpoint of the step, not from what its decision says.
func propagation(r *history.Run) Propagation {
	var p Propagation
	for _, s := range r.Steps {
		if s.Failed != nil && s.Failed.Halts {
			p.Halts++
		}
		if s.Blocked != nil {
			p.Blocked++
			at := slices.IndexFunc(p.Chains, func(c Chain) bool { return c.From == s.Blocked.By })
			if at < 0 {
				at = len(p.Chains)
				p.Chains = append(p.Chains, Chain{From: s.Blocked.By})
			}
			p.Chains[at].Blocked = append(p.Chains[at].Blocked, s.Address)
		}
		if s.Checkpoint == nil {
			continue
		}
		switch s.Checkpoint.Decision {
		case "proceed with concern":
			p.Concerned++
		case "reviewed":
			p.Reviewed++
		}
		for _, prior := range r.NotCompleted() {
			if !prior.Precedes(s) {
				break
			}
			if prior.Status == history.Failed && prior.EndedAt < s.At &&
				!slices.Contains(s.Checkpoint.Prior, prior.Address) {
				p.Unread = append(p.Unread, s.Address)
				break
			}
		}
	}
	return p
}
