// Package choice is what persons can choose from when a run asks: the keys of
// all choices, and those choices that read the same in every question.
package choice

import (
	"fmt"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
)

// Keys of the choices. Approaches of education mode are chosen by their
// letters.
const (
	GoOn    = "g"
	Again   = "r"
	Skip    = "k"
	Stop    = "s"
	GiveUp  = "x"
	Accept  = "a"
	Revert  = "v" // of what a step did beyond its declaration alone
	Propose = "p"
	Issues  = "i" // the work that a checkpoint is about is done again, with what the person found
	Details = "d"
	Back    = "b"
	Dynamic = "m"
	Block   = "w" // leave what is blocked blocked, and go on with the rest
	Replan  = "n" // stop, so that another plan can be made
	Theirs  = "t" // keep what somebody else did
	Ours    = "o" // put what the step did in its place, or the workspace back to what the run left
	// of a phase that is complete in part
	Verify   = "v"
	Continue = "c"
	Halt     = "h"
	Settled  = "y" // the person has done, seen or decided what a checkpoint is about; it did happen
)

// ToGoOn begins a step although something speaks against it.
func ToGoOn(s *history.Step) ask.Choice {
	return ask.Choice{Key: GoOn, Label: fmt.Sprintf("run %s all the same", s.Address),
		Consequence: "the concern is recorded, and the step runs"}
}

// ToPropose tries a step once more with what the person says about it.
func ToPropose(s *history.Step) ask.Choice {
	return ask.Choice{Key: Propose, Label: "propose a solution", NeedsReason: true,
		Consequence: fmt.Sprintf("attempt %d of %s gets your words as feedback", s.Tried()+1, s.Address)}
}

// ToDescribeIssues has the work that a checkpoint is about done again.
func ToDescribeIssues(work *history.Step) ask.Choice {
	return ask.Choice{Key: Issues, Label: fmt.Sprintf("describe issues, and have %s done again", work.Address),
		Consequence: fmt.Sprintf("the run is set back to before %s, "+
			"whoever carries it out hears your words, and you are asked again", work.Address),
		NeedsReason: true}
}

// ToSeeDetails decides nothing: the question is put again, with more evidence.
func ToSeeDetails() ask.Choice {
	return ask.Choice{Key: Details, Label: "show everything that was tried",
		Consequence: "the question is asked again, with all that is known"}
}

// ToGoBack sets the run back to before an earlier step. It undoes what was
// accepted, so it wants words.
func ToGoBack(to *history.Step) ask.Choice {
	return ask.Choice{Key: Back, Label: fmt.Sprintf("roll the run back to the checkpoint before %s", to.Address),
		Consequence: fmt.Sprintf("%s and everything after it is undone and runs again; what is there now is kept in the store", to.Address),
		Acknowledge: fmt.Sprintf("roll back to %s", to.Address)}
}

// ToGoDynamic ends the asking that a measurement began.
func ToGoDynamic() ask.Choice {
	return ask.Choice{Key: Dynamic, Label: "go on in dynamic mode", Consequence: "nobody is asked until failures pile up anew"}
}

// ToSkip leaves a step out on the word of a person. Lenient says that what needs a
// step that is not critical goes on where that has failed.
func ToSkip(s *history.Step, lenient bool) ask.Choice {
	return ask.Choice{Key: Skip, Label: fmt.Sprintf("leave %s out", s.Address),
		Consequence: leftOut(s, lenient),
		Acknowledge: fmt.Sprintf("skip %s", s.Address)}
}

// leftOut is what comes of leaving a step out.
func leftOut(s *history.Step, lenient bool) string {
	switch {
	case s.Fault() != nil && lenient && !s.Critical:
		return "the run goes on without it; the end is PARTIAL at best"
	case s.Fault() != nil:
		return "the run goes on, but for what needs it; the end is PARTIAL at best"
	case s.Critical:
		return "the run goes on, but for what depends on its task; the end is PARTIAL at best"
	}
	return "the run goes on without it"
}

// ToBlock lets a step have failed, and goes on with what does not need it;
// blocked says what does.
func ToBlock(s *history.Step, blocked string) ask.Choice {
	return ask.Choice{Key: Block,
		Label:       fmt.Sprintf("let %s have failed, and go on with what does not need it", s.Address),
		Consequence: blocked + ", and the end is PARTIAL at best"}
}

// ToHaveHappened has what an attempt left judged that was cut off, and completes
// the step if it holds: what it did outside cannot be undone, and is not done
// again.
func ToHaveHappened(s *history.Step) ask.Choice {
	return ask.Choice{Key: Settled, Label: fmt.Sprintf("%s did happen: judge what it left", s.Address),
		Consequence: "nothing runs again; what it left is put back, and the step is completed if that holds",
		Acknowledge: fmt.Sprintf("%s did happen", s.Address)}
}

// ToStop lets go of the run, which waits as it is.
func ToStop() ask.Choice {
	return ask.Choice{Key: Stop, Label: "stop here", Consequence: "nothing more runs; resume later"}
}

// ToGiveUp ends the tries: the step has failed for good.
func ToGiveUp(s *history.Step) ask.Choice {
	return ask.Choice{Key: GiveUp, Label: fmt.Sprintf("give %s up", s.Address), Consequence: "the step has failed and the run ends"}
}

// Reviewed reports whether a person has let a step run since prior failed.
func Reviewed(run *history.Run, prior *history.Step) bool {
	for _, s := range run.Steps {
		for _, x := range s.Questions {
			if x.Question.Kind == ask.Propagation && x.Answer != nil && x.Answer.Choice == GoOn &&
				!x.Question.Asked.Before(prior.Over) {
				return true
			}
		}
	}
	return false
}
