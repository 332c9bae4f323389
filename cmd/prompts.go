package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/plan"
)

// promptsOnly are the open steps that leave their work to whoever the default
// executor is, or to the shell by name, and have only words for it, which no shell understands.
// Steps that were accepted as done are none of them.
func promptsOnly(p *plan.Plan, accepted []string) []plan.Address {
	var list []plan.Address
	for i := range p.Tasks {
		for j := range p.Tasks[i].Steps {
			s := &p.Tasks[i].Steps[j]
			if (s.Executor == "" || s.Executor == "shell") && s.Run == "" && s.Prompt != "" && orOpen(s.Status) == plan.Open &&
				!slices.Contains(accepted, plan.DoneCode(s.Address)) {
				list = append(list, s.Address)
			}
		}
	}
	return list
}

// seatsPrompts refuses a plan of which steps could only fail, because the shell would get their prompts.
func seatsPrompts(c *exec.Controller, p *plan.Plan, accepted []string) error {
	if _, ok := c.Executor.(*shell.Executor); !ok {
		return nil
	}
	steps := promptsOnly(p, accepted)
	if len(steps) == 0 {
		return nil
	}
	return &exec.RefusedError{
		Reasons: []string{fmt.Sprintf("%s %s a prompt and no command, and nobody but the shell is there to carry it out", stepsNamed(steps), hasOrHave(len(steps)))},
		Hint:    "name a program that understands prompts:  --executor PATH; or give the step a run",
	}
}

// stepsNamed names the first few steps.
func stepsNamed(steps []plan.Address) string {
	const most = 8
	words := make([]string, 0, most)
	for _, a := range steps[:min(most, len(steps))] {
		words = append(words, string(a))
	}
	text := "step " + words[0]
	if len(steps) > 1 {
		text = "steps " + strings.Join(words, ", ")
	}
	if more := len(steps) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func hasOrHave(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}
