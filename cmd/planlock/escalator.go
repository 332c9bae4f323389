package main

import (
	"context"
	"fmt"
	"os"
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
	person := &ask.Terminal{In: p.in, Out: p.err, Now: p.now}
	interactive := p.isTerminal(p.in) && p.isTerminal(p.err)
	chain := ask.Sequence{left{folder}}
	switch policy := *s.answers; {
	case policy == "wait", policy == "" && !interactive && leftBefore(folder.Dir, run):
		chain = ask.Sequence{folder}
	case policy == "refuse":
		chain = append(chain, ask.Refuse{Why: "the policy for questions is to refuse"})
	case policy != "":
		rules, err := ask.ReadRules(policy)
		if err != nil {
			return fmt.Errorf("--answers %s is neither refuse nor wait, nor a file of rules: %w", quoted(policy), err)
		}
		chain = append(chain, rules)
		if interactive {
			chain = append(chain, person)
		} else {
			chain = append(chain, ask.Refuse{Why: "no rule applies, and nobody is there to be asked"})
		}
	case interactive:
		chain = append(chain, person)
	default:
		chain = append(chain, ask.Refuse{Why: "nobody is there to be asked; --answers wait leaves questions for planlock answer"})
	}
	c.Escalator = chain
	return nil
}

// left collects the answers that lie in a folder, and asks nothing there.
type left struct{ folder *ask.Folder }

// Ask returns the answer that was left, or ErrNoAnswer.
func (l left) Ask(ctx context.Context, q ask.Question) (ask.Answer, error) {
	if _, err := os.Lstat(filepath.Join(l.folder.Dir, q.Run+"-"+q.ID+".answer.json")); err != nil {
		return ask.Answer{}, fmt.Errorf("%w was left in %s", ask.ErrNoAnswer, l.folder.Dir)
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
