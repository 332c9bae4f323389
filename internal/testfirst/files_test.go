package testfirst_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/internal/testfirst"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Files are those that a command runs, and not those that it looks at.
func TestFiles(t *testing.T) {
	var changes []ledger.Change
	for _, name := range []string{"Makefile", "app/Makefile", "app/run.sh", "app/package.json", "notes.md", "a_test.go", "x.py"} {
		changes = append(changes, ledger.Change{Path: name, After: &ledger.Entry{Path: name, Kind: ledger.File, Size: 1}})
	}
	for run, want := range map[string][]string{
		"grep -q x notes.md":            {"a_test.go"},
		"test -s notes.md":              {"a_test.go"},
		"make test":                     {"Makefile", "app/Makefile", "a_test.go"},
		"make -C app test":              {"Makefile", "app/Makefile", "a_test.go"},
		"cd app && CI=1 make test":      {"Makefile", "app/Makefile", "a_test.go"},
		`sh -c "cd app; ./run.sh"`:      {"app/run.sh", "a_test.go"},
		"timeout 10 sh -e app/run.sh":   {"app/run.sh", "a_test.go"},
		"npm --prefix app test":         {"app/package.json", "a_test.go"},
		"cat notes.md | python3 x.py":   {"a_test.go", "x.py"},
		"env A=b /usr/bin/python3 x.py": {"a_test.go", "x.py"},
	} {
		if diff := cmp.Diff(want, testfirst.Files(plan.Check{Kind: "command", Run: run}, changes)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", run, diff)
		}
	}
	printed := plan.Check{Kind: "command", Run: "sh app/run.sh", StdoutContains: "ok"}
	if got := testfirst.Files(printed, changes[1:5]); got != nil {
		t.Errorf("what is printed is held against the plan, and %q are its own", got)
	}
	if got := testfirst.Files(plan.Check{Kind: "file_contains", Path: "a_test.go"}, changes); got != nil {
		t.Errorf("what is looked at is no code: %q", got)
	}
}

// A test is frozen, and what it looks at is not.
func TestFrozen(t *testing.T) {
	var changes []ledger.Change
	for _, name := range []string{"checks/limit.py", "notes.md", "p/x_test.go"} {
		changes = append(changes, ledger.Change{Path: name, After: &ledger.Entry{Path: name, Kind: ledger.File, Size: 1}})
	}
	for run, want := range map[string][2][]string{
		"pytest checks/limit.py":                 {{"checks/limit.py", "p/x_test.go"}, {"checks/limit.py", "p/x_test.go"}},
		"grep -q x notes.md":                     {{"notes.md", "p/x_test.go"}, {"p/x_test.go"}},
		"A=1 timeout 5 test -s notes.md":         {{"notes.md", "p/x_test.go"}, {"p/x_test.go"}},
		"cat notes.md | node checks/limit.py":    {{"checks/limit.py", "notes.md", "p/x_test.go"}, {"checks/limit.py", "p/x_test.go"}},
		"go test ./p -run Limit && cat limit.py": {{"checks/limit.py", "p/x_test.go"}, {"p/x_test.go"}},
	} {
		got := [2][]string{testfirst.Of(run, changes), testfirst.Frozen(run, changes)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", run, diff)
		}
	}
}
