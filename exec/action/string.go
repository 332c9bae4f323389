package action

import (
	"fmt"
	"strings"
)

// String says the action in plain English, as in "resume run
// 01JD3Z8Q6V5C7T2M9K4XWBRN0E".
func (a Action) String() string {
	switch a.Kind {
	case Run:
		return "run " + a.plan() + a.acknowledging()
	case Finish:
		return fmt.Sprintf("run %s and take over what %s completed", a.plan(), a.run()) + a.acknowledging()
	case Attend:
		if a.Run != "" {
			return "resume " + a.run() + " where somebody answers its questions"
		}
		return "run " + a.plan() + " where somebody answers its questions"
	case Lock:
		return "lock " + a.plan() + a.acknowledging()
	case Check:
		return "check " + a.plan() + " against its workspace"
	case Answer:
		return a.answer()
	case Status:
		return "read the state of " + a.run()
	case Log:
		return a.log()
	case Diff:
		return a.diff()
	case Compare:
		return fmt.Sprintf("compare tree %s with tree %s", a.From, a.To)
	case Rollback:
		return fmt.Sprintf("roll %s back to before step %s", a.run(), a.Step) + a.accepting()
	case Resume:
		return "resume " + a.run() + a.accepting()
	case Leave:
		return "leave " + a.run() + " as it is"
	}
	return string(a.Kind) + " " + a.run() + a.accepting()
}

func (a Action) plan() string {
	if a.Path == "" {
		return "the plan"
	}
	return "plan " + a.Path
}

func (a Action) run() string {
	if a.Run == "" {
		return "the run"
	}
	return "run " + a.Run
}

func (a Action) acknowledging() string {
	if len(a.Acknowledge) == 0 {
		return ""
	}
	return " and acknowledge " + quoted(a.Acknowledge)
}

func (a Action) accepting() string {
	if len(a.Accept) == 0 {
		return ""
	}
	return ", accepting that " + quoted(a.Accept) + " moved"
}

// answer says which question is to be answered, and what the answer needs.
func (a Action) answer() string {
	text := "answer question " + a.Question + " of " + a.run()
	if a.Choice != "" {
		text += " with " + a.Choice
	}
	if a.Reason {
		text += " and a reason"
	}
	if len(a.Acknowledge) > 0 {
		text += ", acknowledged with " + quoted(a.Acknowledge)
	}
	return text
}

// log says which part of the journal is to be looked at.
func (a Action) log() string {
	what := "the journal"
	if a.Failures {
		what = "the failed attempts"
	}
	if a.Step != "" {
		what += fmt.Sprintf(" of step %s", a.Step)
	}
	return "read " + what + " of " + a.run()
}

func (a Action) diff() string {
	if a.Attempt > 0 {
		return fmt.Sprintf("compare the trees before and after attempt %d of step %s of %s", a.Attempt, a.Step, a.run())
	}
	return fmt.Sprintf("compare the trees before and after step %s of %s", a.Step, a.run())
}

func quoted(words []string) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = fmt.Sprintf("%q", w)
	}
	return strings.Join(list, ", ")
}
