package ask

import (
	"fmt"
	"slices"
)

// MaxRemembered is how often a remembered choice answers for one step of one
// run. It keeps a choice such as "again" from answering for ever.
const MaxRemembered = 3

// rememberable are the kinds of questions that may be answered by a choice made
// earlier. The others are about what was refused for safety: a step that may
// not begin or did what it must not, what cannot be undone, a plan that no
// longer holds. Each of those wants somebody who looks at it.
var rememberable = []Kind{StepFailed, Propagation, Threshold, Education, Confirmation, Dependency}

// Rememberable returns nil if a choice may be remembered for questions like q,
// or else a *[RefusedError] that says why not: q is about something that was
// refused for safety, or the choice must be acknowledged or needs a text each
// time.
func (q Question) Rememberable(key string, scope Scope) error {
	refuse := func(format string, args ...any) error {
		return &RefusedError{Question: q.ID, Why: fmt.Sprintf(format, args...)}
	}
	c, ok := q.Choice(key)
	switch {
	case !ok:
		return refuse("%q is none of the choices", key)
	case scope != ForStep && scope != ForPlan:
		return refuse("a choice is remembered for the step or for the plan, not for %q", scope)
	case scope == ForStep && q.Step == "":
		return refuse("it is about no step: a choice can be remembered for the plan only")
	case !slices.Contains(rememberable, q.Kind):
		return refuse("no choice is remembered for questions of kind %q: they are about what was refused for safety",
			q.Kind)
	case c.Acknowledge != "":
		return refuse("choice %q must be acknowledged each time, so it is not remembered", key)
	case c.NeedsReason:
		return refuse("choice %q needs a text each time, so it is not remembered", key)
	}
	return nil
}

// RememberWords are the words that confirm that a choice is to be remembered.
func (q Question) RememberWords(key string, scope Scope) string {
	if scope == ForStep {
		return fmt.Sprintf("remember %s for %s of step %s", key, q.Kind, q.Step)
	}
	return fmt.Sprintf("remember %s for %s of this plan", key, q.Kind)
}

// ToRemember returns nil if a, which must have passed [Question.Check], also
// says rightly that its choice is to be remembered; else a *[RefusedError] that
// says why it is not. The answer counts all the same.
func (q Question) ToRemember(a Answer) error {
	if err := q.Rememberable(a.Choice, a.Remember); err != nil {
		return err
	}
	if want := q.RememberWords(a.Choice, a.Remember); a.Confirmed != want {
		return &RefusedError{Question: q.ID, Why: fmt.Sprintf(
			"to be remembered it must be confirmed with the words %q", want)}
	}
	return nil
}
