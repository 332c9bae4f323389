package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/checkpointtest"
	"github.com/planlock/planlock/checkpoint/sqlite"
)

// open opens the file of a folder until the test ends.
func open(t testing.TB, dir string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, "run #1%20?.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestRules(t *testing.T) {
	t.Run("blobs", func(t *testing.T) {
		dir := t.TempDir()
		checkpointtest.RunBlobs(t, func() (checkpoint.Blobs, error) { return open(t, dir).Blobs(), nil })
	})
	t.Run("runs", func(t *testing.T) {
		checkpointtest.RunRuns(t, func(dir string) (checkpoint.Runs, error) { return open(t, dir).Runs(), nil })
	})
	t.Run("papers", func(t *testing.T) {
		checkpointtest.RunPapers(t, func(dir string) (checkpoint.Papers, error) { return open(t, dir).Papers(), nil })
	})
}
