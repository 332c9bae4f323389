package sqlite_test

import (
	"database/sql"
	"errors"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/checkpointtest"
	"github.com/planlock/planlock/checkpoint/sqlite"
)

const file = "run #1%20?.db"

// open opens the file of a folder until the test ends.
func open(t testing.TB, dir string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(dir, file))
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
	t.Run("collector", func(t *testing.T) {
		checkpointtest.RunCollector(t, func(dir string) (checkpoint.Collector, error) {
			return open(t, dir).Blobs().(checkpoint.Collector), nil
		}, func(dir string, by time.Duration) error {
			db, err := sql.Open("sqlite", "file:"+url.PathEscape(filepath.Join(dir, file))+"?_pragma=busy_timeout(10000)")
			if err != nil {
				return err
			}
			_, err = db.Exec("UPDATE contents SET at = at - ?", int64(by.Seconds()))
			return errors.Join(err, db.Close())
		})
	})
	t.Run("runs", func(t *testing.T) {
		checkpointtest.RunRuns(t, func(dir string) (checkpoint.Runs, error) { return open(t, dir).Runs(), nil })
	})
	t.Run("papers", func(t *testing.T) {
		checkpointtest.RunPapers(t, func(dir string) (checkpoint.Papers, error) { return open(t, dir).Papers(), nil })
	})
}
