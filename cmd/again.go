package cmd

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
)

// resume is the command that goes on with the run, in the way it was started.
func (e *placedError) resume() string {
	return resumeIn(e.dir, e.run.Started.Run) + e.as
}

// resumeIn is the command that goes on with a run of a workspace.
func resumeIn(dir, id string) string { return "planlock resume " + id + inDir(dir) }

// placed says where an error of the session happened; nil stays nil.
func (s *session) placed(err error, path string, run *history.Run) error {
	if err == nil {
		return nil
	}
	return &placedError{err: err, dir: *s.dir, path: path, run: run, as: s.again(run)}
}

// again are the flags of this call that a resumed run needs too. The run itself
// remembers the mode, the sandbox, the clone and the default executor.
func (s *session) again(run *history.Run) string {
	text := ""
	for _, word := range s.executors {
		if strings.Contains(word, "=") {
			text += " --executor " + quoted(word)
		}
	}
	for _, word := range s.pipeline.reviewers {
		text += " --reviewer " + quoted(word)
	}
	if *s.pipeline.evidence {
		text += " --evidence"
	}
	if s.plan != "" {
		text += " --plan " + quoted(s.plan)
	}
	switch {
	case *s.answers != "":
		text += " --answers " + quoted(*s.answers)
	case run != nil && leftBefore(exec.Workspace{Dir: *s.dir}.QuestionDir(), run.Started.Run):
		text += waits
	}
	if *s.patience > 0 {
		text += " --patience " + s.patience.String()
	}
	return text
}

// addressed is a report of a run whose commands work from here: they name the workspace and the plan, and resume is
// the command that goes on with the run. A line may end inside of a command.
func addressed(text string, run *history.Run, dir, resume string) string {
	put := func(pattern, replacement string) {
		text = regexp.MustCompile(pattern).ReplaceAllString(text, replacement)
	}
	literal := func(word string) string { return strings.ReplaceAll(word, "$", "$$") }
	id, in, path := run.Started.Run, literal(inDir(dir)), literal(quoted(planPath(run)))
	put(`planlock\s+resume\s+`+id, literal(escaped(resume)))
	put(`(planlock\s+(?:answer|diff|rollback|status|verify))(\s+`+id+`)`, "${1}"+in+"$2")
	put(`(planlock\s+(?:lock|run)\s+)PLAN(\s+--ack)`, "${1}"+path+in+"$2")
	put(`(planlock\s+check\s+)PLAN(\s+--dir\s+)\.`, "${1}"+path+"${2}"+literal(quoted(dir)))
	return text
}

// planPath is where the plan of a run lay: its file, or the folder of its files.
func planPath(run *history.Run) string {
	switch files := run.Started.Files; len(files) {
	case 0:
		return "PLAN"
	case 1:
		return displayPath(files[0].Path)
	default:
		return displayPath(filepath.Dir(files[0].Path))
	}
}

// waits leaves questions for planlock answer.
const waits = " --answers wait"

// resumeFrom is the command that goes on with a run, as far as the run itself
// tells how it was started: paths of executors are for the reader to fill in.
func resumeFrom(run *history.Run, dir string) string {
	text := resumeIn(dir, run.Started.Run)
	if env := run.Started.Envelope; env != nil {
		for _, c := range env.Components {
			if name, ok := strings.CutPrefix(c.Name, "agent:reviewer "); ok {
				text += " --reviewer " + quoted(name) + "=PATH"
			}
			if c.Name == "agent:evidence" {
				text += " --evidence"
			}
			name, ok := strings.CutPrefix(c.Name, "agent:executor ")
			if ok && name != "shell" && name != "default" && name != run.Started.Executor {
				text += " --executor " + quoted(name) + "=PATH"
			}
		}
	}
	if leftBefore(exec.Workspace{Dir: dir}.QuestionDir(), run.Started.Run) {
		text += waits
	}
	return text
}
