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
		if isTest(change.Path) || slices.Contains(started, change.Path) {
			files = append(files, change.Path)
		}
	}
	return files
}

// runsCode reports whether a check may run code of the tree.
func runsCode(c plan.Check) bool {
	return !slices.Contains([]string{"file_absent", "file_contains", "symbol_exists", "symbol_absent", "go_build",
		"go_vet", "go_api_compatible"}, c.Kind)
}

// starts are the files that the command of a check starts, or that say what is
// started.
func starts(c plan.Check) []string {
	words := strings.Fields(c.Run)
	if c.Kind != "command" || len(words) == 0 || c.StdoutContains != "" {
		return nil
	}
	var files []string
	for _, w := range words[:min(2, len(words))] {
		files = append(files, path.Clean(strings.Trim(w, `"'`)))
	}
	switch path.Base(words[0]) {
	case "make", "gmake":
		files = append(files, "Makefile", "makefile", "GNUmakefile")
	case "npm", "pnpm", "yarn", "bun":
		files = append(files, "package.json")
	case "just":
		files = append(files, "justfile", "Justfile")
	case "task":
		files = append(files, "Taskfile.yml", "Taskfile.yaml")
	}
	return files
}

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
