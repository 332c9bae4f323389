package cmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
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

// seatPerson is whoever sits at the terminal. All that is read there goes through one value, which reads ahead of nobody.
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
