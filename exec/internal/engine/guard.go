package engine

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/exec/internal/question"
)

// heard is what is wanted because of a guard that does not let a step pass.
func heard(c *guard.Case, g guard.Guard, v guard.Verdict) []Wanted {
	return []Wanted{{Step: c.Step.Address, Guard: g.Name(), Action: WantedBy(c, v)}}
}

// WantedBy is what is to be done about a verdict of a guard, or why nothing can
// be ([Refuse]).
func WantedBy(c *guard.Case, v guard.Verdict) Action {
	switch {
	case v.Look < 0 || v.Look > guard.Workspace:
		return Refuse{Why: fmt.Sprintf("there is no observation %d", v.Look)}
	case v.Look != 0:
		return Look{What: v.Look}
	case v.Review:
		return Review{Again: c.Run.Task(c.Step.Task).Approval() != nil}
	case slices.Contains(advice.Kinds(), v.Consult):
		return Foresee{Kind: v.Consult}
	case v.Consult != "":
		return Refuse{Why: fmt.Sprintf("there is no advice of kind %q", v.Consult)}
	}
	if err := recordable(c, v); err != nil {
		return Refuse{Why: err.Error()}
	}
	switch {
	case v.Run:
		return Record{Facts: history.Where{}.Locate(v.Facts...)}
	case v.Question == nil:
		return Record{Facts: c.Step.Where(0).Locate(v.Facts...)}
	}
	q, err := put(c, *v.Question)
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

// recordable says why the facts of a verdict cannot be recorded. One that stands
// where it cannot would leave a journal that nobody can read.
func recordable(c *guard.Case, v guard.Verdict) error {
	ends := 0
	for _, f := range v.Facts {
		switch {
		case missing(f):
			return errors.New("it records a fact that is nil")
		case v.Run && !ofRun(f), !v.Run && !ofStep(f):
			return fmt.Errorf("it records the fact %s, which it cannot there", f.Type())
		}
		switch f := f.(type) {
		case *history.StepBlocked:
			if ends++; c.Run.Step(f.By) == nil {
				return fmt.Errorf("it says that the step is blocked by %q, which the plan does not have", f.By)
			}
		case *history.StepSkipped, *history.StepFailed:
			ends++
		}
	}
	if ends > 1 || ends == 1 && v.Question != nil {
		return errors.New("it ends the step, and wants more of it")
	}
	return nil
}

// ofStep and ofRun report whether a guard may record a fact: about the step
// that has not begun, and about the run.
func ofStep(f history.Fact) bool {
	switch f.(type) {
	case *history.StepSkipped, *history.StepBlocked, *history.StepFailed, *history.ModeSwitched, *history.Lesson,
		*history.Advised:
		return true
	}
	return false
}

// ofRun reports whether a guard may have a fact recorded that is about the run
// as a whole.
func ofRun(f history.Fact) bool {
	switch f.(type) {
	case *history.ModeSwitched, *history.StrategySet, *history.Budget, *history.Compliance, *history.Approval:
		return true
	}
	return false
}

// put is the question of a guard as it is put: with the id, run and step
// of the case, where it names none. The error says why it cannot be put.
func put(c *guard.Case, q ask.Question) (ask.Question, error) {
	next := fmt.Sprintf("q%d", c.Run.Asked+1)
	q.ID, q.Run = cmp.Or(q.ID, next), cmp.Or(q.Run, c.Run.Started.Run)
	if q.Step == "" {
		q.Step, q.Attempt = c.Step.Address, c.Step.Tried()
	}
	about, to := c.Run.Step(q.Step), c.Run.Step(q.Target)
	switch {
	case about == nil:
		return q, fmt.Errorf("its question is about step %q, which the plan does not have", q.Step)
	case q.Run != c.Run.Started.Run:
		return q, fmt.Errorf("its question is about run %q, and this is %q", q.Run, c.Run.Started.Run)
	case q.Attempt < 0 || q.Attempt > about.Tried():
		return q, fmt.Errorf("its question is about attempt %d of step %s, which had %d", q.Attempt, q.Step,
			about.Tried())
	case about.Status.Over():
		return q, fmt.Errorf("its question is about step %s, which is %s", q.Step, about.Status)
	case c.Run.AskedUnder(q.ID) != "":
		return q, fmt.Errorf("its question has the id %q, and another one of the run has it", q.ID)
	case q.ID != next && numbered(q.ID):
		return q, fmt.Errorf("its question has the id %q, which a later one of the run gets", q.ID)
	}
	if _, accepts := q.Choice(choice.Accept); accepts && about.Last() == nil {
		return q, fmt.Errorf("its choice %q accepts what an attempt did, and there was none", choice.Accept)
	}
	if _, reverts := q.Choice(choice.Revert); reverts && about.Last() == nil {
		return q, fmt.Errorf("its choice %q reverts what an attempt did, and there was none", choice.Revert)
	}
	if _, back := q.Choice(choice.Back); back && !question.CanUnwind(c.Run, to) {
		return q, fmt.Errorf("its choice %q cannot set the run back to before step %q", choice.Back, q.Target)
	}
	if _, blocks := q.Choice(choice.Block); blocks && q.Kind == ask.Dependency && c.About(about).Blocker() == nil {
		return q, fmt.Errorf("its choice %q leaves step %s blocked, and nothing blocks it", choice.Block, q.Step)
	}
	return q, q.Validate()
}

// numbered reports whether an id is one that questions get without a word.
func numbered(id string) bool {
	digits, q := strings.CutPrefix(id, "q")
	_, err := strconv.Atoi(digits)
	return q && err == nil
}
