package question

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// A pace is how often education mode stops.
type pace string

const (
	slow     pace = "slow"     // at every critical step, and at every second of the others
	moderate pace = "moderate" // at critical steps and key decisions
	fast     pace = "fast"     // at major decisions
)

// A course is how a plan wants to be taught: its [education] table, with
// defaults.
type course struct {
	off          bool // enabled = false, or approval_gates = "none"
	pace         pace
	depth        string // "brief", "moderate", "detailed"
	rationale    bool
	alternatives bool
}

// courseOf reads [education]. What is not said, or not known, is as in the
// table of docs/modes.md.
func courseOf(p *plan.Plan) course {
	c := course{pace: moderate, depth: depthModerate, rationale: true, alternatives: true}
	for _, s := range p.Settings {
		key, ok := strings.CutPrefix(s.Key, "education.")
		if !ok {
			continue
		}
		no := s.Value.Kind == "boolean" && s.Value.Text == "false"
		switch text := s.Value.Text; key {
		case "enabled":
			c.off = c.off || no
		case "approval_gates":
			c.off = c.off || text == "none"
		case "learning_pace":
			if p := pace(text); p == slow || p == fast {
				c.pace = p
			}
		case "comparison_depth":
			if text == depthBrief || text == depthDetailed {
				c.depth = text
			}
		case "rationale_required":
			c.rationale = !no
		case "alternatives_shown":
			c.alternatives = !no
		}
	}
	return c
}

// byPlan says in the journal that the plan chose the mode of a run.
const byPlan = "plan"

// Education explains the step before it begins, where education mode stops at
// it, and asks how to do it. It is false where nothing is to be asked, or where
// that was answered.
func Education(c *guard.Case) (ask.Question, bool) {
	s, how := c.Step, courseOf(c.Plan)
	if c.Mode() != plan.Education || len(s.Attempts) > 0 || how.off && c.Run.Started.ModeBy == byPlan ||
		!stopsAt(c, how.pace) {
		return ask.Question{}, false
	}
	last := lastOf(s, ask.Education)
	switch {
	case last == nil:
		return lessonQuestion(c, how, false), true
	case last.Answer == nil:
		return ask.Question{}, false // refused, and the step is over
	}
	switch last.Answer.Choice {
	case explain:
		return lessonQuestion(c, how, true), true
	case no, tryOther:
		return approachQuestion(c, how), true
	case choice.Stop:
		return lessonQuestion(c, how, false), true // the run was resumed
	}
	return ask.Question{}, false
}

// lastOf is the latest question about a step that is of one of some kinds, or
// nil.
func lastOf(s *history.Step, kinds ...ask.Kind) *history.Exchange {
	for i := range slices.Backward(s.Questions) {
		if slices.Contains(kinds, s.Questions[i].Question.Kind) {
			return &s.Questions[i]
		}
	}
	return nil
}

// stopsAt reports whether education mode stops at a step.
func stopsAt(c *guard.Case, p pace) bool {
	s := c.Step
	task, step := c.Place()
	major := step.Rollback == plan.Irreversible || step.SemanticChange == plan.Breaking ||
		step.SemanticChange == plan.Modifying ||
		task.Kind == "checkpoint:decision"
	switch p {
	case fast:
		return major
	case slow:
		return s.Critical || major || others(c)%2 == 0
	}
	return s.Critical || major || len(step.Backups) > 0
}

// others is how many steps before s are not critical.
func others(c *guard.Case) int {
	n := 0
	for _, prior := range c.Run.Steps {
		if prior == c.Step {
			break
		}
		if !prior.Critical {
			n++
		}
	}
	return n
}

// lessonQuestion explains a step and recommends an approach.
func lessonQuestion(c *guard.Case, how course, more bool) ask.Question {
	s, t := c.Step, teaching(c, how)
	if more {
		t.More = explained(c)
	}
	q := about(c, ask.Education, "education checkpoint: step "+title(s), "education mode explains this step before it begins", nil,
		ask.Choice{Key: yes, Also: []string{"yes", "y"},
			Label:       fmt.Sprintf("go on with the recommended approach (%s)", t.Recommended),
			Consequence: fmt.Sprintf("%s runs, and what it taught is noted", s.Address)})
	if len(t.Approaches) > 1 {
		q.Choices = append(q.Choices, approachChoices(s, t)...)
		q.Choices = append(q.Choices,
			ask.Choice{Key: no, Also: []string{"no", "n"}, Label: "do not; show the approaches again", Consequence: "nothing runs before one is chosen"},
			ask.Choice{Key: tryOther, Also: []string{"try different"}, Label: "choose a different approach",
				Consequence: "nothing runs before one is chosen"})
	} else {
		q.Choices = append(q.Choices, ask.Choice{Key: choice.Skip, Also: []string{"n", "no"}, Label: fmt.Sprintf("do not: leave %s out", s.Address),
			Consequence: "the run goes on without it", Acknowledge: fmt.Sprintf("skip %s", s.Address)})
	}
	if !more {
		q.Choices = append(q.Choices, ask.Choice{Key: explain, Also: []string{"explain more"}, Label: "explain more",
			Consequence: "the question is asked again, with more to read"})
	}
	q.Choices = append(q.Choices, choice.ToStop(), choice.ToGiveUp(s))
	q.Default, q.Teaching = yes, t
	return q
}

// approachQuestion has a person choose among the approaches.
func approachQuestion(c *guard.Case, how course) ask.Question {
	s, t := c.Step, teaching(c, how)
	q := about(c, ask.Education, "education checkpoint: how to do step "+title(s), "an approach is to be chosen", nil)
	q.Choices = append(q.Choices, approachChoices(s, t)...)
	q.Choices = append(q.Choices, choice.ToSkip(s, c.Run.Policy.Lenient), choice.ToStop(), choice.ToGiveUp(s))
	q.Teaching = t
	return q
}

// approachChoices choose an approach by its letter, which is what it is shown
// under.
func approachChoices(s *history.Step, t *ask.Teaching) []ask.Choice {
	var list []ask.Choice
	for _, a := range t.Approaches {
		list = append(list, ask.Choice{Key: a.Key, Also: []string{a.Method, strings.ToLower(a.Key)},
			Label:       fmt.Sprintf("%s: %s", a.Method, bound.FirstLine(a.Description)),
			Consequence: fmt.Sprintf("%s is done this way", s.Address)})
	}
	return list
}

// FirstMethod is the method that a step begins with: the one chosen in
// education or collaborative mode, else its own.
func FirstMethod(s *history.Step) string {
	x := lastOf(s, ask.Education, ask.Confirmation)
	if x == nil || x.Answer == nil || x.Question.Teaching == nil {
		return recovery.Primary
	}
	if x.Answer.Choice == yes {
		return x.Question.Teaching.Recommended
	}
	for _, a := range x.Question.Teaching.Approaches {
		if a.Key == x.Answer.Choice {
			return a.Method
		}
	}
	return recovery.Primary
}
