package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const plan = `schema = 1
non_goals = []
invariants = []
[goal]
description = "Write a file in two steps"
[[requirements]]
id = "R1"
text = "It is written"
[[tasks]]
id = 1
description = "Write"
[[tasks.steps]]
id = 1
description = "Write the first line"
run = "printf 'one\n' > a.txt"
requirements = ["R1"]
rollback = "reversible"
on_failure = "block"
semantic_change = "extending"
artifacts = { create = ["a.txt"] }
limits = { max_files = 1, max_lines = 1 }
postconditions = [{ kind = "file_contains", path = "a.txt", text = "one" }]
[[tasks.steps]]
id = 2
description = "Write the second line"
run = "test -e READY && printf 'two\n' >> a.txt"
requirements = ["R1"]
rollback = "reversible"
on_failure = "ask"
semantic_change = "modifying"
artifacts = { modify = ["a.txt"] }
limits = { max_files = 1, max_lines = 1 }
postconditions = [{ kind = "file_contains", path = "a.txt", text = "two" }]
`

// programs builds planlock and planlock-worker beside each other.
func programs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, of := range map[string]string{"planlock": "github.com/planlock/planlock/cmd/planlock", "planlock-worker": "."} {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, name), of).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return filepath.Join(dir, "planlock")
}

// A shell calls planlock in a folder.
type shell struct {
	t        *testing.T
	planlock string
	env      []string
}

func (s *shell) call(dir string, status int, words ...string) string {
	s.t.Helper()
	c := exec.Command(s.planlock, words...)
	c.Dir, c.Env = dir, append(os.Environ(), s.env...)
	out, _ := c.CombinedOutput()
	if got := c.ProcessState.ExitCode(); got != status {
		s.t.Fatalf("planlock %s ends with status %d, want %d\n%s", strings.Join(words, " "), got, status, out)
	}
	return string(out)
}

var id = regexp.MustCompile(`\b01[0-9A-Z]{24}\b`)

// TestElsewhere begins a run on one machine, which is lost while the run waits for
// an answer; it is answered and finished in an empty folder on another one, which
// knows nothing but the store. The plain command calls this program for that.
func TestElsewhere(t *testing.T) {
	s := &shell{t, programs(t), []string{"PLANLOCK_STATE=" + t.TempDir(), "USER=ana"}}
	store := "sqlite:" + filepath.Join(t.TempDir(), "runs.db")
	ready := filepath.Join(t.TempDir(), "ready")
	first, second := t.TempDir(), filepath.Join(t.TempDir(), "second")
	text := strings.Replace(plan, "READY", ready, 1)
	if err := os.WriteFile(filepath.Join(first, "plan.toml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out := s.call(first, 5, "run", "plan.toml", "--store", store, "--answers", "wait", "--ack", "modifying:1.2")
	run := id.FindString(out)
	for _, words := range [][]string{{"status"}, {"log"}, {"report", "--format", "md"}} {
		if out := s.call(first, 0, words...); !strings.Contains(out, run) && words[0] != "log" {
			t.Errorf("planlock %s does not know run %s:\n%s", words[0], run, out)
		}
	}
	if _, err := os.Stat(filepath.Join(first, ".planlock", "runs", run, "journal")); err == nil {
		t.Error("the journal is in the workspace, too")
	}
	s.call(first, 2, "status", "--store", "sqlite:/else.db") // it keeps its runs at one place
	if err := os.RemoveAll(first); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(ready, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(second, 0o755); err != nil {
		t.Fatal(err)
	}
	out = s.call(second, 0, "status", run, "--store", store)
	question := regexp.MustCompile(`planlock answer \S+ (\S+) (\S+)|planlock answer (\S+) (\S+)`).FindString(out)
	if question == "" {
		t.Fatalf("nothing says how to answer:\n%s", out)
	}
	words := strings.Fields(question)
	s.call(second, 0, "answer", run, words[len(words)-2], "r", "--store", store)
	out = s.call(second, 0, "resume", run, "--store", store)
	if !strings.Contains(out, "was made anew in") || !strings.Contains(out, "ACHIEVED") {
		t.Errorf("resumed:\n%s", out)
	}
	if got, err := os.ReadFile(filepath.Join(second, "a.txt")); string(got) != "one\ntwo\n" {
		t.Errorf("a.txt: %q %v", got, err)
	}
	s.call(second, 0, "verify")
	if out := s.call(second, 2, "run", "plan.toml", "--store", "sqlite://u:secret@x"); strings.Contains(out, "secret") {
		t.Errorf("the password is shown:\n%s", out)
	}
}

// TestUnknownStores: an address that nobody knows is refused by its name.
func TestUnknownStores(t *testing.T) {
	s := &shell{t, programs(t), []string{"PLANLOCK_STATE=" + t.TempDir()}}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plan.toml"), []byte(plan), 0o644); err != nil {
		t.Fatal(err)
	}
	for store, want := range map[string]string{
		"mysql://host/db":           "mysql://host/db",
		"sqlite:/nowhere/at/all.db": "/nowhere/at/all.db",
		"postgres://localhost:1/db": "localhost:1",
		"postgres://a:secret@h/db":  "no password",
		"relative/path":             "is no address of a store",
	} {
		c := exec.Command(s.planlock, "run", "plan.toml", "--store", store)
		c.Dir, c.Env = dir, append(os.Environ(), s.env...)
		out, err := c.CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) || strings.Contains(string(out), "secret") {
			t.Errorf("--store %s: %v, want %q\n%s", store, err, want, out)
		}
		if _, err := os.Stat(filepath.Join(dir, ".planlock", "store")); err == nil {
			t.Errorf("--store %s is remembered", store)
		}
	}
}
