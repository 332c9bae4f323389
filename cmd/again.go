package cmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
)

// What becomes of a flag where planlock prints how to go on: each flag of a
// command that begins, locks or goes on with a run says so by its tag "again".
const (
	againAlways = "always" // whoever goes on gives it again
	againPath   = "path"   // likewise; it is a path, or NAME=PATH
	againBegin  = "begin"  // the run keeps it: only whoever begins another one gives it again
	againNever  = "never"  // it is of its call alone
)

// typed are the flags of a call that others may have to give again, word by
// word, as in "--executor=scribe=/home/me/agent": paths are absolute, so that
// they can be given again from any folder. names are those of executors that
// the host brings.
func typed(of *kong.Node, words []string, names ...string) []string {
	var list []string
	for _, word := range words {
		name, value, set := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		f := flagNamed(of, name)
		if f == nil || f.Tag.Get("again") == againNever {
			continue
		}
		if set && f.Tag.Get("again") == againPath {
			who := value
			if name == "reviewer" {
				_, who, _ = strings.Cut(value, "=")
			}
			if who, _, _ = strings.Cut(who, "="); name == "executor" || !slices.Contains(names, who) {
				value = absolute(value, names)
			}
			word = "--" + name + "=" + value
		}
		list = append(list, word)
	}
	return list
}

// absolute is a flag's PATH or NAME=PATH with the path from the root, if a file
// is there; a word that means something else stays.
func absolute(value string, names []string) string {
	label, path := labelled(value)
	if slices.Contains(append(names, "shell", "wait", "refuse"), path) {
		return value
	}
	full, err := filepath.Abs(path)
	if _, missing := os.Stat(path); err != nil || missing != nil {
		return value
	}
	return label + full
}

// labelled splits NAME=PATH into "NAME=" and PATH.
func labelled(value string) (label, path string) {
	name, path, ok := strings.Cut(value, "=")
	if !ok || strings.ContainsAny(name, `/\`) {
		return "", value
	}
	return name + "=", path
}

// merged are the flags that a run was given before with those that it is given
// now: a flag that is given now replaces what was given for it. One that is given
// as before stays where it stood, as nothing changed.
func merged(before, now []string) []string {
	as := func(word string) bool { return slices.Equal(ofFlag(before, flagOf(word)), ofFlag(now, flagOf(word))) }
	other := func(word string) bool { return gives(now, flagOf(word)) && !as(word) }
	kept := slices.DeleteFunc(slices.Clone(before), other)
	return append(kept, slices.DeleteFunc(slices.Clone(now), as)...)
}

// ofFlag are the words that give a flag.
func ofFlag(given []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(given), func(word string) bool { return flagOf(word) != name })
}

// flagOf is the name of a flag that was typed.
func flagOf(word string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
	return name
}

// gives reports whether a flag is among what was given; name may have a part of
// its value, as in "executor=scribe=".
func gives(given []string, name string) bool {
	return slices.ContainsFunc(given, func(word string) bool {
		return flagOf(word) == name || strings.Contains(name, "=") && strings.HasPrefix(word, "--"+name)
	})
}

// forCommand spells those of the given flags that a command needs again, with a
// space before each; without are flags that it does not need.
func forCommand(command string, given []string, without ...string) string {
	text, flags := "", commandNamed(command).parser().Model.Node
	for _, word := range given {
		name, value, set := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		f := flagNamed(flags, name)
		switch {
		case f == nil || slices.Contains(without, name) || f.Tag.Get("again") == againNever:
		case command == "resume" && f.Tag.Get("again") == againBegin:
		case command == "resume" && name == "executor" && !strings.Contains(value, "="):
			// the run remembers its default
		case !set || f.IsBool():
			text += " " + word
		case f.Tag.Get("again") == againPath:
			label, path := labelled(value)
			text += " --" + name + " " + quoted(label+displayPath(path))
		default:
			text += " --" + name + " " + quoted(value)
		}
	}
	return text
}

// resumeWith is the command that goes on with a run that was given these flags.
//
// Executors and reviewers are programs on this machine, which no journal may
// start by itself: whoever goes on names them again, but for agents, and for
// programs that a file of settings still names. Where nobody knows how
// they were given, as with a run that another program began, the envelope says
// who they are, and paths are for the reader to fill in.
func resumeWith(run *history.Run, dir string, given []string) string {
	if spent := run.Flow.Spent(); spent != nil {
		given = withBudget(given, spent.Cost)
	}
	var files settled
	files.config, _ = settingsFor(dir) // what is wrong with them is told to whoever goes on
	needed := slices.DeleteFunc(slices.Clone(given), func(word string) bool {
		name, value, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		return files.recalls(name, value)
	})
	text := resumeIn(dir, run.Started.Run) + forCommand("resume", needed)
	if env := run.Started.Envelope; env != nil {
		for _, c := range env.Components {
			if name, ok := strings.CutPrefix(c.Name, "agent:reviewer "); ok && !gives(given, "reviewer="+name+"=") {
				text += " --reviewer " + quoted(name) + "=PATH"
			}
			if c.Name == "agent:gate work-review-validator" && !gives(given, "validator") {
				text += " --validator PATH"
			}
			if c.Name == "agent:evidence" && !gives(given, "evidence") && !gives(given, "tracker") {
				text += " --evidence"
			}
			name, ok := strings.CutPrefix(c.Name, "agent:executor ")
			if ok && files.isAgent(name) && !gives(given, "executor="+name+"=") {
				continue
			}
			if ok && name != "shell" && name != "default" && name != run.Started.Executor &&
				!gives(given, "executor="+name+"=") && !gives(given, "agent="+name) {
				text += " --executor " + quoted(name) + "=PATH"
			}
		}
	}
	if !gives(given, "answers") && (exec.Workspace{Dir: dir}).Questions().Left(context.Background(), run.Started.Run) {
		text += waits
	}
	return text
}

// resumeFrom is the command that goes on with a run, as its journal says how it
// was started.
func resumeFrom(run *history.Run, dir string) string { return resumeWith(run, dir, run.Policy.Given) }

// attendWith is resumeWith where what is asked is left for planlock answer,
// whatever was said of questions before.
func attendWith(run *history.Run, dir string, given []string) string {
	return resumeWith(run, dir, merged(given, []string{"--answers=wait"}))
}

// amendWith is the command that adds the steps of a plan to a run that was given
// these flags.
func amendWith(run *history.Run, path, dir string, given []string) string {
	return fmt.Sprintf("planlock amend%s %s %s%s", inDir(dir), run.Started.Run, quoted(path),
		forCommand("amend", given, "ack"))
}

// lockWith is the command that locks a plan for a run that is given these flags.
func lockWith(path, dir string, given []string) string {
	return fmt.Sprintf("planlock lock %s%s%s", path, inDir(dir), forCommand("lock", given, "ack"))
}

// resumeIn is the command that goes on with a run of a workspace.
func resumeIn(dir, id string) string { return "planlock resume " + id + inDir(dir) }

// resumeOther is the command that goes on with a run of which only the id is at
// hand.
func resumeOther(dir, id string) string {
	if run, err := (exec.Workspace{Dir: dir}).History(context.Background(), id); err == nil {
		return resumeFrom(run, dir)
	}
	return resumeIn(dir, id)
}

// attendOther is resumeOther where what is asked is left for planlock answer.
func attendOther(dir, id string) string {
	if run, err := (exec.Workspace{Dir: dir}).History(context.Background(), id); err == nil {
		return attendWith(run, dir, run.Policy.Given)
	}
	return resumeIn(dir, id) + waits
}

// waits leaves questions for planlock answer.
const waits = " --answers wait"

// withBudget are the flags with which a run goes on that has cost so much: twice
// that, in whole cents, where they give no larger budget.
func withBudget(given []string, cost history.Money) []string {
	const flag, cent = "--budget=", history.Dollar / 100
	at := slices.IndexFunc(given, func(word string) bool { return strings.HasPrefix(word, flag) })
	if at >= 0 {
		if m, err := history.ParseMoney(strings.TrimPrefix(given[at], flag)); err == nil && m > cost {
			return given
		}
		given = slices.Delete(slices.Clone(given), at, at+1)
	}
	return append(slices.Clone(given), flag+((2*cost+cent-1)/cent*cent).Decimal())
}
