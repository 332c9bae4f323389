package exec

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// settled is the choice that says: the person has done, seen or decided what the checkpoint is about.
const settled = "y"

// wanted says what a checkpoint wants of a person.
func wanted(checkpoint string) string {
	switch checkpoint {
	case "human-verify":
		return "a person is to look at what was done"
	case "decision":
		return "a person is to decide"
	case "human-action":
		return "a person is to do something that no program can"
	}
	return "the plan wants a person here"
}

// atCheckpoint asks a person where the plan wants one: at the steps of a task of the kind "checkpoint". What the
// person settles counts as done; the person may also have the step carried out like any other. In silent mode
// nobody is asked, and it is carried out.
func (e *execution) atCheckpoint(ctx context.Context, s *history.Step) (asked bool, err error) {
	task, step := e.step(s)
	kind, what, _ := strings.Cut(task.Kind, ":")
	if kind != "checkpoint" || e.run.Mode == plan.Silent || e.letThrough(s) {
		return false, nil
	}
	var evidence []string
	for line := range strings.Lines(step.Prompt) {
		if line = strings.TrimSpace(line); line != "" && len(evidence) < 40 {
			evidence = append(evidence, line)
		}
	}
	q := e.question(s, ask.Checkpoint, "checkpoint "+title(s), wanted(what), evidence,
		ask.Choice{Key: settled, Label: "it is settled", Consequence: fmt.Sprintf("%s counts as done; the reason that you give is kept", s.Address)},
		ask.Choice{Key: goOn, Label: fmt.Sprintf("have %s carried out", s.Address), Consequence: "the executor gets it like any other step"},
		choiceStop(), choiceGiveUp(s))
	return true, e.ask(ctx, s, q)
}

// letThrough reports whether a person has had the checkpoint carried out.
func (e *execution) letThrough(s *history.Step) bool {
	return slices.ContainsFunc(s.Questions, func(x history.Exchange) bool {
		return x.Question.Kind == ask.Checkpoint && x.Answer != nil && x.Answer.Choice == goOn
	})
}
