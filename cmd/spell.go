package cmd

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/action"
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
	return &placedError{err: err, dir: s.Dir, path: path, run: run, as: s.again(run)}
}

// again are the flags of this call that a resumed run needs too. The run itself
// remembers the mode, the sandbox, the clone and the default executor.
func (s *session) again(run *history.Run) string {
	text := ""
	for _, word := range s.Executor {
		if strings.Contains(word, "=") {
			text += " --executor " + quoted(word)
		}
	}
	for _, word := range s.Reviewer {
		text += " --reviewer " + quoted(word)
	}
	if s.Evidence {
		text += " --evidence"
	}
	if s.moved != "" {
		text += " --plan " + quoted(s.moved)
	}
	switch {
	case s.Answers != "":
		text += " --answers " + quoted(s.Answers)
	case run != nil && leftBefore(exec.Workspace{Dir: s.Dir}.QuestionDir(), run.Started.Run):
		text += waits
	}
	if s.Patience > 0 {
		text += " --patience " + s.Patience.String()
	}
	return text
}

// A spelling is how this command spells what can be done about the runs of a
// workspace.
type spelling struct {
	dir    string // the workspace
	plan   string // where the plan of the run lay; "" where no run is known
	resume string // the command that goes on with the run; "" for the plain one
}

// spellingOf spells what can be done about a run, which resume goes on with.
func spellingOf(run *history.Run, dir, resume string) spelling {
	return spelling{dir: dir, plan: planPath(run), resume: resume}
}

// spell is the command for an action; "" where there is none.
func (s spelling) spell(a action.Action) string {
	in := inDir(s.dir)
	switch a.Kind {
	case action.Run, action.Lock:
		return fmt.Sprintf("planlock %s %s%s%s", a.Kind, s.path(a), in, acks(a))
	case action.Attend:
		return "run the plan on a terminal, or with --answers wait, and answer with planlock answer"
	case action.Check:
		return fmt.Sprintf("planlock check %s --dir %s", s.path(a), quoted(cmp.Or(s.dir, ".")))
	case action.Resume:
		return cmp.Or(s.resume, resumeIn(s.dir, a.Run))
	case action.Answer:
		return fmt.Sprintf("planlock answer%s %s %s", in, a.Run, a.Question) + word(a.Choice) +
			option("--reason TEXT", a.Reason) + acks(a)
	case action.Log:
		return fmt.Sprintf("planlock log%s %s", in, a.Run) + option("--step "+string(a.Step), a.Step != "") +
			option("--type "+(*history.AttemptFailed)(nil).Type(), a.Failures)
	case action.Diff:
		return fmt.Sprintf("planlock diff%s", in) + word(a.Run) + word(string(a.Step)) +
			option(fmt.Sprint("--attempt ", a.Attempt), a.Attempt > 0)
	case action.Compare:
		return fmt.Sprintf("planlock tree diff%s %s %s", in, a.From, a.To)
	case action.Rollback:
		return fmt.Sprintf("planlock rollback%s %s %s", in, a.Run, a.Step)
	case action.Status, action.Verify:
		return fmt.Sprintf("planlock %s%s %s", a.Kind, in, a.Run)
	}
	return ""
}

// path is the plan that an action is about, as it is typed.
func (s spelling) path(a action.Action) string {
	if a.Path != "" {
		return quoted(displayPath(a.Path))
	}
	return quoted(cmp.Or(s.plan, "PLAN"))
}

// acks are the flags that acknowledge what an action asks for.
func acks(a action.Action) string {
	text := ""
	for _, code := range a.Acknowledge {
		text += " --ack " + quoted(code)
	}
	return text
}

// word is a word of a command with the space before it; nothing for none.
func word(text string) string { return option(text, text != "") }

// option is a part of a command with the space before it, if it is there.
func option(text string, there bool) string {
	if !there {
		return ""
	}
	return " " + text
}

// planPath is where the plan of a run lay: its file, or the folder of its
// files.
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
