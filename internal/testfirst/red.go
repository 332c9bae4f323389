package testfirst

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
)

// Statuses with which a shell says that it could not run a command, and the
// first that says that a signal ended one.
const (
	notRun   = 126
	notFound = 127
	signal   = 128
)

// without are what test programs print that found no test, by their status.
func without(exit int) []string {
	switch exit {
	case 1:
		return []string{"No tests found", "No test files found"}
	case 5:
		return []string{"no tests ran", "collected 0 items", "Ran 0 tests"}
	}
	return nil
}

// ran is a line of a test program that has run a test.
var ran = lazyre.New(`^ok\s|^--- |^running [1-9]|^test \S+ \.\.\. `)

// Untested reports whether a test program that was content says that it has run no
// test, in any of the parts that it tells of.
func Untested(output string) bool {
	none := false
	for line := range strings.Lines(output) {
		switch {
		case strings.Contains(line, "no tests to run"), strings.Contains(line, "no test files"),
			strings.Contains(line, "running 0 tests"):
			none = true
		case ran.MatchString(line):
			return false
		}
	}
	return none
}

// Nothing says why a command has tested nothing, by its status and what it
// printed; "" if it may have.
func Nothing(exit int, output string) string {
	switch {
	case exit == notRun || exit == notFound:
		return "a command was not found"
	case exit < 0 || exit > signal:
		return fmt.Sprintf("a command crashed (status %d)", exit)
	}
	if exit == 0 && Untested(output) {
		return "no test was run"
	}
	for _, text := range without(exit) {
		if strings.Contains(output, text) {
			return "no test was run"
		}
	}
	return ""
}

var (
	// missing is how programs say that what they were to look at is not there.
	missing = lazyre.New(`(?i)no such file or directory|directory not found|cannot find (main )?module|cannot find package|` +
		`no required module provides package|is not in std|go\.mod file not found|matched no packages|no Go files in|` +
		`file or directory not found|can't open|cannot open|can't cd to|does not exist|no module named|no rule to make target`)
	// shell is how the shell begins what it says of a command line.
	shell = lazyre.New(`^(?:/bin/)?(?:sh|bash|dash): `)
	// telling are test programs that name the files of tests that fail.
	telling = lazyre.New(`\bgo test\b|\bpytest\b|\bunittest\b|\bjest\b|\bvitest\b|\bcargo test\b|\bnode --test\b`)
	// functions are those that a file declares.
	functions = lazyre.New(`\b(?:func|def|fn|function)\s+(\w{5,})`)
)

// Elsewhere says why the failure of a test is none of the files that it is
// written in, by its status and what it printed; "" if it may be. content is
// what a file holds.
func Elsewhere(command string, exit int, output string, files []string, content func(file string) string) string {
	if why := Nothing(exit, output); why != "" {
		return why
	}
	words := wordsOf(output)
	mentioned := slices.ContainsFunc(files, func(file string) bool {
		return strings.Contains(output, path.Base(file)) ||
			slices.ContainsFunc(functions.FindAllStringSubmatch(content(file), -1),
				func(f []string) bool { return words[f[1]] })
	})
	if mentioned {
		return ""
	}
	// What a program misses that was given the test is missing for the test, unless
	// the command names it.
	given := slices.ContainsFunc(named(command, false), func(n string) bool {
		return slices.ContainsFunc(files, func(file string) bool { return isAt(file, n) })
	})
	for line := range strings.Lines(output) {
		if missing.MatchString(line) && (!given || shell.MatchString(line) && names(command, line)) {
			return fmt.Sprintf("something that it needs is not there: %q", strings.TrimSpace(line))
		}
	}
	if telling.MatchString(command) {
		return "what failed is not in " + strings.Join(files, ", ")
	}
	return ""
}

// names reports whether a command names something that a shell's line of its
// output names.
func names(command, line string) bool {
	all := named(command, true)
	_, said, _ := strings.Cut(line, ": ") // by the shell
	return slices.ContainsFunc(strings.Fields(said), func(w string) bool {
		w = strings.Trim(w, "\"'`‘’:,;")
		return w != "" && slices.Contains(all, path.Clean(w))
	})
}

// wordsOf are the words of a text that may be names.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') // as \w has it
	}) {
		words[w] = true
	}
	return words
}
