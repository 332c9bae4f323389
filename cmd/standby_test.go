package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
)

// asking is a plan whose step does more than it declares, of which a person is asked.
const asking = `schema = 1
non_goals = []
[goal]
description = "Write a file"
[[requirements]]
id = "R1"
text = "There is a file"
[[tasks]]
id = 1
description = "Write"
[[tasks.steps]]
id = 1
description = "Write it"
run = "echo a > one.txt; echo b > more.txt"
rollback = "reversible"
on_failure = "ask"
semantic_change = "extending"
requirements = ["R1"]
artifacts = { create = ["one.txt"] }
limits = { max_files = 2, max_lines = 10 }
postconditions = [{ kind = "file_contains", path = "one.txt", text = "a" }]
`

// TestStandsByInAFolderOfItsOwn: a run goes on in a folder that is made anew each
// time, and in none that is somebody else's. Its flags are those that it had.
func TestStandsByInAFolderOfItsOwn(t *testing.T) {
	t.Setenv("PLANLOCK_STATE", t.TempDir())
	kept := &Kept{Runs: &checkpoint.MemoryRuns{}, Blobs: &checkpoint.Memory{}, Papers: &checkpoint.MemoryPapers{},
		Close: func() error { return nil }}
	with := With{Open: func(context.Context, string, string, bool) (*Kept, error) { return kept, nil }}
	at, first, folder := place{storeSchema, "postgres://h/d", ""}, t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(first, "plan.toml"), []byte(asking), 0o644); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	words := []string{"run", "--dir", first, "--store", at.Store, "--answers", "wait", "--jobs", "3", filepath.Join(first, "plan.toml")}
	if status := run(with, words, strings.NewReader(""), io.Discard, &said); status != statusWaiting {
		t.Fatalf("status %d\n%s", status, &said)
	}
	id := regexp.MustCompile(`\b01[0-9A-Z]{24}\b`).FindString(said.String())
	s := &standsBy{with: with, now: time.Now, dir: folder, at: at, kept: kept, log: slog.New(slog.NewTextHandler(&said, nil)),
		flags: []string{"--color=never", "--answers=wait", "--store=" + at.Store}}
	dir := filepath.Join(folder, id)
	stray := filepath.Join(dir, "stray.txt")
	put := func() {
		t.Helper()
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(stray, []byte("mine"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	put()
	if err := s.resume(t.Context(), id); err == nil || !strings.Contains(err.Error(), "is not the workspace of the run") {
		t.Errorf("in a folder of somebody else: %v", err)
	}
	if _, err := os.Stat(stray); err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.resume(t.Context(), id); !errors.Is(err, exec.ErrWaiting) {
			t.Fatalf("%v\n%s", err, &said)
		}
		if _, err := os.Stat(stray); err == nil {
			t.Error("the folder is not made anew")
		}
		put() // as another state of the run would lie there
	}
	r, err := (exec.Workspace{Dir: dir, Runs: kept.Runs, Blobs: kept.Blobs, Papers: kept.Papers}).History(t.Context(), id)
	if err != nil || !gives(r.Policy.Given, "jobs") {
		t.Errorf("it goes on with %v, %v", r.Policy.Given, err)
	}
	s.at.Store = "postgres://h/other"
	if err := s.resume(t.Context(), id); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("in the folder of another store: %v", err)
	}
	if _, err := os.Stat(stray); err != nil {
		t.Error(err)
	}
}

// TestStandByIsRefused: where nobody knows who has a run, and too early.
func TestStandByIsRefused(t *testing.T) {
	with := With{
		Open: func(context.Context, string, string, bool) (*Kept, error) {
			return &Kept{Runs: &checkpoint.MemoryRuns{}, Close: func() error { return nil }}, nil
		},
		Engine: func(context.Context, string, string) (*Engine, error) { return nil, errors.New("no engine") },
	}
	for words, want := range map[string]string{
		"--stand-by x":              "nobody can be asked at",
		"--stand-by x --grace 9s":   "--grace is 10s at least",
		"--executor shell --jobs 1": "or with --stand-by",
	} {
		var said bytes.Buffer
		all := append([]string{"worker", "--store", "sqlite:/runs.db"}, strings.Fields(words)...)
		if status := run(with, all, strings.NewReader(""), io.Discard, &said); status != statusUsage || !strings.Contains(said.String(), want) {
			t.Errorf("planlock worker %s: status %d\n%s", words, status, &said)
		}
	}
}

// TestFencedOwner: whoever comes back to a run with which somebody else went on is
// told so, and not to resume it.
func TestFencedOwner(t *testing.T) {
	run := &history.Run{}
	run.Started.Run = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
	got := message(t.Context(), &placedError{err: fmt.Errorf("it cannot be written: %w", checkpoint.ErrFenced), run: run, dir: "."})
	if !strings.Contains(got, "planlock status "+run.Started.Run) || strings.Contains(got, "resume") {
		t.Error(got)
	}
}
