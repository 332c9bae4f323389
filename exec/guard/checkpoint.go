package guard

import (
	"strings"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/internal/question"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// checkpoint asks a person where the plan wants one: at the steps of a task of
// the kind "checkpoint". What the person settles counts as done; the person may
// also have the step carried out like any other. In silent mode nobody is
// asked, and it is carried out.
func checkpoint(c *contract.Case) Verdict {
	kind, what, _ := strings.Cut(c.Place().Task.Kind, ":")
	if kind != "checkpoint" || c.Run.Mode == plan.Silent || contract.Chosen(c.Step, ask.Checkpoint, question.GoOn) {
		return Pass()
	}
	return Hold(question.Checkpoint(c, what))
}

// repetition asks before a step that cannot be undone runs once more after the
// run was set back.
func repetition(c *contract.Case) Verdict {
	s := c.Step
	if s.Rollback != plan.Irreversible || len(s.Undone) == 0 || s.Rungs(recovery.AskRung) > 0 {
		return Pass()
	}
	return Hold(question.Repetition(c))
}

// education explains a step before it begins, in education mode, and asks how
// to do it.
func education(c *contract.Case) Verdict {
	if q, ask := question.Education(c); ask {
		return Hold(q)
	}
	return Pass()
}
