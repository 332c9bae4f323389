package exec_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// A step that failed and moved nothing but a time of modification is undone
// too.
func TestTimesAreRestored(t *testing.T) {
	touch := func(_ context.Context, w exec.Work) (exec.Outcome, error) {
		long := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
		if err := os.Chtimes(filepath.Join(w.Dir, "0.txt"), time.Time{}, long); err != nil {
			return exec.Outcome{}, err
		}
		return exec.Outcome{}, os.ErrInvalid
	}
	bench := exectest.New(t, emptySteps(1), exectest.Files{"0.txt": "text\n"}, exectest.Script{"1.1": touch})
	before, err := os.Stat(filepath.Join(bench.Dir, "0.txt"))
	if err != nil {
		t.Fatal(err)
	}
	bench.Run(t).Want(t, history.NotAchieved)
	after, err := os.Stat(filepath.Join(bench.Dir, "0.txt"))
	if err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("it was %v, and is %v; %v", before.ModTime(), after.ModTime(), err)
	}
}

// TestFurtherNamesStay: what a failed attempt wrote to one name of a file is
// undone, and the file has its other name still.
func TestFurtherNamesStay(t *testing.T) {
	write := func(_ context.Context, w exec.Work) (exec.Outcome, error) {
		if err := os.WriteFile(filepath.Join(w.Dir, "0.txt"), []byte("other\n"), 0o644); err != nil {
			return exec.Outcome{}, err
		}
		return exec.Outcome{}, os.ErrInvalid
	}
	bench := exectest.New(t, emptySteps(1), exectest.Files{"0.txt": "text\n"}, exectest.Script{"1.1": write})
	one, two := filepath.Join(bench.Dir, "0.txt"), filepath.Join(bench.Dir, "two.txt")
	if err := os.Link(one, two); err != nil {
		t.Fatal(err)
	}
	bench.Run(t).Want(t, history.NotAchieved)
	first, err := os.Stat(one)
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.Stat(two)
	if err != nil || !os.SameFile(first, second) {
		t.Errorf("they are two files now; %v", err)
	}
	if text, err := os.ReadFile(two); err != nil || string(text) != "text\n" {
		t.Errorf("it holds %q; %v", text, err)
	}
}
