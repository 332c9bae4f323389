package postgres

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/checkpointtest"
)

// stores opens a store for each place, which is its workspace.
func stores(t *testing.T) func(place string) (*Store, error) {
	url := database(t)
	return func(place string) (*Store, error) {
		s, err := Open(t.Context(), url, Config{Workspace: place})
		if err == nil {
			t.Cleanup(s.Close)
		}
		return s, err
	}
}

func TestBlobs(t *testing.T) {
	open := stores(t)
	checkpointtest.RunBlobs(t, func() (checkpoint.Blobs, error) {
		s, err := open("")
		if err != nil {
			return nil, err
		}
		return s.Blobs(), nil
	})
}

// TestCollector: a place is a database.
func TestCollector(t *testing.T) {
	urls := map[string]string{}
	checkpointtest.RunCollector(t, func(place string) (checkpoint.Collector, error) {
		if urls[place] == "" {
			urls[place] = database(t)
		}
		s, err := Open(t.Context(), urls[place], Config{})
		if err != nil {
			return nil, err
		}
		t.Cleanup(s.Close)
		return s.blobs, nil
	}, func(place string, by time.Duration) error {
		admin(t, urls[place], "UPDATE planlock.contents SET put = put - $1::interval", by)
		return nil
	})
}

func TestRuns(t *testing.T) {
	open := stores(t)
	checkpointtest.RunRuns(t, func(place string) (checkpoint.Runs, error) {
		s, err := open(place)
		if err != nil {
			return nil, err
		}
		return s.Runs(), nil
	})
}

func TestPapers(t *testing.T) {
	open := stores(t)
	checkpointtest.RunPapers(t, func(place string) (checkpoint.Papers, error) {
		s, err := open(place)
		if err != nil {
			return nil, err
		}
		return s.Papers(), nil
	})
}

// TestWorkspacesShareContentsAlone: what one workspace has, another has not, but
// for contents.
func TestWorkspacesShareContentsAlone(t *testing.T) {
	open, ctx := stores(t), t.Context()
	a, aerr := open("a")
	b, berr := open("b")
	if err := errors.Join(aerr, berr); err != nil {
		t.Fatal(err)
	}
	log, err := a.Runs().Open(ctx, "R1")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if _, err := b.Runs().Read(ctx, "R1"); !errors.Is(err, checkpoint.ErrNotFound) {
		t.Errorf("another workspace reads the log: %v", err)
	}
	other, err := b.Runs().Open(ctx, "R1")
	if err != nil {
		t.Fatalf("another workspace cannot have a run of the same id: %v", err)
	}
	if err := errors.Join(other.Close(), a.Papers().Put(ctx, "p", []byte("a"))); err != nil {
		t.Error(err)
	}
	if _, _, err := b.Papers().Get(ctx, "p"); !errors.Is(err, checkpoint.ErrNotFound) {
		t.Errorf("another workspace reads the paper: %v", err)
	}
	for _, s := range []*Store{a, b} {
		if holder, err := s.Runs().Claim(ctx, "lock", s.workspace, ""); err != nil || holder != s.workspace {
			t.Errorf("claim in %s: %q, %v", s.workspace, holder, err)
		}
	}
}

// TestTablesAreMadeOnce: many open an empty database at a time.
func TestTablesAreMadeOnce(t *testing.T) {
	url := database(t)
	var wait sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wait.Go(func() {
			s, err := Open(context.Background(), url, Config{})
			if errs[i] = err; err == nil {
				s.Close()
			}
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// TestExisting: whoever only looks makes no tables.
func TestExisting(t *testing.T) {
	url := database(t)
	_, err := Open(t.Context(), url, Config{Existing: true})
	if !errors.Is(err, checkpoint.ErrNotFound) {
		t.Errorf("%v is not ErrNotFound", err)
	}
	says(t, err, "has no tables of planlock")
	admin(t, url, "CREATE SCHEMA planlock") // which is not there
	admin(t, url, "DROP SCHEMA planlock")
	opened(t, url)
	s, err := Open(t.Context(), url, Config{Existing: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}

func TestOtherVersionIsRefused(t *testing.T) {
	url := database(t)
	opened(t, url)
	admin(t, url, "UPDATE planlock.version SET version = 3")
	_, err := Open(t.Context(), url, Config{})
	if !errors.Is(err, checkpoint.ErrVersion) {
		t.Errorf("%v is not ErrVersion", err)
	}
	says(t, err, "version 3", "another database")
}
