package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/spelling"
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

	// said says that plans of other formats are asked as well: it judges what a
	// plan says, and not what it leaves out, or what no plan may leave out that is
	// to be strict.
	said bool

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
	if d.names == nil {
		return nil, false
	}
	return d.names(path)
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
	known := Names(new(Step).Visit)
	for _, table := range []string{s.path, "defaults"} {
		names, _ := x.draft.keys(table)
		for _, name := range names {
			if !slices.Contains(known, name) && spelling.Nearest(name, []string{key}) != "" {
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
	if near := spelling.Nearest(word, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "name one that is there, or add it"
}

// tooComplex reports where the other rules ran out of comparisons, so it comes
// last.
var tooComplex = rule{code: "too-complex", severity: Error,
	why:  "Comparing all paths with all globs would take too long.",
	plan: func(x *inspection, tell tell) { x.tellBeyond(tell) },
	step: func(x *inspection, _ *stepPart, tell tell) { x.tellBeyond(tell) }}

// tellBeyond tells once where the comparisons ran out.
func (x *inspection) tellBeyond(tell tell) {
	if x.beyond != "" {
		tell(x.beyond, "the plan has too many paths and globs to compare them all",
			`prefer globs of the form "folder/**"`)
		x.beyond = ""
	}
}
