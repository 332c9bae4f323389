package cmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/plan"
)

// seatEscalator gives a controller whoever answers its questions. run is the
// run that is resumed, or "".
//
// Answers that "planlock answer" left come first. Then, on a terminal, the
// person there, unless a policy was named; else the policy: what was named, or
// for a run that has left questions before, to leave this one too.
func (s *session) seatEscalator(p *cli, c *exec.Controller, run string) error {
	folder := &ask.Folder{Dir: exec.Workspace{Dir: c.Dir}.QuestionDir(), Now: p.now}
	person, interactive := s.seatPerson(p), p.interactive()
	collect := &left{folder: folder}
	c.Escalator = collect
	switch policy := s.Answers; {
	case policy == "wait", policy == "" && !interactive && leftBefore(folder.Dir, run):
		c.Escalator = folder
	case policy == "" && p.with.Escalator != nil:
		collect.next = p.with.Escalator
	case policy == "refuse":
		collect.next = ask.Refuse{Why: "the policy for questions is to refuse"}
	case policy != "":
		rules, err := ask.ReadRules(policy)
		if err != nil {
			return fmt.Errorf("--answers %s is neither refuse nor wait, nor a file of rules: %w", quoted(policy), err)
		}
		collect.next = rules
		if interactive {
			collect.next = ask.Sequence{rules, person}
		}
	case interactive:
		collect.next = person
	default:
		collect.next = ask.Refuse{Why: "nobody is there to be asked; --answers wait leaves questions for planlock answer"}
	}
	return nil
}

// interactive reports whether a person sees what is asked and can answer.
func (p *cli) interactive() bool { return p.isTerminal(p.in) && p.isTerminal(p.err) }

// seatPerson is whoever sits at the terminal. All that is read there goes
// through one value, which reads ahead of nobody.
func (s *session) seatPerson(p *cli) *ask.Terminal {
	if s.person == nil {
		s.person = &ask.Terminal{In: p.in, Out: p.err, Now: p.now, By: defaultName()}
	}
	return s.person
}

// left collects the answers that lie in a folder; where there is none it asks
// somebody else.
type left struct {
	folder *ask.Folder
	next   ask.Asker
}

// Ask returns the answer that was left, or asks next.
func (l *left) Ask(ctx context.Context, q ask.Question) (ask.Answer, error) {
	if _, err := l.folder.Given(q); errors.Is(err, ask.ErrWaiting) {
		return l.next.Ask(ctx, q)
	}
	return l.folder.Ask(ctx, q)
}

// leftBefore reports whether a run has left questions in a folder.
func leftBefore(dir, run string) bool {
	if run == "" {
		return false
	}
	found, err := filepath.Glob(filepath.Join(escapeGlob(dir), run+"-*.question.json"))
	return err == nil && len(found) > 0
}

// modeChoices are the modes as a person is offered them, the default first.
func modeChoices() []ask.Choice {
	return []ask.Choice{
		{Key: "1", Also: []string{string(plan.Dynamic)}, Label: "dynamic", Consequence: "goes on by itself, and asks when failures pile up (recommended)"},
		{Key: "2", Also: []string{string(plan.Silent)}, Label: "silent", Consequence: "goes on by itself, and asks only where nothing else is left"},
		{Key: "3", Also: []string{string(plan.Collaborative)}, Label: "collaborative", Consequence: "asks about every failure"},
		{Key: "4", Also: []string{string(plan.Education)}, Label: "education", Consequence: "explains steps before they begin, and what they taught"},
	}
}

// chooseMode has the person at the terminal choose a mode, where neither a flag
// nor the plan says one and nobody named a policy for questions. An empty line,
// and the end of the input, are the default.
func (s *session) chooseMode(ctx context.Context, p *cli, c *exec.Controller, of *plan.Plan) error {
	if c.Mode != "" || of.Execution.DefaultMode != "" || s.Answers != "" || !p.interactive() {
		return nil
	}
	choices := modeChoices()
	key, byDefault, err := s.seatPerson(p).Pick(ctx, "Who is asked, and when? The plan says no mode.", choices,
		choices[0].Key)
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

// promptsOnly are the open steps that leave their work to whoever the default
// executor is, or to the shell by name, and have only words for it, which no
// shell understands. Steps that were accepted as done are none of them.
func promptsOnly(p *plan.Plan, accepted []string) []plan.Address {
	var list []plan.Address
	for i := range p.Tasks {
		for j := range p.Tasks[i].Steps {
			s := &p.Tasks[i].Steps[j]
			if (s.Executor == "" || s.Executor == "shell") && s.Run == "" && s.Prompt != "" &&
				orOpen(s.Status) == plan.Open &&
				!slices.Contains(accepted, plan.DoneCode(s.Address)) {
				list = append(list, s.Address)
			}
		}
	}
	return list
}

// seatsPrompts refuses a plan of which steps could only fail, because the shell
// would get their prompts.
func seatsPrompts(c *exec.Controller, p *plan.Plan, accepted []string) error {
	if _, ok := c.Executor.(*shell.Executor); !ok {
		return nil
	}
	steps := promptsOnly(p, accepted)
	if len(steps) == 0 {
		return nil
	}
	return &exec.RefusedError{
		Reasons: []string{
			fmt.Sprintf("%s %s a prompt and no command, and nobody but the shell is there to carry it out",
				stepsNamed(steps), hasOrHave(len(steps)))},
		Hint: "name a program that understands prompts:  --executor PATH; or give the step a run",
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
