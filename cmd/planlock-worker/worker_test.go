package main

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/planlock/planlock/internal/pgserver"
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
	// A folder that is somebody else's is left alone.
	strange := t.TempDir()
	if err := os.WriteFile(filepath.Join(strange, "keep.txt"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, words := range [][]string{{"resume", run}, {"rollback", run, "1.1"}, {"abandon", run, "--reason", "none"}} {
		if out := s.call(strange, 4, append(words, "--store", store)...); !strings.Contains(out, "is not the workspace of the run") {
			t.Errorf("planlock %s elsewhere:\n%s", words[0], out)
		}
	}
	if text, err := os.ReadFile(filepath.Join(strange, "keep.txt")); string(text) != "mine" {
		t.Errorf("keep.txt: %q %v", text, err)
	}
	out = s.call(second, 0, "resume", run, "--store", store)
	if !strings.Contains(out, "was made anew in") || !strings.Contains(out, "ACHIEVED") {
		t.Errorf("resumed:\n%s", out)
	}
	if got, err := os.ReadFile(filepath.Join(second, "a.txt")); string(got) != "one\ntwo\n" {
		t.Errorf("a.txt: %q %v", got, err)
	}
	s.call(second, 0, "verify")
	if out := s.call(second, 4, "verify", "--contents"); !strings.Contains(out, "kept elsewhere") {
		t.Errorf("verify --contents:\n%s", out)
	}
	if out := s.call(second, 2, "run", "plan.toml", "--store", "sqlite://u:secret@x"); strings.Contains(out, "secret") {
		t.Errorf("the password is shown:\n%s", out)
	}
}

// TestNobodyNamedIt: a workspace that comes with the address of a store has nobody
// ask there before a person has named it.
func TestNobodyNamedIt(t *testing.T) {
	s := &shell{t, programs(t), []string{"PLANLOCK_STATE=" + t.TempDir(), "USER=ana", "PGPASSWORD=secret"}}
	dir, made := t.TempDir(), filepath.Join(t.TempDir(), "made.db")
	own := filepath.Join(dir, ".planlock")
	if err := os.MkdirAll(own, 0o755); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`{"schema":"planlock.store/1","store":"sqlite:` + made + `"}`:                       "nobody has named that here",
		`{"schema":"planlock.store/1","store":"postgres://u:secret@localhost/x"}`:           "no password",
		`{"schema":"planlock.store/1","store":"postgres://localhost/x?sslpassword=secret"}`: "no password",
		`{"schema":"planlock.store/2","store":"x"}`:                                         "its schema is",
		`garbage`: "does not say where",
	} {
		if err := os.WriteFile(filepath.Join(own, "store"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, words := range []string{"status", "log", "gc", "learn"} {
			c := exec.Command(s.planlock, words)
			c.Dir, c.Env = dir, append(os.Environ(), s.env...)
			out, err := c.CombinedOutput()
			if err == nil || !strings.Contains(string(out), want) || strings.Contains(string(out), "secret") {
				t.Errorf("planlock %s with %s: %v, want %q\n%s", words, text, err, want, out)
			}
		}
	}
	if _, err := os.Stat(made); err == nil {
		t.Error("the store was made")
	}
	if err := os.Remove(filepath.Join(own, "store")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(own, "store")); err != nil {
		t.Fatal(err)
	}
	if out := s.call(dir, 6, "status"); !strings.Contains(out, "it is no small file") {
		t.Errorf("a link:\n%s", out)
	}
}

// TestRefusedPlans: a plan that is refused has its workspace remember nothing.
func TestRefusedPlans(t *testing.T) {
	s := &shell{t, programs(t), []string{"PLANLOCK_STATE=" + t.TempDir(), "USER=ana"}}
	dir, store := t.TempDir(), "sqlite:"+filepath.Join(t.TempDir(), "runs.db")
	if err := os.WriteFile(filepath.Join(dir, "plan.toml"), []byte("schema = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.call(dir, 4, "run", "plan.toml", "--store", store)
	if _, err := os.Stat(filepath.Join(dir, ".planlock", "store")); err == nil {
		t.Error("the store is remembered")
	}
}

// TestRepositoryElsewhere: a run that began in a repository goes on in an empty
// folder once that has a clone; the folder that it left has older views.
func TestRepositoryElsewhere(t *testing.T) {
	s := &shell{t, programs(t), []string{"PLANLOCK_STATE=" + t.TempDir(), "USER=ana"}}
	store, ready := "sqlite:"+filepath.Join(t.TempDir(), "runs.db"), filepath.Join(t.TempDir(), "ready")
	first, second := t.TempDir(), t.TempDir()
	sh := func(dir, text string) {
		t.Helper()
		c := exec.Command("sh", "-ec", text)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", text, err, out)
		}
	}
	text := strings.Replace(plan, "READY", ready, 1)
	if err := os.WriteFile(filepath.Join(first, "plan.toml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	sh(first, "git init -q; git add -A; git -c user.name=ana -c user.email=ana@example.org commit -qm Plan")
	out := s.call(first, 5, "run", "plan.toml", "--store", store, "--answers", "wait", "--ack", "modifying:1.2")
	run := id.FindString(out)
	sh(first, "touch "+ready)
	s.call(second, 0, "answer", run, "q1", "r", "--store", store)
	if out := s.call(second, 4, "resume", run, "--store", store); !strings.Contains(out, "the repository moved") {
		t.Errorf("without a repository:\n%s", out)
	}
	sh(second, "git clone -q --no-checkout "+first+" clone && mv clone/.git . && rmdir clone && git reset --quiet")
	if out := s.call(second, 0, "resume", run); !strings.Contains(out, "ACHIEVED") {
		t.Errorf("with a clone:\n%s", out)
	}
	s.call(second, 0, "verify")
	if out := s.call(first, 4, "verify"); !strings.Contains(out, "before the run went on elsewhere") {
		t.Errorf("where it began:\n%s", out)
	}
}

// TestStoreNotThere: only what may begin a run makes a store; whatever asks for one that is not
// there is refused by its name.
func TestStoreNotThere(t *testing.T) {
	s := &shell{t, programs(t), []string{"PLANLOCK_STATE=" + t.TempDir(), "USER=ana"}}
	run := "01" + strings.Repeat("0", 24)
	for _, words := range [][]string{{"status"}, {"log"}, {"report"}, {"verify"}, {"gc"}, {"resume", run}, {"answer", run, "q1", "r"},
		{"abandon", run, "--reason", "none"}} {
		dir, file := t.TempDir(), filepath.Join(t.TempDir(), "typo.db")
		out := s.call(dir, 6, append(words, "--store", "sqlite:"+file)...)
		if !strings.Contains(out, file) || !strings.Contains(out, "is not there") {
			t.Errorf("planlock %s:\n%s", words[0], out)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("planlock %s made the store", words[0])
		}
		if _, err := os.Stat(filepath.Join(dir, ".planlock", "store")); err == nil {
			t.Errorf("planlock %s has the workspace remember it", words[0])
		}
	}
	file := filepath.Join(t.TempDir(), "new.db")
	s.call(t.TempDir(), 0, "mcp", "--store", "sqlite:"+file) // an agent may begin a run
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

// TestDatabaseWithoutTables: only what may begin a run makes tables in a database.
func TestDatabaseWithoutTables(t *testing.T) {
	server, err := pgserver.New("fsync=off")
	if err != nil {
		t.Skip("no PostgreSQL:", err)
	}
	defer server.Remove()
	s := &shell{t, programs(t), []string{"PLANLOCK_STATE=" + t.TempDir(), "USER=ana"}}
	store, run := "postgres://postgres@/postgres?host="+server.Dir, "01"+strings.Repeat("0", 24)
	for range 2 { // the second time it would find what the first one made
		for _, words := range [][]string{{"status"}, {"log"}, {"report"}, {"verify"}, {"gc"}, {"resume", run}, {"answer", run, "q1", "r"},
			{"abandon", run, "--reason", "none"}} {
			dir := t.TempDir()
			out := s.call(dir, 6, append(words, "--store", store)...)
			if !strings.Contains(out, `database "postgres"`) || !strings.Contains(out, "has no tables of planlock") {
				t.Errorf("planlock %s:\n%s", words[0], out)
			}
			if _, err := os.Stat(filepath.Join(dir, ".planlock", "store")); err == nil {
				t.Errorf("planlock %s has the workspace remember it", words[0])
			}
		}
	}
	s.call(t.TempDir(), 0, "mcp", "--store", store) // an agent may begin a run
	if out := s.call(t.TempDir(), 6, "status", "--store", store); !strings.Contains(out, "no plan has been run") {
		t.Errorf("with tables:\n%s", out)
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
		"relative/path":             "no address of a store",
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

// TestFilesThatAreNone: a file that is no database, another program's, of a later
// version or damaged is refused by its name, whatever is asked; nothing of it is
// changed, and no workspace remembers it.
func TestFilesThatAreNone(t *testing.T) {
	s := &shell{t, programs(t), []string{"PLANLOCK_STATE=" + t.TempDir(), "USER=ana"}}
	for what, c := range map[string]struct{ made, says string }{
		"text":    {"", "it is no database of SQLite"},
		"theirs":  {"CREATE TABLE t (x)", "it is a database of another program"},
		"later":   {"PRAGMA application_id = 0x706c6b64; PRAGMA user_version = 7", "it is 7, and this one knows 2"},
		"earlier": {"PRAGMA application_id = 0x706c6b64; PRAGMA user_version = 1", "it is 1, and this one knows 2"},
	} {
		file := filepath.Join(t.TempDir(), what+".db")
		if c.made == "" {
			if err := os.WriteFile(file, []byte(strings.Repeat("no database\n", 1000)), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if db, err := sql.Open("sqlite", file); err != nil {
			t.Fatal(err)
		} else if _, err := db.Exec(c.made); err != nil || db.Close() != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, words := range [][]string{{"run", "plan.toml", "--ack", "modifying:1.2"}, {"status"}, {"gc"}, {"verify"}} {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "plan.toml"), []byte(plan), 0o644); err != nil {
				t.Fatal(err)
			}
			out := s.call(dir, 6, append(words, "--store", "sqlite:"+file)...)
			if !strings.Contains(out, file) || !strings.Contains(out, c.says) {
				t.Errorf("planlock %s with %s:\n%s", words[0], what, out)
			}
			left, err := filepath.Glob(filepath.Join(dir, "*", "*"))
			if len(left) > 0 || err != nil {
				t.Errorf("planlock %s with %s leaves %q, %v", words[0], what, left, err)
			}
		}
		if after, err := os.ReadFile(file); string(after) != string(before) || err != nil {
			t.Errorf("%s was changed, %v", what, err)
		}
		if beside, _ := filepath.Glob(file + "?*"); len(beside) > 0 {
			t.Errorf("beside %s lies %q", what, beside)
		}
	}
}
