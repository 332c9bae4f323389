package config

import (
	"strings"

	"github.com/planlock/planlock/internal/spelling"
)

// A Key is something that can be settled.
type Key struct {
	Name string // as in "sandbox.env"; a part "NAME" stands for any name
	Kind Kind
	Of   []string // what a word must be one of; nil: any
	Flag string   // of run, which does the same for one call; "" where there is none
	Doc  string
	// Unset is what is so where nobody settles it; "" of those of agents.
	Unset string
}

// Kind is what the value of a key is.
type Kind int

// Kinds of values.
const (
	Word     Kind = iota // a text of one line
	Words                // one, or a list of them
	List                 // a list of texts
	Number               // a whole number, not negative
	Amount               // of dollars
	Duration             // a time, as in "10m"
	Switch               // true or false
	Address              // of the network, by HTTP
)

// String says what a value must be, for people.
func (k Kind) String() string {
	return [...]string{"a text", "a text, or a list of texts", "a list of texts", "a whole number",
		"an amount of dollars, as in \"5.00\"", "a time, as in \"10m\"", "true or false", "an address, as in \"https://example.org/hook\""}[k]
}

// Keys are all that can be settled, in the order in which they are explained.
func Keys() []Key {
	return []Key{
		{"agent", Words, nil, "agent", "who carries out steps: NAME or NAME=MODEL of planlock agents; of several the first is the default, and the others carry out steps that ask for them", "the shell"},
		{"validator", Word, nil, "validator", "who looks at what was done: an agent, or the path of a program", "nobody"},
		{"advisor", Word, nil, "advisor", "who is asked after a failure: an agent, or the path of a program", "what is built in"},
		{"researcher", Word, nil, "researcher", "who is asked what should be known: an agent, or the path of a program", "what is built in"},
		{"preset", Word, []string{"contract", "spec", "phase", "assistant", "reflective"}, "preset", "the way to cope with failure", "what the plan says"},
		{"profile", Word, []string{"strict", "scoped", "observe"}, "profile", "what complete means, where the plan does not say it", "what the plan says"},
		{"mode", Word, []string{"silent", "dynamic", "collaborative", "education"}, "mode", "who is asked and when", "what the plan says"},
		{"jobs", Number, nil, "jobs", "how many independent steps run at once", "what the plan says"},
		{"budget", Amount, nil, "budget", "what a run may cost", "no limit"},
		{"answers", Word, nil, "answers", "the policy for questions: wait, refuse, or a file of rules, which only the user's own file may name", "a person, where one is there"},
		{"agents.NAME.args", List, nil, "", "a program and its arguments: this makes NAME an agent", ""},
		{"agents.NAME.acp", Switch, nil, "", "it speaks the Agent Client Protocol on its standard streams", ""},
		{"agents.NAME.variables", List, nil, "", "names of environment variables that it gets", ""},
		{"agents.NAME.hosts", List, nil, "", "whom it reaches by the network; it is not held to them", ""},
		{"agents.NAME.reads", List, nil, "", "files of the user that are copied into its home", ""},
		{"agents.NAME.model", Word, nil, "", "the model, where --agent does not name one", ""},
		{"agents.NAME.silence", Duration, nil, "", "how long nothing may be seen of it", ""},
		{"commit.author", Word, nil, "commit-author", "who wrote what a run commits, as in \"Ana <ana@example.org>\"", "whoever git says commits"},
		{"commit.co_authors", List, nil, "co-author", "who is named as a co-author of what a run commits", "nobody"},
		{"commit.hook_limit", Duration, nil, "hook-limit", "how long a hook of the repository may take when a run commits", "10m"},
		{"notify.command", List, nil, "", "a program and its arguments that tells people of questions and ends of runs: it gets a notice on its standard input", "none"},
		{"notify.webhook", Address, nil, "", "where a notice is posted of each question and end of runs", "nowhere"},
		{"notify.desktop", Switch, nil, "", "questions and ends of runs are shown on the desktop", "no"},
		{"sandbox.env", List, nil, "env", "names of environment variables that commands of steps get, besides those that the plan names", "none"},
		{"sandbox.writable", List, nil, "writable", "folders outside of the workspace that commands of steps may write, besides those that the plan names", "none"},
	}
}

// Named reports whether the key stands for one of each name.
func (k Key) Named() bool { return strings.Contains(k.Name, "NAME") }

// keyOf is the key of a path of names, such as agents, claude, model.
func keyOf(path []string) (Key, bool) {
	for _, k := range Keys() {
		parts := strings.Split(k.Name, ".")
		if len(parts) != len(path) {
			continue
		}
		fits := true
		for i, part := range parts {
			fits = fits && (part == path[i] || part == "NAME" && path[i] != "")
		}
		if fits {
			return k, true
		}
	}
	return Key{}, false
}

// isTable reports whether tables of this path hold keys.
func isTable(path []string) bool {
	for _, k := range Keys() {
		parts := strings.Split(k.Name, ".")
		if len(parts) <= len(path) {
			continue
		}
		fits := true
		for i := range path {
			fits = fits && (parts[i] == path[i] || parts[i] == "NAME")
		}
		if fits {
			return true
		}
	}
	return false
}

// meant is the path that somebody meant who wrote another one; "" if nothing is
// near.
func meant(path []string) string {
	var names []string
	for _, k := range Keys() {
		parts := strings.Split(k.Name, ".")
		for i, part := range parts {
			if part == "NAME" && i < len(path) {
				parts[i] = path[i]
			}
		}
		if len(parts) == len(path) {
			names = append(names, strings.Join(parts, "."))
		} else if len(parts) > len(path) {
			names = append(names, strings.Join(parts[:len(path)], "."))
		}
	}
	return spelling.Nearest(strings.Join(path, "."), names)
}
