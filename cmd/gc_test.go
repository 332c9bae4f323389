package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/folder"
	"github.com/planlock/planlock/exec"
)

// What gc says is English with none, one and two of everything.
func TestCollectedText(t *testing.T) {
	for name, c := range map[string]struct {
		n      int
		dryRun bool
		want   string
	}{
		"none": {0, false, "Freed 0 bytes: there is no content that no run here needs.\nNothing else is kept.\n"},
		"one": {1, true, "Would free 1 byte: 1 content of files and folders that no run here needs any more.\n" +
			"Contents lie in packs, the files in .planlock/objects/packs: 1 pack would be removed, 1 pack would be written anew with what is needed.\n" +
			"1 content stays, because 1 run needs it.\n" +
			"1 pack left as it is, because of damage: planlock verify --contents says more.\n" +
			"1 pack left as it is, because another program writes it.\n"},
		"two": {2, false, "Freed 2 bytes: 2 contents of files and folders that no run here needs any more.\n" +
			"Contents lie in packs, the files in .planlock/objects/packs: 2 packs were removed, 2 packs were written anew with what is needed.\n" +
			"2 contents stay, because 2 runs need them.\n" +
			"2 packs left as they are, because of damage: planlock verify --contents says more.\n" +
			"2 packs left as they are, because another program writes them.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := collected(folder.Collected{Removed: c.n, Rewritten: c.n, Busy: c.n, Damaged: c.n,
				Contents: c.n, Bytes: int64(c.n), Kept: c.n}, c.n, c.dryRun)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The same for a store that is shared.
func TestCollectedSharedText(t *testing.T) {
	for name, c := range map[string]struct {
		n      int
		grace  time.Duration
		dryRun bool
		want   string
	}{
		"none": {0, 24 * time.Hour, false, "Freed 0 bytes: there is no content that no run in the store needs and nobody used for 24 hours.\n"},
		"one": {1, 36 * time.Hour, true, "Would free 1 byte: 1 content of files and folders that no run in the store needs, and that nobody used for 36 hours.\n" +
			"1 younger content that no run needs stays: a run may be about to need it.\n" +
			"1 content stays, because 1 run in 1 workspace needs it.\n"},
		"two": {2, week, false, "Freed 2 bytes: 2 contents of files and folders that no run in the store needs, and that nobody used for 7 days.\n" +
			"2 younger contents that no run needs stay: a run may be about to need them.\n" +
			"2 contents stay, because 2 runs in 2 workspaces need them.\n" +
			"The store uses the room for what it keeps next.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := collectedShared(exec.Collected{Collected: checkpoint.Collected{Contents: c.n, Bytes: int64(c.n), Young: c.n, Kept: c.n},
				Runs: c.n, Workspaces: c.n}, c.grace, c.dryRun)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// In a bucket what was kept twice is freed though no content goes.
func TestCollectedTwiceText(t *testing.T) {
	got := collectedShared(exec.Collected{Collected: checkpoint.Collected{Bytes: 7}}, week, false)
	want := "Freed 7 bytes: what lay there twice; there is no content that no run in the store needs and nobody used for 7 days.\n"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The hint of a full disk names gc where that frees something of it.
func TestFullDiskHint(t *testing.T) {
	here := error(syscall.ENOSPC)
	there := fmt.Errorf("append: %w", &checkpoint.FullError{Err: here})
	for name, c := range map[string]struct {
		store, blobs string
		err          error
		want         string // behind "make room on the disk"
	}{
		"in the workspace":    {"", "", here, " (planlock gc --dir DIR frees what no run needs)"},
		"beside a store":      {"sqlite:/x.db", "", here, ""},
		"of a store":          {"sqlite:/x.db", "", there, " of the store that keeps the runs (once there is a little, planlock gc --dir DIR frees in the store what no run needs)"},
		"of journals, bucket": {"postgres://db/x", "s3://bucket", there, " of the store that keeps the runs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if c.store != "" {
				if err := remember("DIR", place{storeSchema, c.store, c.blobs}); err != nil {
					t.Fatal(err)
				}
			} else if err := os.MkdirAll(filepath.Join("DIR", exec.Own), 0o755); err != nil {
				t.Fatal(err)
			}
			if got := hint(c.err, placedError{dir: "DIR"}); got != "make room on the disk"+c.want {
				t.Errorf("%q", got)
			}
		})
	}
}
