package tasks

import (
	"fmt"
	"io/fs"
	"path"
	"runtime"

	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/internal/process/environ"
	"github.com/planlock/planlock/ledger"
)

// startable is an error where a job begins with what is not there, with what
// nothing can carry out, or with a link, whose digest says nothing of what runs.
// What an earlier step of the task may make, or a job before it says that it
// leaves, need not be there yet; at is the place of the step that carries the
// jobs out.
func startable(jobs []review.Job, at int, tree *ledger.Tree) error {
	made := map[string]bool{}
	for _, j := range jobs {
		name := path.Clean(j.Entry)
		switch entry, there := tree.Lookup(name); {
		case made[name], !there && at > 0:
		case !there:
			return fmt.Errorf("job %q: the entry %q is not there", j.ID, j.Entry)
		case entry.Kind == ledger.Link:
			return fmt.Errorf("job %q: the entry %q is a link: name what it leads to, which is what is approved", j.ID, j.Entry)
		case entry.Kind == ledger.Dir:
			return fmt.Errorf("job %q: the entry %q is a folder", j.ID, j.Entry)
		case entry.Kind == ledger.File && !j.Interpreted() && !executable(entry.Mode):
			return fmt.Errorf("job %q: the entry %q is not executable, and its ending names no interpreter", j.ID, j.Entry)
		}
		for _, a := range j.Artifacts {
			made[path.Clean(a)] = true
		}
	}
	return nil
}

// given is an error where a job needs a variable that reaches no command of the
// plan, which lists those in env.
func given(jobs []review.Job, env []string) error {
	for _, j := range jobs {
		for _, name := range j.EnvKeys {
			if !environ.Wanted(name, env) {
				return fmt.Errorf("job %q: it needs the variable %q, which the plan does not name: in env of its [sandbox], "+
					"or in env_keys beside a list of actions", j.ID, name)
			}
		}
	}
	return nil
}

// agreed is an error where two jobs have one name, and are not the same: which of
// them is meant nobody can say.
func agreed(jobs []review.Job) error {
	named := map[string]string{}
	for _, j := range jobs {
		command, _ := j.Command() // those that are none were refused before
		if other, twice := named[j.ID]; twice && other != command {
			return fmt.Errorf("job %q is proposed as %s, and as %s: give each job an id of its own, or agree on one", j.ID, other, command)
		}
		named[j.ID] = command
	}
	return nil
}

// executable reports whether a file can be executed; where files do not say so,
// each can.
func executable(mode fs.FileMode) bool { return mode&0o111 != 0 || runtime.GOOS == "windows" }
