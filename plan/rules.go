package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A rule is something that every native plan has to keep: the code of the
// diagnostic of a plan that does not, how grave that is, why it is asked, and
// the function that finds out. A function is asked about a plan as a whole,
// about each task or about each step; it looks at nothing else, and tells each
// fault. Rules without one are those of reading, which package native applies.
type rule struct {
	code     string
	severity Severity
	why      string

	plan func(*inspection, tell)
	task func(*inspection, *taskPart, tell)
	step func(*inspection, *stepPart, tell)

	// cause says that a fault of a step lies in one key. Where the step took
	// that key over from [defaults], the fault is told there, once, and not at
	// each step; mended is another key that mends it, so that a step that has
	// that one itself has a fault of its own.
	cause  bool
	mended string
}

// A tell reports that a part of a plan breaks the rule that is asked: at a key
// of the part ("" for the part itself), in words, with what to do about it.
type tell func(key, message, hint string)

// rules are all of them, by subject. A part of a plan is asked for them in this
// order.
var rules = slices.Concat(readingRules, namingRules, wholeRules, settingRules, orderRules, stepRules, artifactRules,
	checkRules, []rule{tooComplex})

// A Code is one kind of diagnostic: its stable name, how grave it is, and why
// it exists.
type Code struct {
	Code     string
	Severity Severity
	Why      string
}

// Codes lists all diagnostics that reading and checking a native plan can
// yield, sorted by code.
func Codes() []Code {
	list := make([]Code, len(rules))
	for i, r := range rules {
		list[i] = Code{r.code, r.severity, r.why}
	}
	slices.SortFunc(list, func(a, b Code) int { return cmp.Compare(a.Code, b.Code) })
	return list
}

var severities = sync.OnceValue(func() map[string]Severity {
	m := map[string]Severity{}
	for _, c := range Codes() {
		m[c.Code] = c.Severity
	}
	return m
})

// severityOf never lets a code that is not in the catalogue pass for less than
// an error.
func severityOf(code string) Severity {
	if s, ok := severities()[code]; ok {
		return s
	}
	return Error
}

// readingRules are those of a file that cannot be read as a plan, or not
// wholly.
var readingRules = []rule{
	{code: "defaults-too-large", severity: Error,
		why: "Every step inherits [defaults]; a large one would be multiplied by the number of steps."},
	{code: "key-case", severity: Error,
		why: "Keys are spelled exactly as documented. Another case would be read by some programs and skipped by others."},
	{code: "key-duplicate", severity: Error,
		why: "A key, and a table that is no list, stands once; keys that differ in case only are one key for many readers."},
	{code: "key-unknown", severity: Error, why: "A key that nobody knows would be a promise that nobody keeps."},
	{code: "not-a-plan", severity: Error, why: "The file is something else. The hint says what is read."},
	{code: "placeholder-value", severity: Warning,
		why: "The value stands for one that somebody meant to fill in. It would be taken as it is."},
	{code: "schema-missing", severity: Error,
		why: "The first line says which version of the format the plan is written in."},
	{code: "toml-parse-error", severity: Error,
		why: "The file is not TOML. What stands behind the place was not read."},
	{code: "toml-too-deep", severity: Error,
		why: "Values are nested deeper, or one value has more parts, than any plan needs."},
	{code: "too-many", severity: Error, why: "More than 1,000 errors were found, and the rest is left out. Warnings and " +
		"notes never come to this: from the fifty-first of a code on they are told as one, which says how many there are."},
	{code: "utf8-invalid", severity: Error,
		why: "The file is not UTF-8, so its text could be read in more than one way."},
	{code: "value-range", severity: Error, why: "The value is none that the key can have: a number out of its range " +
		"or beyond 2^53, not a number, a time that is negative, zero, or longer than a year."},
	{code: "value-type", severity: Error, why: "The value is of another kind than the key asks for."},
	{code: "value-unknown", severity: Error, why: "The key takes one of a few words."},
}

// tooComplex reports where the other rules ran out of comparisons, so it comes
// last.
var tooComplex = rule{code: "too-complex", severity: Error,
	why:  "Comparing all paths with all globs would take too long.",
	plan: func(x *inspection, tell tell) { x.tellBeyond(tell) },
	step: func(x *inspection, _ *stepPart, tell tell) { x.tellBeyond(tell) }}

func (x *inspection) tellBeyond(tell tell) {
	if x.beyond != "" {
		tell(x.beyond, "the plan has too many paths and globs to compare them all",
			`prefer globs of the form "folder/**"`)
		x.beyond = ""
	}
}

// brokenByDefaults reports whether a fault at a key of a step lies in
// [defaults].
func (r *rule) brokenByDefaults(x *inspection, s *stepPart, key string) bool {
	if !r.cause || s.ID == "" {
		return false
	}
	name, _, _ := strings.Cut(key, ".")
	name, _, _ = strings.Cut(name, "[")
	own, _ := x.draft.keys(s.path)
	inherited, _ := x.draft.keys("defaults")
	return slices.Contains(inherited, name) && !slices.Contains(own, name) &&
		(r.mended == "" || !slices.Contains(own, r.mended))
}

// keys are the names in a table as it was written; written reports whether the
// part is known to be there.
func (d *Draft) keys(path string) (names []string, written bool) {
	if d.outline == nil {
		return nil, false
	}
	return d.outline.Keys(path)
}

// silent reports whether a step says nothing of a key, where nothing came of
// it: what it says, or what [defaults] says, and could not be read was told
// there, and so was a key with a letter too many or too few.
func (x *inspection) silent(s *stepPart, key string) bool {
	for _, table := range []string{s.path, "defaults"} {
		if names, _ := x.draft.keys(table); slices.Contains(names, key) {
			return false
		}
	}
	return !x.misspelled(s, key)
}

// misspelled reports whether the step, or [defaults], has a key that is not
// known and is almost this one.
func (x *inspection) misspelled(s *stepPart, key string) bool {
	known, _ := Names(new(Step).visit)
	for _, table := range []string{s.path, "defaults"} {
		names, _ := x.draft.keys(table)
		for _, name := range names {
			if !slices.Contains(known, name) && Nearest(name, []string{key}) != "" {
				return true
			}
		}
	}
	return false
}

// near makes a hint of the name that is nearest to a wrong one, among the first
// hundred of a list.
func near[T any](word string, list []T, name func(*T) string) string {
	var names []string
	for i := range list[:min(len(list), 100)] {
		names = append(names, name(&list[i]))
	}
	if near := Nearest(word, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "name one that is there, or add it"
}
