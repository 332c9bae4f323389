package cmd

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/commit"
	"github.com/planlock/planlock/exec/git"
)

// commitFlags are the flags of commits that a run makes of its work. A run
// remembers them.
type commitFlags struct {
	Commit        string        `again:"begin" enum:",step,task,run,off" default:"" placeholder:"UNIT" help:"commit accepted work to the repository of the workspace once it is delivered: after each step, after each task, or at the end of the run; off ends that for a run that is resumed"`
	CommitMessage string        `again:"path" placeholder:"FILE" help:"the template of the messages of commits, as docs/git.md explains it"`
	CommitAuthor  string        `again:"begin" placeholder:"NAME" help:"who wrote what is committed, as in \"Ana <ana@example.org>\"; whoever git says commits by default"`
	CoAuthor      []string      `again:"begin" sep:"none" placeholder:"NAME" help:"who is named as a co-author of what is committed, as in \"Bo <bo@example.org>\"; may be repeated"`
	HookLimit     time.Duration `again:"begin" placeholder:"DURATION" help:"how long a hook of the repository may take, as in 30s; 0: 10m"`
}

// maxMessage bounds the template of a message.
const maxMessage = 64 << 10

// commits has a controller commit as the flags of a call say, and those that its
// run was given before. Whoever resumes a run that commits needs a committer,
// whatever is typed.
func (f *commitFlags) commits(c *exec.Controller, given []string) error {
	by := &git.Committer{Author: lastOf(given, "commit-author", f.CommitAuthor), CoAuthors: f.CoAuthor}
	if len(by.CoAuthors) == 0 {
		for _, word := range given {
			if value, ok := strings.CutPrefix(word, "--co-author="); ok {
				by.CoAuthors = append(by.CoAuthors, value)
			}
		}
	}
	if path := lastOf(given, "commit-message", f.CommitMessage); path != "" {
		text, err := os.ReadFile(path)
		if err == nil && len(text) > maxMessage {
			err = fmt.Errorf("it is longer than %d bytes", maxMessage)
		}
		if err != nil {
			return fmt.Errorf("--commit-message %s: %w", quoted(path), err)
		}
		by.Message = string(text)
	}
	limit, err := time.ParseDuration(lastOf(given, "hook-limit", f.HookLimit.String()))
	if by.HookLimit = limit; err != nil || limit < 0 {
		return &usageError{"--hook-limit: a time is not negative"}
	}
	c.Committer, c.Commits = by, commit.Unit(f.Commit)
	return nil
}
