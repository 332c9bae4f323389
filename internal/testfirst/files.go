package testfirst

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/ledger"
)

// Files are the files that the command of a test runs, and that changes wrote:
// tests, and programs that it names first.
func Files(command string, changes []ledger.Change) []string {
	started := starts(command)
	return written(changes, func(file string) bool {
		return isTest(file) || slices.ContainsFunc(started, func(name string) bool { return isAt(file, name) })
	})
}

// Of are the changed files that the command of a test runs or names: what must
// have changed for the test to say something.
func Of(command string, changes []ledger.Change) []string {
	return testOf(command, changes, true)
}

// Frozen are those of the changed files that the test consists of. What its
// command merely looks at, as grep does, is what is tested.
func Frozen(command string, changes []ledger.Change) []string {
	return testOf(command, changes, false)
}

func testOf(command string, changes []ledger.Change, seen bool) []string {
	ran := Files(command, changes)
	names := named(command, seen)
	return written(changes, func(file string) bool {
		return slices.Contains(ran, file) || slices.ContainsFunc(names, func(n string) bool { return isAt(file, n) })
	})
}

// named are the words of a command that may be files; seen for those, too, that
// its programs only look at.
func named(command string, seen bool) []string {
	var names []string
	program := "" // of the words that follow
	for _, w := range strings.Fields(separators().Replace(command)) {
		switch {
		case w == ";":
			program = ""
			continue
		case program == "" && !startsOthers(w) && !isNumber(w) && !strings.Contains(w, "="):
			program = path.Base(w)
		}
		if seen || !looks(program) {
			names = append(names, path.Clean(w))
		}
	}
	return names
}

// written are the files that changes left and that are as one wants them, in
// the order of the changes.
func written(changes []ledger.Change, want func(file string) bool) []string {
	var files []string
	for _, c := range changes {
		if c.After != nil && c.After.Kind == ledger.File && want(c.Path) {
			files = append(files, c.Path)
		}
	}
	return files
}

// isAt reports whether a path is what a command calls name, in whichever folder
// the command runs.
func isAt(file, name string) bool { return file == name || strings.HasSuffix(file, "/"+name) }

// starts are the files that a command starts, or that say what is started, without
// the folders that the command changes to.
func starts(command string) []string {
	told, started := begins(command)
	return append(told, started...)
}

// begins are the files that say what a command starts, and those that it starts.
func begins(command string) (said, started []string) {
	begins := true // a command
	for _, w := range strings.Fields(separators().Replace(command)) {
		switch {
		case w == ";":
			begins = true
		case !begins, strings.HasPrefix(w, "-"), strings.Contains(w, "="), isNumber(w), startsOthers(w):
		default:
			begins = false
			said, started = append(said, told(path.Base(w))...), append(started, path.Clean(w))
		}
	}
	return said, started
}

// separators stand between commands of a shell; quotes are left out.
var separators = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("&&", " ; ", "||", " ; ", ";", " ; ", "|", " ; ", "&", " ; ", "(", " ; ",
		")", " ; ", "\n", " ; ", `"`, " ", "'", " ")
})

// startsOthers reports whether a command starts what follows it, as a wrapper,
// or runs the file that follows it, as an interpreter.
func startsOthers(name string) bool {
	switch name {
	case "env", "timeout", "nice", "time", "exec", "command", "sudo", "xargs", ".", "source":
		return true
	}
	switch strings.TrimRight(path.Base(name), "0123456789.") {
	case "sh", "bash", "dash", "zsh", "ksh", "python", "node", "ruby", "perl", "php", "lua", "deno":
		return true
	}
	return false
}

// looks reports whether a program runs nothing of what it is given.
func looks(name string) bool {
	switch name {
	case "grep", "egrep", "fgrep", "rg", "test", "[", "cat", "diff", "cmp", "ls", "head", "tail", "wc", "sed", "awk",
		"jq", "stat", "sort":
		return true
	}
	return false
}

// told are the files that say what a command does that runs what a file says.
func told(name string) []string {
	switch name {
	case "make", "gmake":
		return []string{"Makefile", "makefile", "GNUmakefile"}
	case "npm", "pnpm", "yarn", "bun":
		return []string{"package.json"}
	case "just":
		return []string{"justfile", "Justfile"}
	case "task":
		return []string{"Taskfile.yml", "Taskfile.yaml"}
	case "rake":
		return []string{"Rakefile"}
	case "tox":
		return []string{"tox.ini", "pyproject.toml"}
	case "nox":
		return []string{"noxfile.py"}
	case "gradle":
		return []string{"build.gradle", "build.gradle.kts"}
	case "mvn":
		return []string{"pom.xml"}
	}
	return nil
}

// isNumber reports whether a word is a time or a count, as of timeout.
func isNumber(w string) bool { return w[0] >= '0' && w[0] <= '9' }

// ofTests are names of source files that are tests, as test.js, test-add.js,
// add-test.js, AddTest.java and AddTests.cs are.
var ofTests = lazyre.New(`^(?:tests?|spec)\.|^test-|-test\.|[a-z0-9](?:Tests?|Spec)\.`)

// isTest reports whether a file is a test by what it is called, or sets tests
// up.
func isTest(name string) bool {
	base := strings.ToLower(path.Base(name))
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch {
	case strings.HasPrefix(base, "test_"), strings.HasSuffix(stem, "_test"), strings.HasSuffix(stem, ".test"),
		strings.HasSuffix(stem, "_spec"), strings.HasSuffix(stem, ".spec"), base == "conftest.py":
		return true
	case code.has(path.Ext(base)) && ofTests.MatchString(path.Base(name)):
		return true
	}
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		switch base := path.Base(folder); base {
		case "test", "tests", "__tests__", "__mocks__", "__snapshots__", "spec", "testdata", "e2e":
			return true
		default:
			if strings.HasSuffix(base, ".Test") || strings.HasSuffix(base, ".Tests") {
				return true
			}
		}
	}
	return false
}
