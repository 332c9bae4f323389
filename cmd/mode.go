package cmd

import (
	"context"
	"errors"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/plan"
)

// modeChoices are the modes as a person is offered them, the default first.
func modeChoices() []ask.Choice {
	return []ask.Choice{
		{Key: "1", Also: []string{string(plan.Dynamic)}, Label: "dynamic", Consequence: "goes on by itself, and asks when failures pile up (recommended)"},
		{Key: "2", Also: []string{string(plan.Silent)}, Label: "silent", Consequence: "goes on by itself, and asks only where nothing else is left"},
		{Key: "3", Also: []string{string(plan.Collaborative)}, Label: "collaborative", Consequence: "asks about every failure"},
		{Key: "4", Also: []string{string(plan.Education)}, Label: "education", Consequence: "explains steps before they begin, and what they taught"},
	}
}

// chooseMode has the person at the terminal choose a mode, where neither a flag nor the plan says one and nobody named a policy for
// questions. An empty line, and the end of the input, are the default.
func (s *session) chooseMode(ctx context.Context, p *cli, c *exec.Controller, of *plan.Plan) error {
	if c.Mode != "" || of.Execution.DefaultMode != "" || s.Answers != "" || !p.interactive() {
		return nil
	}
	choices := modeChoices()
	key, byDefault, err := s.seatPerson(p).Pick(ctx, "Who is asked, and when? The plan says no mode.", choices, choices[0].Key)
	switch {
	case errors.Is(err, ask.ErrNoAnswer):
		return nil
	case err != nil:
		return err
	}
	for _, choice := range choices {
		if choice.Key == key {
			c.Mode, c.ModeBy = plan.Mode(choice.Label), "person"
		}
	}
	if byDefault {
		c.ModeBy = "accepted"
	}
	return nil
}
