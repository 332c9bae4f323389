package engine

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
)

// heard is what is wanted because of a guard that does not let a step pass.
func heard(c *guard.Case, g guard.Guard, v guard.Verdict) []Wanted {
	return []Wanted{{Step: c.Step.Address, Guard: g.Name(), Action: wantedBy(c, v)}}
}

// wantedBy is what is to be done about a verdict, or why nothing can be.
func wantedBy(c *guard.Case, v guard.Verdict) Action {
	switch {
	case v.Look != 0:
		return Look{What: v.Look}
	case v.Review:
		return Review{Again: c.Run.Task(c.Step.Task).Approval() != nil}
	case slices.Contains(advice.Kinds(), v.Consult):
		return Foresee{Kind: v.Consult}
	case v.Consult != "":
		return Refuse{Why: fmt.Sprintf("there is no advice of kind %q", v.Consult)}
	case slices.ContainsFunc(v.Facts, missing):
		return Refuse{Why: "it records a fact that is nil"}
	case v.Run:
		return Record{Facts: history.Where{}.Locate(v.Facts...)}
	case v.Question == nil:
		return Record{Facts: c.Step.Where(0).Locate(v.Facts...)}
	}
	q, err := Question(c, *v.Question)
	if err != nil {
		return Refuse{Why: err.Error()}
	}
	facts := slices.Concat(v.Facts, []history.Fact{&history.Asked{Question: q}})
	return Record{Facts: c.Run.Step(q.Step).Where(q.Attempt).Locate(facts...)}
}

// missing reports whether a fact is nil, or a pointer to nothing.
func missing(f history.Fact) bool {
	v := reflect.ValueOf(f)
	return f == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// Question is the question of a guard as it is put: with the id, run and step
// of the case, where it names none. The error says why it cannot be put.
func Question(c *guard.Case, q ask.Question) (ask.Question, error) {
	next := fmt.Sprintf("q%d", c.Run.Asked+1)
	q.ID, q.Run = cmp.Or(q.ID, next), cmp.Or(q.Run, c.Run.Started.Run)
	if q.Step == "" {
		q.Step, q.Attempt = c.Step.Address, c.Step.Tried()
	}
	switch {
	case c.Run.Step(q.Step) == nil:
		return q, fmt.Errorf("its question is about step %q, which the plan does not have", q.Step)
	case c.Run.AskedUnder(q.ID) != "":
		return q, fmt.Errorf("its question has the id %q, and another one of the run has it", q.ID)
	case q.ID != next && numbered(q.ID):
		return q, fmt.Errorf("its question has the id %q, which a later one of the run gets", q.ID)
	}
	return q, q.Validate()
}

// numbered reports whether an id is one that questions get without a word.
func numbered(id string) bool {
	digits, q := strings.CutPrefix(id, "q")
	_, err := strconv.Atoi(digits)
	return q && err == nil
}
