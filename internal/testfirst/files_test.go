package testfirst_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/internal/testfirst"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// What steers a check are the files that its command runs, and not those that it
// looks at.
func TestApartByCommand(t *testing.T) {
	var changes []ledger.Change
	for _, name := range []string{"Makefile", "app/Makefile", "app/run.sh", "app/package.json", "notes.md", "a_test.go", "x.py"} {
		changes = append(changes, ledger.Change{Path: name, After: &ledger.Entry{Path: name, Kind: ledger.File, Size: 1}})
	}
	for run, want := range map[string][]string{
		"grep -q x notes.md":            nil,
		"test -s notes.md":              nil,
		"! grep -q x Makefile":          nil,
		"make test":                     {"Makefile", "app/Makefile", "app/run.sh", "app/package.json", "a_test.go"},
		"make -C app test":              {"Makefile", "app/Makefile", "app/run.sh", "app/package.json", "a_test.go"},
		`sh -c "cd app; ./run.sh"`:      {"Makefile", "app/Makefile", "app/run.sh", "app/package.json", "a_test.go"},
		"timeout 10 sh -e app/run.sh":   {"Makefile", "app/Makefile", "app/run.sh", "app/package.json", "a_test.go"},
		". ./x.py && go test ./...":     {"Makefile", "app/Makefile", "app/run.sh", "app/package.json", "x.py", "a_test.go"},
		"cat notes.md | python3 x.py":   {"Makefile", "app/Makefile", "app/run.sh", "app/package.json", "x.py", "a_test.go"},
		"env A=b /usr/bin/python3 x.py": {"Makefile", "app/Makefile", "app/run.sh", "app/package.json", "x.py", "a_test.go"},
		"jsonlint app/package.json":     {"Makefile", "app/Makefile", "app/run.sh", "a_test.go"},
		"jest -c app/package.json":      {"Makefile", "app/Makefile", "app/run.sh", "app/package.json", "a_test.go"},
	} {
		if diff := cmp.Diff(want, steers(plan.Check{Kind: "command", Run: run}, changes)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", run, diff)
		}
	}
	printed := plan.Check{Kind: "command", Run: "sh app/run.sh", StdoutContains: "ok"}
	if got := steers(printed, changes[1:5]); !slices.Equal(got, []string{"app/Makefile", "app/package.json"}) {
		t.Errorf("what is printed is held against the plan, and %q steer the check", got)
	}
	printed.Run = "make test"
	if got := steers(printed, changes[:1]); !slices.Equal(got, []string{"Makefile"}) {
		t.Errorf("of a check that expects an output these steer it: %q", got)
	}
	if got := steers(plan.Check{Kind: "file_contains", Path: "a_test.go"}, changes); got != nil {
		t.Errorf("what is looked at is no code: %q", got)
	}
	if got := steers(plan.Check{Kind: "host"}, changes); !slices.Equal(got, []string{"a_test.go"}) {
		t.Errorf("of a check of the host these are its own: %q", got)
	}
}

// steers are the paths that steer a check.
func steers(c plan.Check, changes []ledger.Change) (paths []string) {
	_, steering := testfirst.Apart(c, changes)
	for _, s := range steering {
		paths = append(paths, s.Path)
	}
	return paths
}

// Source code, data and prose are work by what they are called, and where they
// lie; a file that was removed is told like any other, and a link steers.
func TestApartByName(t *testing.T) {
	file := func(name string) ledger.Change {
		return ledger.Change{Path: name, After: &ledger.Entry{Path: name, Kind: ledger.File, Size: 1}}
	}
	for _, name := range []string{"a.go", "src/app.js", "lib/x.py", "README.md", "notes.txt", "locales/de.json", "deploy/app.yaml",
		"src/setup.ts", "src/Latest.java", "src/contest.js", "docs/test-plan.md",
		"app/config.go", "src/project.py", "docs/spec.md", "tools/gen.go", "cmd/tool/main.go"} {
		if got := steers(plan.Check{Kind: "command", Run: "make test"}, []ledger.Change{file(name)}); got != nil {
			t.Errorf("%s steers the check", name)
		}
	}
	for _, name := range []string{".npmrc", "local.mk", "package.json", "app/package.json", "pytest.ini", "tests/a.py", "test.js",
		"jest.config.js", "vitest.config.ts", "jest.setup.ts", ".mocharc.js", "tsconfig.json", "app/tsconfig.build.json", "tox.ini",
		"Cargo.toml", ".cargo/config.toml", "go.mod", "go.work", "app/go.mod", "data.json", "setup.py", "pytest.py", "scripts/check.js",
		"check.sh", "bin/jest", "node_modules/jest/index.js", "vendor/x/x.go", "requirements-dev.txt", "CMakeLists.txt", "build.rs",
		"build.gradle.kts", "karma.conf.js", "app/tests.py", "a.spec.ts", "x/__snapshots__/a.snap",
		"src/AddTest.php", "App.Tests/Unit.cs", "AddSpec.scala", "add-test.mjs", "test-add.js", "pytest/__init__.py"} {
		gone := file(name)
		gone.Before, gone.After = gone.After, nil
		for _, c := range []ledger.Change{file(name), gone} {
			if got := steers(plan.Check{Kind: "go_test"}, []ledger.Change{c}); len(got) != 1 {
				t.Errorf("%s does not steer the check", name)
			}
		}
	}
	for run, names := range map[string][]string{
		"go run ./tools/check":                  {"tools/check/main.go"},
		"go run tools/check.go":                 {"tools/check.go"},
		"cargo run -q --bin check":              {"src/bin/check.rs"},
		"grep -q -f patterns.txt src/add.txt":   {"patterns.txt"},
		"grep -qf patterns.txt src/add.txt":     {"patterns.txt"},
		"awk --file=x.awk src/add.txt":          {"x.awk"},
		"make test":                             {"fixtures/want.txt", "a/golden/x.json", "features/steps/a.py", "features/a.feature"},
		"npx vitest run":                        {"vitest.workspace.js"},
		"python3 -m unittest discover -s tests": {"argparse/__init__.py", "logging.py"},
	} {
		for _, name := range names {
			if got := steers(plan.Check{Kind: "command", Run: run}, []ledger.Change{file(name)}); len(got) != 1 {
				t.Errorf("%s does not steer %s", name, run)
			}
		}
	}
	for run, names := range map[string][]string{
		"go run ./tools/check": {"tools/add.go", "add.go"},
		"grep -q x notes.md":   {"notes.md"},
		"test -f notes.md":     {"notes.md"},
		"make test":            {"src/features/a.ts", "app/logging.py", "src/steps/x.py"},
	} {
		for _, name := range names {
			if got := steers(plan.Check{Kind: "command", Run: run}, []ledger.Change{file(name)}); got != nil {
				t.Errorf("%s steers %s", name, run)
			}
		}
	}
	for run, want := range map[string]int{"go test ./...": 1, "make test": 1, "! test -e data/cases.txt && make test": 0,
		"! test -d data && go build ./...": 0, "! test -e data/cases.txt": 0} {
		went := file("data/cases.txt")
		went.Before, went.After = went.After, nil
		if got := steers(plan.Check{Kind: "command", Run: run}, []ledger.Change{went}); len(got) != want {
			t.Errorf("a file that went, and nothing else: %q steer %s", got, run)
		}
		if got := steers(plan.Check{Kind: "command", Run: run}, []ledger.Change{went, file("a.go")}); got != nil {
			t.Errorf("a file that went beside other work: %q steer %s", got, run)
		}
	}
	made := ledger.Change{Path: "test", After: &ledger.Entry{Path: "test", Kind: ledger.Dir}}
	if got := steers(plan.Check{Kind: "command", Run: "make test"}, []ledger.Change{made}); len(got) != 1 {
		t.Error("an empty folder does not steer the check")
	}
	for run, names := range map[string]string{"test -d test": "x", "make test": "test/a"} {
		if got := steers(plan.Check{Kind: "command", Run: run}, []ledger.Change{made, file(names)}); slices.Contains(got, "test") {
			t.Errorf("a folder that is looked at, or holds what changed, steers %s", run)
		}
	}
	link := ledger.Change{Path: "a.go", After: &ledger.Entry{Path: "a.go", Kind: ledger.Link, Target: "b.go"}}
	if got := steers(plan.Check{Kind: "go_test"}, []ledger.Change{link}); len(got) != 1 {
		t.Error("a link does not steer the check")
	}
	folder := ledger.Change{Path: "tests", Before: &ledger.Entry{Path: "tests", Kind: ledger.Dir}}
	if work, got := testfirst.Apart(plan.Check{Kind: "go_test"}, []ledger.Change{folder}); len(work)+len(got) != 0 {
		t.Error("a folder that went is on a side")
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
