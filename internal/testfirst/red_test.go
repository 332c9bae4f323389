package testfirst_test

import (
	"testing"

	"github.com/planlock/planlock/internal/testfirst"
)

// TestUntested tells a test program that has run no test from one that has.
func TestUntested(t *testing.T) {
	for output, want := range map[string]bool{
		"ok  \tex/srv\t0.002s [no tests to run]\n":                                    true,
		"testing: warning: no tests to run\nPASS\nok  \tex\t0.1s [no tests to run]\n": true,
		"?   \tex\t[no test files]\n":                                                 true,
		"?   \tex\t[no test files]\nok  \tex/srv\t0.002s\n":                           false,
		"=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \tex\t0.1s\n":            false,
		"running 0 tests\n\ntest result: ok. 0 passed\n":                              true,
		"running 0 tests\n\nrunning 2 tests\ntest a ... ok\n":                         false,
		"all is well\n": false,
		"":              false,
	} {
		if got := testfirst.Untested(output); got != want {
			t.Errorf("%q: %v", output, got)
		}
	}
}

// A failure counts if it is one of the test that was written.
func TestElsewhere(t *testing.T) {
	const body = "func TestLimit(t *testing.T) {}\n\ndef test_limit():\n"
	for _, tt := range []struct {
		name, command string
		exit          int
		output, want  string
	}{
		{"an assertion", "go test ./p", 1, "--- FAIL: TestOther (0.00s)\n    limit_test.go:9: want 429\nFAIL", ""},
		{"does not compile yet", "go test ./p", 1, "p/limit_test.go:9:2: undefined: Limiter\nFAIL p [build failed]", ""},
		{"by its name alone", "go test ./p", 1, "--- FAIL: TestLimit (0.00s)\nFAIL", ""},
		{"another test", "go test ./p", 1, "--- FAIL: TestLimits (0.00s)\n    other_test.go:3: no\nFAIL", "what failed is not in p/limit_test.go"},
		{"no folder", "go test ./nowhere", 1, "stat /w/nowhere: directory not found\nFAIL", `something that it needs is not there: "stat /w/nowhere: directory not found"`},
		{"no folder to change to", "cd nowhere && make test", 2, "sh: 1: cd: can't cd to nowhere", `something that it needs is not there: "sh: 1: cd: can't cd to nowhere"`},
		{"no program", "gotest ./p", 127, "sh: gotest: not found", "a command was not found"},
		{"a crash", "./check", 139, "", "a command crashed (status 139)"},
		{"no tests", "pytest p", 5, "collected 0 items", "no test was run"},
		{"a test without a word", "make check", 2, "", ""},
		{"a script that looks at what is not there yet", "cd p && sh limit_test.go", 2, "grep: work: No such file or directory", ""},
		{"a script that is never reached", "cd nowhere && sh limit_test.go", 2, "sh: 1: cd: can't cd to nowhere", `something that it needs is not there: "sh: 1: cd: can't cd to nowhere"`},
		{"a script that runs what is not there yet", "sh p/limit_test.go", 2, "sh: 0: cannot open p/limit.sh: No such file", ""},
		{"a script that runs what is not there yet, in bash", "bash p/limit_test.go", 1, "bash: p/limit.sh: No such file or directory", ""},
		{"a script of the command that is not there", "sh p/limit.sh && sh p/limit_test.go", 2, "sh: 0: cannot open p/limit.sh: No such file", `something that it needs is not there: "sh: 0: cannot open p/limit.sh: No such file"`},
		{"a file that is missing, in the test", "pytest p", 1, "limit_test.go: open x: no such file or directory", ""},
	} {
		got := testfirst.Elsewhere(tt.command, tt.exit, tt.output, []string{"p/limit_test.go"}, func(string) string { return body })
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
