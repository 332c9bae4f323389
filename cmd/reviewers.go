package cmd

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/learn"
	"github.com/planlock/planlock/gate/approval"
	"github.com/planlock/planlock/gate/evidence"
)

// A pipeline is the flags for those who look at tasks before and after they are carried out, and for what was learned.
type pipeline struct {
	reviewers list
	evidence  *bool
	tracker   *string
	token     *string
	learned   *bool
}

func newPipeline(flags *flag.FlagSet) *pipeline {
	l := &pipeline{
		evidence: flags.Bool("evidence", false, "look for the evidence of each task when it is over"),
		tracker:  flags.String("tracker", "", "the `address` of an MLflow server, which knows the runs of experiments; implies --evidence"),
		token:    flags.String("tracker-token", "", "the `name` of the environment variable that holds the server's token"),
		learned:  flags.Bool("learned", false, "advise with what was learned in this workspace and promoted; part of what is locked"),
	}
	flags.Var(&l.reviewers, "reviewer", "who approves tasks before they begin: NAME=PATH, the `path` of a program that answers with a contract; may be repeated")
	return l
}

// seat gives a controller its reviewers, its policy for evidence and what was learned.
func (l *pipeline) seat(ctx context.Context, c *exec.Controller) error {
	for _, word := range l.reviewers {
		name, path, ok := strings.Cut(word, "=")
		if !ok || name == "" || path == "" {
			return &usageError{fmt.Sprintf("--reviewer %q: give NAME=PATH", word)}
		}
		path, err := filepath.Abs(path)
		if err != nil {
			return fmt.Errorf("reviewer %q: %w", name, err)
		}
		c.Reviewers = append(c.Reviewers, &approval.Program{Label: name, Args: []string{path}})
	}
	if *l.token != "" && *l.tracker == "" {
		return &usageError{"--tracker-token: there is no --tracker that it is for"}
	}
	if *l.evidence || *l.tracker != "" {
		c.Evidence = &evidence.Policy{}
	}
	if *l.tracker != "" {
		c.Evidence.Tracker = &evidence.MLflow{URL: *l.tracker, TokenEnv: *l.token}
	}
	if !*l.learned {
		return nil
	}
	book, err := openBook(ctx, workspaceIn(c.Dir))
	if err != nil {
		return err
	}
	memory := book.Memory()
	c.Advisors = exec.Advisors{advice.Pivot: remembering{advice.Pivoter{Memory: memory.Remembered()}, memory}}
	return book.Close()
}

// remembering is the advisor for other approaches with what was promoted when the run began: its digest is part of the
// envelope, so that a run does not go on with another memory.
type remembering struct {
	advice.Pivoter
	memory learn.Memory
}

// Version is the digest of the memory.
func (r remembering) Version(context.Context) (string, error) { return r.memory.Digest().Short(), nil }
