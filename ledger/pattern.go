package ledger

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// ErrPattern is in the chain of the errors of CheckPattern.
var ErrPattern = errors.New("ledger: not a path or glob")

// maxPattern bounds the length of a pattern, in bytes, and so the work of
// matching it.
const maxPattern = 4096

// CheckPattern says whether text can stand in a contract as a path or a glob:
// slash-separated, relative to the root of the workspace, in the shortest
// spelling, in printable UTF-8. "*" and "?" stay within a name, "**" as a whole
// name crosses folders, "[…]" is one character of a class, "{a,b}" is a choice.
//
// The error names the fault and how to mend it.
func CheckPattern(text string) error {
	if why := patternFault(text); why != "" {
		return fmt.Errorf("%w: %q %s", ErrPattern, text, why)
	}
	return nil
}

// patternFault says what is wrong with a path or glob of a plan, "" if nothing
// is: only a pattern of which everybody sees what it means may stand in one.
func patternFault(text string) string {
	switch {
	case text == "":
		return "is empty"
	case len(text) > maxPattern:
		return fmt.Sprintf("is longer than %d bytes", maxPattern)
	case !utf8.ValidString(text):
		return "is not UTF-8; name it by a glob"
	case strings.ContainsRune(text, '\\'):
		return "has a backslash; separate names with /"
	case strings.TrimSpace(text) != text:
		return "begins or ends with white space"
	case strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0:
		return "has a character that cannot be seen; name it by a glob"
	case strings.HasPrefix(text, "./"):
		return fmt.Sprintf("begins with \"./\"; write %q", strings.TrimLeft(text[1:], "/"))
	case strings.HasSuffix(text, "/"):
		return fmt.Sprintf("ends with a slash; write %q for the folder, or %q for all it holds",
			strings.TrimRight(text, "/"), strings.TrimRight(text, "/")+"/**")
	case len(text) > 1 && text[1] == ':' && unicode.IsLetter(rune(text[0])):
		return "names a drive; use a path relative to the root of the workspace"
	}
	if why := checkPath(text); why != "" {
		return why
	}
	if ways(text) > maxWays {
		return fmt.Sprintf("has choices that stand for more than %d globs; write several simpler ones", maxWays)
	}
	if !doublestar.ValidatePattern(text) {
		return "is not a glob: a [ or { is left open"
	}
	return ""
}

// maxWays bounds the globs that a pattern with choices stands for, since
// matching may try them all.
const maxWays = 1000

// ways is how many globs without choices a pattern stands for, or more.
func ways(pattern string) int {
	product, open := 1, []int(nil)
	for _, r := range pattern {
		switch {
		case r == '{':
			open = append(open, 1)
		case r == ',' && len(open) > 0:
			open[len(open)-1]++
		case r == '}' && len(open) > 0:
			product *= open[len(open)-1]
			open = open[:len(open)-1]
		}
		if product > maxWays {
			break
		}
	}
	return product
}

// IsGlob reports whether a pattern can stand for other paths than itself.
func IsGlob(pattern string) bool { return strings.ContainsAny(pattern, "*?[{") }

// Match reports whether a pattern stands for path: it is the path itself, even
// where that looks like a glob ("app/[id]/page.ts"), or a glob that matches it.
// A pattern that CheckPattern refuses matches nothing but itself.
func Match(pattern, path string) bool {
	if pattern == path {
		return true
	}
	return IsGlob(pattern) && doublestar.MatchUnvalidated(pattern, path)
}
