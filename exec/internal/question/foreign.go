package question

import (
	"fmt"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/choice"
)

// Foreign asks what becomes of what somebody else did in the workspace. Nothing
// of it was touched; it is put back where a person says so, and the run works in
// a copy of the workspace, which it delivers from.
func Foreign(c *guard.Case) ask.Question {
	f, s := c.Run.Foreign, c.Step
	if !f.Met {
		q := about(c, ask.External, "the workspace holds what no step made",
			"somebody else worked there; nothing of that was touched", f.Changes)
		keep := ask.Choice{Key: choice.Theirs, Label: "keep it, and go on from there",
			Consequence: "it is part of the tree from now on, and later steps are judged with it"}
		if s.Status == history.InFlight {
			keep.Consequence = fmt.Sprintf("it is part of the tree from now on, and step %s begins anew", s.Address)
		}
		if s.Status != history.InFlight || s.WithinTree() {
			q.Choices = append(q.Choices, keep)
		}
		if start := c.Run.Started; start.Layered() && !start.Isolated {
			q.Choices = append(q.Choices, ask.Choice{Key: choice.Ours,
				Label: "put the workspace back to what the run left",
				Consequence: fmt.Sprintf("it is tree %s again, and what was found is kept in the store as tree %s",
					c.Run.Tree.Tree.Short(), f.Tree.Tree.Short()),
				Acknowledge: "put the workspace back"})
		}
		q.Choices = append(q.Choices, choice.ToStop())
		return q
	}
	q := about(c, ask.Conflict, fmt.Sprintf("the work of step %s is not in the workspace as a whole", title(s)),
		"somebody else changed what the step changed; nothing of that was touched", f.Changes)
	if s.WithinTree() {
		q.Choices = append(q.Choices, ask.Choice{Key: choice.Theirs,
			Label:       fmt.Sprintf("keep theirs, and run %s again on it", s.Address),
			Consequence: "what the step did is undone, and stays in the store"})
	}
	q.Choices = append(q.Choices, ask.Choice{Key: choice.Ours, Label: "put what the step did in its place",
		Consequence: fmt.Sprintf("theirs is kept in the store as tree %s", f.Tree.Tree.Short()),
		Acknowledge: fmt.Sprintf("replace theirs by %s", s.Address)}, choice.ToStop())
	return q
}
