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
	var globs []string
	for line := range strings.Lines(gitignore) {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if taken, ok := strings.CutPrefix(line, "!"); ok {
			globs = slices.DeleteFunc(globs, func(glob string) bool { return mayLose(glob, taken) })
		} else {
			globs = append(globs, globOf(line))
		}
	}
	return slices.DeleteFunc(globs, func(glob string) bool {
		return ledger.CheckPattern(glob) != nil || strings.Trim(glob, "*/") == ""
	})
}

// globOf stands for what a pattern keeps out. One that has a "/" before its end
// begins at the root; what "/**" stands for lies in the folder. What a backslash
// hides is not read: it makes no glob.
func globOf(pattern string) string {
	name := strings.TrimSuffix(pattern, "/")
	if !strings.Contains(name, "/") {
		name = "**/" + name
	}
	name = strings.TrimPrefix(name, "/")
	if strings.HasSuffix(name, "/**") {
		name += "/*"
	}
	return name
}

// mayLose reports whether a pattern may take something from what a glob stands
// for. Git looks at nothing in a folder that it leaves out, so of one name it
// takes nothing unless it may be that name.
func mayLose(glob, pattern string) bool {
	last, other := path.Base(glob), path.Base(strings.TrimSuffix(pattern, "/"))
	return ledger.IsGlob(last) || strings.Contains(other, `\`) || ledger.Match(other, last)
}
