package cmd_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// examplesPlan has one step that goes well, and one that has a person asked.
const examplesPlan = `schema = 1
non_goals = []
[goal]
description = "Write two files"
[[requirements]]
id = "R1"
text = "There are files"
[defaults]
rollback = "reversible"
on_failure = "ask"
semantic_change = "extending"
requirements = ["R1"]
limits = { max_files = 2, max_lines = 10 }
[[tasks]]
id = 1
description = "Write"
[[tasks.steps]]
id = 1
description = "Write one"
run = "echo a > one.txt"
artifacts = { create = ["one.txt"] }
postconditions = [{ kind = "file_contains", path = "one.txt", matches = "a" }]
[[tasks.steps]]
id = 2
description = "Write two"
run = "echo b > two.txt; $MORE"
artifacts = { create = ["two.txt"] }
postconditions = [{ kind = "file_contains", path = "two.txt", matches = "b" }]
`

// examplesStep is one more.
const examplesStep = `[[tasks.steps]]
id = 3
description = "Write three"
run = "echo c > three.txt"
artifacts = { create = ["three.txt"] }
postconditions = [{ kind = "file_contains", path = "three.txt", matches = "c" }]
`

// TestExamples runs each line that the help of a command gives as an example, as
// it stands there.
func TestExamples(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the examples are typed into bash")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	out, err := exec.Command("planlock", "help").Output()
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^  ([a-z]+)  `).FindAllStringSubmatch(string(out), -1)
	if len(names) < 20 {
		t.Fatalf("%d commands in\n%s", len(names), out)
	}
	for _, found := range names {
		name := found[1]
		t.Run(name, func(t *testing.T) {
			lines := examplesOf(t, name)
			if len(lines) != 2 && name != "version" {
				t.Errorf("%d examples, want two", len(lines))
			}
			dir, home := t.TempDir(), t.TempDir()
			do := func(line string) (string, int) {
				c := exec.CommandContext(t.Context(), bash, "-o", "pipefail", "-c", line)
				c.Dir = dir
				c.Env = append(os.Environ(), "HOME="+home, "PLANLOCK_STATE="+filepath.Join(home, "state"), "USER=alice",
					"MANPAGER=cat", "PAGER=cat")
				out, err := c.CombinedOutput()
				var exit *exec.ExitError
				if err != nil && !errors.As(err, &exit) {
					t.Fatal(err)
				}
				return string(out), c.ProcessState.ExitCode()
			}
			plan := filepath.Join(dir, "plan.toml")
			write := func(more, further string) {
				t.Helper()
				text := strings.Replace(examplesPlan, "$MORE", more, 1) + further
				if err := os.WriteFile(plan, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want := []int{0}
			prepare := func() {
				t.Helper()
				for _, file := range []string{".planlock", "one.txt", "two.txt", "three.txt"} {
					if err := os.RemoveAll(filepath.Join(dir, file)); err != nil {
						t.Fatal(err)
					}
				}
				write("true", "")
				switch name {
				case "new":
					if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n"), 0o644); err != nil {
						t.Fatal(err)
					}
				case "status", "answer", "obsolete", "abandon", "rollback", "resume", "amend":
					const more = "echo c > more.txt"
					write(more, "")
					if out, status := do("planlock run plan.toml --answers wait"); status != 5 {
						t.Fatalf("the run that waits ended with status %d\n%s", status, out)
					}
					want = []int{0, 5}
					switch name {
					case "amend": // what is new must be accepted first
						write(more, examplesStep)
						want = []int{4}
					case "resume": // it waits, and is refused an answer then
						want = []int{5, 1}
					}
				case "report", "log", "diff", "verify", "attest", "tree", "learn", "gc", "choices":
					if out, status := do("planlock run plan.toml"); status != 0 {
						t.Fatalf("the run ended with status %d\n%s", status, out)
					}
				}
			}
			for i, line := range lines {
				words := strings.Fields(line)
				if words[0] == "claude" || name == "serve" || name == "worker" || words[len(words)-1] == "source" ||
					strings.Contains(line, "man -l") && !there("man") {
					continue // for another program or shell than this one, or without an end
				}
				if i == 0 || name == "run" || name == "answer" || name == "rollback" {
					prepare()
				}
				line = strings.Replace(line, "--watch", "", 1) // of a run that waits it has no end
				if out, status := do(line); !slices.Contains(want, status) {
					t.Errorf("%s\nends with status %d, want one of %v:\n%s", line, status, want, out)
				}
			}
		})
	}
}

// there reports whether a program is here.
func there(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// examplesOf are the examples that the help of a command gives.
func examplesOf(t *testing.T, name string) (lines []string) {
	t.Helper()
	out, err := exec.Command("planlock", "help", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(out, []byte("examples:\n"))
	for line := range strings.Lines(string(rest)) {
		if !strings.HasPrefix(line, "  ") {
			break
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}
