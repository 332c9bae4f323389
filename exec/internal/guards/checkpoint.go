package guards

import (
	"strings"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/exec/internal/question"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// checkpoint asks a person where the plan wants one: at the steps of a task of
// the kind "checkpoint". What the person settles counts as done; the person may
// also have the step carried out like any other. In silent mode nobody is
// asked, and it is carried out.
func checkpoint(c *guard.Case) guard.Verdict {
	task, _ := c.Place()
	kind, what, _ := strings.Cut(task.Kind, ":")
	if kind != "checkpoint" || c.Mode() == plan.Silent || c.Step.Chosen(ask.Checkpoint, choice.GoOn) {
		return guard.Pass()
	}
	return guard.Hold(question.Checkpoint(c, what))
}

// repetition asks before a step that cannot be undone runs once more after the
// run was set back.
func repetition(c *guard.Case) guard.Verdict {
	s := c.Step
	if s.Rollback != plan.Irreversible || len(s.Undone) == 0 || s.Rungs(recovery.AskRung) > 0 {
		return guard.Pass()
	}
	return guard.Hold(question.Repetition(c))
}

// confirmation asks before a critical step begins, in a run that is collaborative
// from its beginning.
func confirmation(c *guard.Case) guard.Verdict {
	if q, ask := question.Confirmation(c); ask {
		return guard.Hold(q)
	}
	return guard.Pass()
}

// education explains a step before it begins, in education mode, and asks how
// to do it.
func education(c *guard.Case) guard.Verdict {
	if q, ask := question.Education(c); ask {
		return guard.Hold(q)
	}
	return guard.Pass()
}
