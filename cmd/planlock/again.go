package main

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
)

// resume is the command that goes on with the run, in the way it was started.
func (e *placedError) resume() string {
	return "planlock resume " + e.run.Started.Run + inDir(e.dir) + e.as
}

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

// addressed is a report whose commands work from here: they name the workspace,
// and resume goes on in the way the run was started.
func (s *session) addressed(text string, run *history.Run) string {
	id, dir := run.Started.Run, inDir(*s.dir)
	text = strings.ReplaceAll(text, "planlock resume "+id+"\n", "planlock resume "+id+dir+escaped(s.again(run))+"\n")
	if dir == "" {
		return text
	}
	for _, name := range []string{"answer", "diff", "status", "verify"} {
		text = strings.ReplaceAll(text, "planlock "+name+" "+id, "planlock "+name+dir+" "+id)
	}
	return text
}

// waits leaves questions for planlock answer.
const waits = " --answers wait"

// resumeFrom is the command that goes on with a run, as far as the run itself
// tells how it was started: paths of executors are for the reader to fill in.
func resumeFrom(run *history.Run, dir string) string {
	text := fmt.Sprintf("planlock resume %s%s", run.Started.Run, inDir(dir))
	if env := run.Started.Envelope; env != nil {
		for _, c := range env.Components {
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
