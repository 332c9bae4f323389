package control

import (
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Own are the files that a check runs, and that the work itself wrote: tests,
// and programs that the command names first, unless what they print is held
// against the plan. At most a few are named.
func Own(c plan.Check, changes []ledger.Change) []string {
	const few = 5
	var files []string
	if !runsCode(c) {
		return nil
	}
	started := starts(c)
	for _, change := range changes {
		a := change.After
		if a == nil || a.Kind != ledger.File || len(files) == few {
			continue
		}
		runs := slices.ContainsFunc(started, func(name string) bool { return isAt(change.Path, name) })
		if runs || isTest(change.Path) {
			files = append(files, change.Path)
		}
	}
	return files
}

// isAt reports whether a path is what a command calls name, in whichever folder
// the command runs.
func isAt(file, name string) bool { return file == name || strings.HasSuffix(file, "/"+name) }

// runsCode reports whether a check may run code of the tree.
func runsCode(c plan.Check) bool {
	return !slices.Contains([]string{"file_absent", "file_contains", "symbol_exists", "symbol_absent", "go_build",
		"go_vet", "go_api_compatible"}, c.Kind)
}

// starts are the files that the command of a check starts, or that say what is
// started, without the folders that the command changes to.
func starts(c plan.Check) []string {
	if c.Kind != "command" || c.StdoutContains != "" {
		return nil
	}
	var files []string
	begins := true // a command
	for _, w := range strings.Fields(separators.Replace(c.Run)) {
		switch {
		case w == ";":
			begins = true
		case !begins, strings.HasPrefix(w, "-"), strings.Contains(w, "="), wrappers[w], isNumber(w):
		case interpreters[strings.TrimRight(path.Base(w), "0123456789.")]:
		default:
			begins = false
			if by, ok := runners[path.Base(w)]; ok {
				files = append(files, by...)
			}
			files = append(files, path.Clean(w))
		}
	}
	return files
}

var (
	// separators stand between commands of a shell; quotes are left out.
	separators = strings.NewReplacer("&&", " ; ", "||", " ; ", ";", " ; ", "|", " ; ", "&", " ; ", "(", " ; ",
		")", " ; ", "\n", " ; ", `"`, " ", "'", " ")
	// wrappers start what follows them.
	wrappers = words("env timeout nice time exec command sudo xargs")
	// interpreters run the file that follows them, or the command.
	interpreters = words("sh bash dash zsh ksh python node ruby perl php lua deno")
	// runners do what a file says.
	runners = map[string][]string{
		"make": {"Makefile", "makefile", "GNUmakefile"}, "gmake": {"Makefile", "GNUmakefile"},
		"npm": {"package.json"}, "pnpm": {"package.json"}, "yarn": {"package.json"}, "bun": {"package.json"},
		"just": {"justfile", "Justfile"}, "task": {"Taskfile.yml", "Taskfile.yaml"}, "rake": {"Rakefile"},
		"tox": {"tox.ini", "pyproject.toml"}, "nox": {"noxfile.py"}, "gradle": {"build.gradle", "build.gradle.kts"},
		"mvn": {"pom.xml"},
	}
)

// words is a set of words.
func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// isNumber reports whether a word is a time or a count, as of timeout.
func isNumber(w string) bool { return w[0] >= '0' && w[0] <= '9' }

// isTest reports whether a file is a test by what it is called, or sets tests
// up.
func isTest(name string) bool {
	base := strings.ToLower(path.Base(name))
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch {
	case strings.HasPrefix(base, "test_"), strings.HasSuffix(stem, "_test"), strings.HasSuffix(stem, ".test"),
		strings.HasSuffix(stem, "_spec"), strings.HasSuffix(stem, ".spec"), base == "conftest.py":
		return true
	case strings.HasSuffix(path.Base(name), "Test.java"), strings.HasSuffix(path.Base(name), "Tests.cs"),
		strings.HasSuffix(path.Base(name), "Test.kt"):
		return true
	}
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		switch path.Base(folder) {
		case "test", "tests", "__tests__", "spec", "testdata":
			return true
		}
	}
	return false
}
