package flow

import (
	"fmt"

	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/history"
)

// A Suggestion is something to do after a run, or while it waits.
type Suggestion struct {
	action.Action
	Label string // why, in plain words
	// Automatic is set on what may be done without asking anybody: nothing
	// depends on a choice.
	Automatic bool
}

// Next is what to do now, the likeliest first. A run that achieved its goal is
// to be verified. Of one that achieved a part of it everything is offered:
// verify, run again, read the journal, leave it. After a failure that halted
// the run the failed steps come first.
func Next(run *history.Run) []Suggestion {
	id := run.Started.Run
	if id == "" {
		return nil
	}
	verify := Suggestion{Action: action.Action{Kind: action.Verify, Run: id}, Label: "prove what was done"}
	leave := Suggestion{Action: action.Action{Kind: action.Leave, Run: id},
		Label: "leave it: what was completed stays, and the journal keeps all of it"}
	switch back := run.After.Last(); {
	case run.After.CutOff() != nil:
		return []Suggestion{{Action: action.Action{Kind: action.Rollback, Run: id, Step: back.To},
			Label: "have it set back to its end, which was cut off"}}
	case back != nil:
		return []Suggestion{again(run), verify, leave}
	}
	switch run.Status {
	case history.Achieved:
		verify.Automatic = true
		return []Suggestion{verify}
	case history.Partial:
		return append(append([]Suggestion{verify, again(run)}, debug(run)...), leave)
	case history.NotAchieved:
		return append(debug(run), again(run), verify, leave)
	}
	resume := Suggestion{Action: action.Action{Kind: action.Resume, Run: id}, Label: "go on from the last checkpoint"}
	var answers []Suggestion
	for _, q := range run.Questions() {
		answer := action.Action{Kind: action.Answer, Run: id, Question: q.ID}
		answers = append(answers, Suggestion{Action: answer, Label: q.What})
	}
	if len(answers) > 0 {
		return append(answers, resume, leave)
	}
	if run.Replans() {
		resume.Label = "be asked again whether the plan holds"
		return []Suggestion{{Action: action.Action{Kind: action.Abandon, Run: id},
			Label: "give it up, and run another plan"}, resume, leave}
	}
	resume.Automatic = run.Flow.HandedOver() && run.Flow.Spent() == nil // else somebody gives it more
	return []Suggestion{resume, leave}
}

// again is how to go on with a run that ended: its journal takes nothing more,
// so the plan is run once more, by a run that takes over what was completed.
func again(run *history.Run) Suggestion {
	next := Suggestion{Action: action.Action{Kind: action.Run}, Label: "mend the plan and run it again"}
	if run.Count(history.Completed) > 0 && !run.Started.Shadow {
		next.Action = action.Action{Kind: action.Finish, Run: run.Started.Run}
		next.Label = "mend what failed and carry out what is left"
	}
	if files := run.Started.Files; len(files) > 0 {
		next.Path = files[0].Path
	}
	return next
}

// debug shows the steps that failed.
func debug(run *history.Run) []Suggestion {
	read := action.Action{Kind: action.Log, Run: run.Started.Run}
	var list []Suggestion
	for _, s := range run.Steps {
		if s.Failed != nil {
			read.Step = s.Address
			list = append(list, Suggestion{Action: read, Label: fmt.Sprintf("see why step %s failed", s.Address)})
		}
	}
	if list == nil {
		list = []Suggestion{{Action: read, Label: "see how the run went"}}
	}
	return list
}
