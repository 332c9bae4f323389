// Package usage is what can be typed behind planlock, and how it is explained.
//
// A [Command] is made of what reads the command line, so that the help, the
// manual and the scripts that complete what is typed say what is so.
package usage

import (
	"fmt"
	"slices"
	"strings"
)

// A Command is one of planlock's.
type Command struct {
	Group    string // of the commands that are listed together
	Name     string
	Args     string // how its arguments are called; those in brackets may be left out
	Does     string
	Examples []string // as they are typed
	Flags    []Flag   // in the order in which they are explained

	First string   // what its first argument is: "run", "path", "word" or ""
	Words []string // those that it can be, where it is a word
}

// Call is how the command is called, without its flags.
func (c Command) Call() string { return strings.TrimSpace("planlock " + c.Name + " " + c.Args) }

// Explained are the words in capitals of a call, and what each stands for.
func (c Command) Explained() (list [][2]string) {
	known := [][2]string{
		{"PATH", "a plan: its file, or a folder that holds one, in any format that planlock reads"},
		{"RUN", "the id of a run, or the beginning of one; left out, it is the latest run"},
		{"STEP", "the address of a step, as in 2.1"},
		{"QUESTION", "the id of a question, as in q1"},
		{"CHOICE", "the letter of a choice"},
		{"TEMPLATE", "the name of a template, as --list lists them; left out, it is shell"},
		{"ID", "an id, as the command lists it"},
		{"DIR", "a folder"},
		{"A", "a folder, or the digest of a tree that a run has kept; so is B"},
		{"DIGEST", "the digest of a tree, or as much of it as no other has"},
	}
	words := strings.FieldsFunc(c.Args, func(r rune) bool { return !('A' <= r && r <= 'Z') })
	for _, k := range known {
		if slices.Contains(words, k[0]) {
			if k[0] == "PATH" && slices.Contains(words, "DIGEST") {
				k[1] = "a path in the tree; without one it is written whole"
			}
			list = append(list, k)
		}
	}
	return list
}

// A Flag is one of a command's.
type Flag struct {
	Group       string // of the flags that are explained together
	Name, Help  string
	Short       string   // one letter, or ""
	Placeholder string   // what it is set to, as in FOLDER; "" for a switch
	Default     string   // what it is by itself; "" for nothing
	Values      []string // the words that it can be set to; nil: any
}

// Spellings are the ways to type the flag.
func (f Flag) Spellings() []string {
	if f.Short == "" {
		return []string{"--" + f.Name}
	}
	return []string{"-" + f.Short, "--" + f.Name}
}

// Dashed is the flag in all its spellings, as in "-o, --output".
func (f Flag) Dashed() string { return strings.Join(f.Spellings(), ", ") }

// Call is the flag with what it is set to, as in "--dir FOLDER".
func (f Flag) Call() string { return strings.TrimSpace(f.Dashed() + " " + f.Placeholder) }

// Says is what the flag does, and what it is by itself.
func (f Flag) Says() string {
	if f.Default == "" {
		return f.Help
	}
	return fmt.Sprintf("%s (default %s)", f.Help, f.Default)
}

// A Group is flags that are explained together.
type Group struct {
	Title string
	Flags []Flag
}

// Groups are the flags of the command, group by group. So few that one glance
// reads them are one group.
func (c Command) Groups() []Group {
	const few = 7
	var groups []Group
	for _, f := range c.Flags {
		title := f.Group
		if len(c.Flags) <= few || title == "" {
			title = "flags"
		}
		i := slices.IndexFunc(groups, func(g Group) bool { return g.Title == title })
		if i < 0 {
			groups, i = append(groups, Group{Title: title}), len(groups)
		}
		groups[i].Flags = append(groups[i].Flags, f)
	}
	return groups
}

// A Status is an exit status, and what it means.
type Status struct {
	Code, Means string
}

// Statuses are all exit statuses.
func Statuses() []Status {
	return []Status{
		{"0", "done: the plan holds, the run ended ACHIEVED, the proof holds, the trees are the same"},
		{"1", "the run ended NOT_ACHIEVED; tree diff found differences"},
		{"2", "the call itself is off: an unknown flag, a missing argument, an ambiguous id"},
		{"3", "the run ended PARTIAL"},
		{"4", "refused: the plan has errors, something needs an acknowledgement, or plan, lock, executors or tree are not what they must be; the proof does not hold"},
		{"5", "the run waits, for an answer or to be resumed"},
		{"6", "it could not be done: a file is not there, no permission, the disk is full, another controller holds the workspace"},
		{"130, 143", "interrupted; the tree is restored or can be, and the last line says how to go on"},
	}
}
