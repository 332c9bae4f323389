package git

import (
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// Ignored are globs, as [ledger.CheckPattern] has them, of what the .gitignore in
// the root of a working tree keeps out of git (gitignore(5)). They never stand
// for more than its patterns do: one that a later "!" may take something from, or
// that cannot be said as such a glob, is left out. A file that has the name of a
// folder which is kept out, and what is in git in spite of it, may be among what
// they stand for.
func Ignored(gitignore string) []string {
	var all []ignoring
	for line := range strings.Lines(gitignore) {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if taken, ok := strings.CutPrefix(line, "!"); ok {
			all = slices.DeleteFunc(all, func(i ignoring) bool { return !i.keeps(taken) })
		} else {
			all = append(all, newIgnoring(line))
		}
	}
	var globs []string
	for _, i := range all {
		if glob := i.glob(); ledger.CheckPattern(glob) == nil && strings.Trim(glob, "*/") != "" {
			globs = append(globs, glob)
		}
	}
	return globs
}

// An ignoring is a pattern of a .gitignore.
type ignoring struct {
	name   string // as a glob, from the root
	folder bool   // it ends in "/": a folder, so that git looks at nothing in it
}

// newIgnoring reads a pattern. One that has a "/" before its end begins at the
// root. What a backslash hides is not read: it makes no glob.
func newIgnoring(line string) ignoring {
	name, folder := strings.CutSuffix(line, "/")
	if !strings.Contains(name, "/") {
		name = "**/" + name
	}
	return ignoring{strings.TrimPrefix(name, "/"), folder}
}

// glob stands for what is left out. What "/**" stands for lies in the folder.
func (i ignoring) glob() string {
	if strings.HasSuffix(i.name, "/**") {
		return i.name + "/*"
	}
	return i.name
}

// keeps reports whether a pattern takes nothing from what is left out: only
// where that is a folder, and no name that the pattern may have, does git not get
// to ask.
func (i ignoring) keeps(taken string) bool {
	last, other := path.Base(i.name), path.Base(strings.TrimSuffix(taken, "/"))
	return i.folder && !ledger.IsGlob(last) && !strings.Contains(other, `\`) && !ledger.Match(other, last)
}
