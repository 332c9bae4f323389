package view

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// Advice names commands of planlock, and calls of the library for a run in stores of its host's own: the command
// cannot find these.

const inHost = ", in the program that has its stores"

// prove is how the run is proved.
func (rep *report) prove() string {
	if rep.OwnStores {
		return "Workspace.Verify of run " + rep.Run + inHost
	}
	return "planlock verify " + rep.Run
}

// resume is how the run goes on.
func (rep *report) resume() string {
	if rep.OwnStores {
		return "Controller.Resume of run " + rep.Run + inHost
	}
	return "planlock resume " + rep.Run
}

// look is how it is seen where the run stands.
func (rep *report) look() string {
	if rep.OwnStores {
		return "Workspace.History of run " + rep.Run + inHost
	}
	return "planlock status " + rep.Run
}

// answer is how a choice of the question that waits is made.
func (rep *report) answer(choice, acknowledge string) string {
	if rep.OwnStores {
		text := fmt.Sprintf("answer %s with %s", rep.Waiting.ID, choice)
		if acknowledge != "" {
			text += fmt.Sprintf(", acknowledged with %q", acknowledge)
		}
		return text
	}
	text := fmt.Sprintf("planlock answer %s %s %s", rep.Run, rep.Waiting.ID, choice)
	if acknowledge != "" {
		text += fmt.Sprintf(" --ack %q", acknowledge)
	}
	return text
}

// beAsked is how a question gets an answer that had none.
func (rep *report) beAsked() string {
	if rep.OwnStores {
		return "run the plan with an Escalator that somebody answers"
	}
	return "run the plan on a terminal, or with --answers wait, and answer with planlock answer"
}

// leaveOut follows "if its work is there already".
func (rep *report) leaveOut(a plan.Address) string {
	if rep.OwnStores {
		return ", leave it out: " + rep.without([]plan.Address{a})
	}
	return " (planlock check PLAN --dir .), leave it out: " + rep.without([]plan.Address{a})
}

// withoutNamed is how many steps a command names that leaves them out; planlock check names all of them.
const withoutNamed = 8

// without is how the plan is run again without steps whose work is there. A lock file says what was accepted, so that is where it has to
// stand.
func (rep *report) without(steps []plan.Address) string {
	rest := ""
	if n := len(steps) - withoutNamed; n > 0 {
		steps, rest = steps[:withoutNamed], fmt.Sprintf(" and so on for %d more", n)
	}
	if rep.OwnStores {
		codes := each(steps, func(a plan.Address) string { return fmt.Sprintf("%q", plan.DoneCode(a)) })
		return "lock the plan again and acknowledge " + strings.Join(codes, ", ") + rest
	}
	flags := strings.Join(each(steps, func(a plan.Address) string { return " --ack " + plan.DoneCode(a) }), "") + rest
	if rep.Lock.File != "" {
		return "planlock lock PLAN" + flags + ", and run it"
	}
	return "planlock run PLAN" + flags
}

// takeBack is how the tree gets what it was before a step again.
func (rep *report) takeBack(a plan.Address) string {
	if rep.OwnStores {
		return fmt.Sprintf("Controller.Rollback of run %s to before step %s%s", rep.Run, a, inHost)
	}
	return fmt.Sprintf("planlock rollback %s %s", rep.Run, a)
}

// typed marks in markdown what is to be typed.
func (rep *report) typed(text string) string {
	if rep.OwnStores {
		return md(text)
	}
	return "`" + text + "`"
}

// diffs are how it is seen what the steps did that failed; none where nothing is to be typed.
func (rep *report) diffs() []string {
	var out []string
	for _, s := range rep.steps {
		if s.Failure != nil && s.account() != nil && !rep.OwnStores {
			out = append(out, fmt.Sprintf("See what step %s did: planlock diff %s %s", s.Address, rep.Run, s.Address))
		}
	}
	return out
}

// commands are what may be typed about a task that failed; nil where the command knows nothing of the run.
func (rep *report) commands() ordered[string] {
	if rep.OwnStores {
		return nil
	}
	return ordered[string]{{"debug", "planlock log " + rep.Run + " --type " + (*history.AttemptFailed)(nil).Type()}, {"verify", "planlock verify " + rep.Run}}
}
