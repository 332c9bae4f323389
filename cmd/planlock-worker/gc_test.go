package main

import (
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/internal/pgserver"
)

// A workplace is a workspace whose plan is carried out at once.
type workplace struct {
	*shell
	dir, store string
}

// place makes a workspace with a content that no other one has.
func (s *shell) place(store string, more ...string) *workplace {
	s.t.Helper()
	w := &workplace{s, s.t.TempDir(), store}
	w.write("kept.txt", "only in "+w.dir)
	w.write("ready", "")
	w.write("plan.toml", strings.Replace(plan, "READY", filepath.Join(w.dir, "ready"), 1))
	w.run(more...)
	return w
}

func (w *workplace) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// run carries the plan out and returns the id of the run.
func (w *workplace) run(more ...string) string {
	w.t.Helper()
	_ = os.Remove(filepath.Join(w.dir, "a.txt")) // of a run before
	out := w.call(w.dir, 0, append([]string{"run", "plan.toml", "--store", w.store, "--ack", "modifying:1.2"}, more...)...)
	return id.FindString(out)
}

// says calls gc and compares what it says.
func (w *workplace) says(status int, want string, words ...string) {
	w.t.Helper()
	out := w.call(w.dir, status, append([]string{"gc"}, words...)...)
	if !regexp.MustCompile(`(?s)^` + want + `$`).MatchString(out) {
		w.t.Errorf("planlock gc %s says\n%s\nwant\n%s", strings.Join(words, " "), out, want)
	}
}

// TestCollect frees what a run needed that somebody removed from the store, once
// nobody used it for a week, and nothing else.
func TestCollect(t *testing.T) {
	s := &shell{t, programs(t), []string{"PLANLOCK_STATE=" + t.TempDir(), "USER=ana"}}
	file := filepath.Join(t.TempDir(), "runs.db")
	w := s.place("sqlite:" + file)
	do := func(what string, args ...any) {
		t.Helper()
		db, err := sql.Open("sqlite", file)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec(what, args...); err != nil {
			t.Fatal(err)
		}
	}
	first := id.FindString(s.call(w.dir, 0, "status"))
	w.says(0, `Freed 0 bytes: there is no content that no run in the store needs and nobody used for 7 days\.\n`+
		`(\d+ younger contents? that no run needs stays?: a run may be about to need (it|them)\.\n)?`+
		`[1-9]\d* contents stay, because 1 run in 1 workspace needs them\.\n`)
	w.write("kept.txt", "something else")
	second := w.run()
	if first == second || first == "" {
		t.Fatalf("the runs are %q and %q", first, second)
	}
	for _, log := range []string{first, first + ".after"} { // as docs/stores.md has it
		do("DELETE FROM records WHERE log = (SELECT id FROM logs WHERE name = ?)", log)
		do("DELETE FROM logs WHERE name = ?", log)
	}
	w.says(0, `Freed 0 bytes: .*[1-9]\d* younger contents? that no run needs stays?.*because 1 run in 1 workspace needs them\.\n`)
	do("UPDATE contents SET at = at - ?", int64((8 * 24 * time.Hour).Seconds()))
	w.says(0, `Would free [1-9]\d* bytes: [1-9]\d* contents? of files and folders that no run in the store needs, and that nobody used for 7 days\.\n`+
		`\d+ contents stay, because 1 run in 1 workspace needs them\.\n`, "--dry-run")
	w.says(0, `Freed 0 bytes: .*nobody used for 30 days.*`, "--grace", "720h")
	w.says(2, `.*--grace must be at least 24 hours.*`, "--grace", "1h")
	// What cannot be read is needed by nobody knows what.
	do("UPDATE records SET n = -n WHERE n = 2")
	w.says(4, `.*run `+second+`: .*nothing was removed.*`)
	do("UPDATE records SET n = -n WHERE n = -2")
	w.says(0, `Freed [1-9]\d* bytes: .*The store uses the room for what it keeps next\.\n`)
	w.says(0, `Freed 0 bytes: [^\n]*\n\d+ contents stay[^\n]*\n`)
	s.call(w.dir, 0, "verify")
	s.call(w.dir, 0, "rollback", second, "1.1")
	if text, err := os.ReadFile(filepath.Join(w.dir, "kept.txt")); string(text) != "something else" {
		t.Errorf("kept.txt: %q, %v", text, err)
	}
	// In the workspace itself nothing of that is known.
	other := t.TempDir()
	if out := s.call(other, 2, "gc", "--grace", "48h"); !strings.Contains(out, "kept elsewhere") {
		t.Errorf("gc --grace in a workspace:\n%s", out)
	}
}

// TestCollectWorkspaces: contents of all workspaces of a database are needed.
func TestCollectWorkspaces(t *testing.T) {
	server, err := pgserver.New("fsync=off")
	if err != nil {
		t.Skip("no PostgreSQL:", err)
	}
	defer server.Remove()
	s := &shell{t, programs(t), []string{"PLANLOCK_STATE=" + t.TempDir(), "USER=ana"}}
	at := "postgres://postgres@/postgres?host=" + server.Dir + "&workspace="
	s.place(at + "a")
	b := s.place(at + "b")
	b.says(0, `Freed 0 bytes: .*because 2 runs in 2 workspaces need them\.\n`)
}

// TestCollectBucket: contents in a bucket are freed by the journals of the store
// beside it, and not while another store's refer to them.
func TestCollectBucket(t *testing.T) {
	s := &shell{t, programs(t), []string{"PLANLOCK_STATE=" + t.TempDir(), "USER=ana"}}
	file, bucket := filepath.Join(t.TempDir(), "runs.db"), t.TempDir()
	blobs := "file://" + bucket + "?no_tmp_dir=1"
	age := func() {
		t.Helper()
		if err := filepath.WalkDir(bucket, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			then := time.Now().Add(-8 * 24 * time.Hour)
			return os.Chtimes(name, then, then)
		}); err != nil {
			t.Fatal(err)
		}
	}
	w := s.place("sqlite:"+file, "--blobs", blobs)
	first := id.FindString(s.call(w.dir, 0, "status"))
	w.write("kept.txt", "something else")
	second := w.run("--blobs", blobs)
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	for _, log := range []string{first, first + ".after"} {
		for _, what := range []string{"DELETE FROM records WHERE log = (SELECT id FROM logs WHERE name = ?)", "DELETE FROM logs WHERE name = ?"} {
			if _, err := db.Exec(what, log); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	w.says(0, `Freed 0 bytes: .*[1-9]\d* younger contents? that no run needs stays?.*because 1 run in 1 workspace needs them\.\n`)
	age()
	w.says(0, `Would free [1-9]\d* bytes: [1-9]\d* contents? of files.*because 1 run in 1 workspace needs them\.\n`, "--dry-run")
	w.says(0, `Freed [1-9]\d* bytes: [1-9]\d* contents? of files.*because 1 run in 1 workspace needs them\.\n.*`)
	s.call(w.dir, 0, "verify")
	s.call(w.dir, 0, "rollback", second, "1.1")
	if text, err := os.ReadFile(filepath.Join(w.dir, "kept.txt")); string(text) != "something else" {
		t.Errorf("kept.txt: %q, %v", text, err)
	}
	other := s.place("sqlite:"+filepath.Join(t.TempDir(), "runs.db"), "--blobs", blobs)
	age()
	for _, w := range []*workplace{w, other} {
		w.says(4, `.*refused: gc frees nothing: .*journals that are kept elsewhere refer to them, as the object "journals/[A-Z2-7]{26}" says.*`)
	}
	s.call(other.dir, 0, "verify")
	s.call(w.dir, 0, "verify")
}
