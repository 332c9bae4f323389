package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
)

// heard is what is wanted because of a guard that does not let a step pass.
func heard(c *contract.Case, g guard.Guard, v guard.Verdict) []Wanted {
	return []Wanted{{Step: c.Step.Address, Guard: g.Name(), Action: wantedBy(c, v)}}
}

// wantedBy is what is to be done about a verdict, or why nothing can be.
func wantedBy(c *contract.Case, v guard.Verdict) Action {
	switch need := v.Need.(type) {
	case guard.Look:
		return Look(need)
	case guard.Consult:
		if kind := advice.Kind(need.Kind); slices.Contains(advice.Kinds(), kind) {
			return Foresee{Kind: kind}
		}
		return Refuse{Why: fmt.Sprintf("there is no advice of kind %q", need.Kind)}
	case guard.Review:
		return Review(need)
	}
	facts := v.Facts
	if v.Run {
		return Record{Facts: history.At(history.Where{}, facts...)}
	}
	at, attempt := c.Step, 0
	if v.Question != nil {
		q := filledIn(c, *v.Question)
		if at, attempt = c.Run.Step(q.Step), q.Attempt; at == nil {
			return Refuse{Why: fmt.Sprintf("its question is about step %q, which the plan does not have", q.Step)}
		}
		if err := q.Validate(); err != nil {
			return Refuse{Why: err.Error()}
		}
		facts = append(facts[:len(facts):len(facts)], &history.Asked{Question: q})
	}
	return Record{Facts: history.At(history.Of(at, attempt), facts...)}
}

// filledIn is a question with the id, run and step of the case, where it names
// none.
func filledIn(c *contract.Case, q ask.Question) ask.Question {
	q.ID = cmp.Or(q.ID, fmt.Sprintf("q%d", c.Run.Asked+1))
	q.Run = cmp.Or(q.Run, c.Run.Started.Run)
	if q.Step == "" {
		q.Step, q.Attempt = c.Step.Address, c.Step.Tried()
	}
	return q
}
