package cmd

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/history"
)

// A spelling is how this command spells what can be done about the runs of a
// workspace.
//
// The library has no words for commands, and this program no others for
// actions: what a report says can be done next is spelled here, and what a hint
// says too.
type spelling struct {
	dir    string   // the workspace
	plan   string   // where the plan of the run lay; "" where no run is known
	run    string   // its id
	resume string   // the command that goes on with it
	attend string   // likewise, with its questions left for planlock answer
	given  []string // flags that it was given
}

// spell is the command for an action; "" where there is none.
func (s spelling) spell(a action.Action) string {
	in := inDir(s.dir)
	switch a.Kind {
	case action.Run, action.Lock:
		return fmt.Sprintf("planlock %s %s%s%s%s", a.Kind, s.path(a), in, forCommand(string(a.Kind), s.given),
			acks(a, s.given))
	case action.Finish:
		return fmt.Sprintf("planlock run %s%s --from %s%s%s", s.path(a), in, a.Run, forCommand("run", s.given),
			acks(a, s.given))
	case action.Attend:
		if a.Run != "" && a.Run == s.run {
			return s.attend
		} else if a.Run != "" {
			return attendOther(s.dir, a.Run)
		}
		return "run the plan on a terminal, or with --answers wait, and answer with planlock answer"
	case action.Check:
		return fmt.Sprintf("planlock check %s --dir %s", s.path(a), quoted(cmp.Or(s.dir, ".")))
	case action.Resume:
		text := s.resume
		if a.Run != s.run {
			text = resumeOther(s.dir, a.Run)
		}
		return text + accepts(a)
	case action.Abandon:
		return fmt.Sprintf("planlock abandon%s %s --reason TEXT", in, a.Run) + accepts(a)
	case action.Answer:
		return fmt.Sprintf("planlock answer%s %s %s", in, a.Run, a.Question) + word(a.Choice) +
			option("--reason TEXT", a.Reason) + acks(a, nil)
	case action.Log:
		return fmt.Sprintf("planlock log%s %s", in, a.Run) + option("--step "+string(a.Step), a.Step != "") +
			option("--type "+(*history.AttemptFailed)(nil).Type(), a.Failures)
	case action.Diff:
		return fmt.Sprintf("planlock diff%s", in) + word(a.Run) + word(string(a.Step)) +
			option(fmt.Sprint("--attempt ", a.Attempt), a.Attempt > 0)
	case action.Compare:
		return fmt.Sprintf("planlock tree diff%s %s %s", in, a.From, a.To)
	case action.Rollback:
		return fmt.Sprintf("planlock rollback%s %s %s", in, a.Run, a.Step) + accepts(a)
	case action.Status, action.Verify:
		return fmt.Sprintf("planlock %s%s %s", a.Kind, in, a.Run)
	}
	return ""
}

// path is the plan that an action is about, as it is typed.
func (s spelling) path(a action.Action) string {
	if path := filepath.FromSlash(a.Path); filepath.IsAbs(path) {
		return quoted(displayPath(path))
	} else if path != "" { // as a run records it
		return quoted(displayPath(filepath.Join(s.dir, path)))
	}
	return quoted(cmp.Or(s.plan, "PLAN"))
}

// spellingOf spells what can be done about a run, which was given these flags.
func spellingOf(run *history.Run, dir string, given []string) spelling {
	return spelling{dir: dir, plan: planPath(run, dir), run: run.Started.Run, resume: resumeWith(run, dir, given),
		attend: attendWith(run, dir, given), given: given}
}

// acks are the flags that acknowledge what an action asks for, besides those
// that were given.
func acks(a action.Action, given []string) string {
	text := ""
	for _, code := range a.Acknowledge {
		if !slices.Contains(given, "--ack="+code) {
			text += " --ack " + quoted(code)
		}
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

// inDir is the flag that names a workspace which is not the current folder.
func inDir(dir string) string {
	if dir == "" || dir == "." {
		return ""
	}
	return " --dir " + quoted(dir)
}

// quotedIf is a word as it can be typed; none stays none.
func quotedIf(word string) string {
	if word == "" {
		return ""
	}
	return quoted(word)
}

// accepts is what an action accepts, as it is typed.
func accepts(a action.Action) (text string) {
	for _, name := range a.Accept {
		text += " --accept " + quoted(name)
	}
	return text
}
