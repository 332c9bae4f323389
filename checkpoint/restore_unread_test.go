package checkpoint_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

func tolerant(t testing.TB, dir string, s scan.Scanner) *ledger.Tree {
	t.Helper()
	s.Tolerant = true
	tree, err := s.Scan(t.Context(), dir, nil)
	must(t, err)
	return tree
}

// Files that no scan reads are replaced and removed, and a snapshot passes them
// by.
func TestRestoreWhatIsTooLarge(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(dir+"/d", 0o755), os.WriteFile(dir+"/a", []byte("a"), 0o644), os.WriteFile(dir+"/d/x", []byte("x"), 0o600),
		os.Mkdir(dir+"/e", 0o755), os.WriteFile(dir+"/e/f", []byte("f"), 0o644))
	store := checkpoint.NewStore(&checkpoint.Memory{})
	before, want := scanned(t, dir, ledger.Scope{}), list(t, dir)
	first, err := store.Snapshot(t.Context(), dir, before, record.Snapshot{})
	must(t, err)
	must(t, os.WriteFile(dir+"/d/new", nil, 0o644), os.RemoveAll(dir+"/e"), os.WriteFile(dir+"/e", nil, 0o644))
	for _, path := range []string{"/a", "/d/new", "/e"} {
		if err := os.Truncate(dir+path, 1<<40); err != nil {
			t.Skip("needs sparse files: ", err)
		}
	}
	have := tolerant(t, dir, scan.Scanner{})
	if diff := cmp.Diff([]string{"a", "d/new", "e"}, have.Unread()); diff != "" {
		t.Fatal(diff)
	}
	kept, err := store.Snapshot(t.Context(), dir, have, first)
	must(t, err)
	if back, err := store.Tree(t.Context(), kept); err != nil || back.Digest() != have.Digest() {
		t.Errorf("the snapshot of a tolerant tree: %v, %v", back, err)
	}
	must(t, store.Restore(t.Context(), dir, before, have))
	if diff := cmp.Diff(want, list(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A FIFO that was replaced by what cannot be read looks the same in a tree, and
// is no success.
func TestRestoreSpecialThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/f", []byte("0123456789"), 0o644))
	want, err := ledger.NewTree([]ledger.Entry{{Path: "f", Kind: ledger.Special, Mode: 0o644}})
	must(t, err)
	have := tolerant(t, dir, scan.Scanner{MaxFile: 5})
	if err := checkpoint.NewStore(&checkpoint.Memory{}).Restore(t.Context(), dir, want, have); err == nil {
		t.Error("no error")
	}
	if _, err := os.Lstat(dir + "/f"); err != nil {
		t.Error("what is there was lost: ", err)
	}
}

// An ordinary user can close files and folders to himself.
func TestRestoreWhatIsClosed(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("nothing is closed to root, nor by modes on Windows")
	}
	scope := ledger.Scope{Ignore: []string{"**/*.o"}}
	dir := t.TempDir()
	t.Cleanup(func() { openUpAll(dir) })
	must(t, os.MkdirAll(dir+"/d/e", 0o755), os.WriteFile(dir+"/a", []byte("a"), 0o644), os.WriteFile(dir+"/b", []byte("b"), 0o644),
		os.WriteFile(dir+"/d/e/x", []byte("x"), 0o600), os.WriteFile(dir+"/d/e/x.o", []byte("ignored"), 0o600))
	store := checkpoint.NewStore(&checkpoint.Memory{})
	before, want := scanned(t, dir, scope), list(t, dir)
	_, err := store.Snapshot(t.Context(), dir, before, record.Snapshot{})
	must(t, err)
	must(t, os.Chmod(dir+"/a", 0), os.WriteFile(dir+"/b", []byte("junk"), 0o644), os.Chmod(dir+"/b", 0),
		os.WriteFile(dir+"/d/e/y", nil, 0), os.Chmod(dir+"/d/e", 0o100), os.Chmod(dir+"/d", 0o600),
		os.MkdirAll(dir+"/n/m", 0o755), os.WriteFile(dir+"/n/m/z", nil, 0o000), os.Chmod(dir+"/n/m", 0), os.Chmod(dir+"/n", 0))
	if _, err := (&scan.Scanner{Scope: scope}).Scan(t.Context(), dir, nil); !errors.Is(err, fs.ErrPermission) {
		t.Fatal("this proves nothing: ", err)
	}
	must(t, store.Restore(t.Context(), dir, before, tolerant(t, dir, scan.Scanner{Scope: scope})))
	if diff := cmp.Diff(want, list(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What stands outside keeps its mode: behind a link that was put there after
// the scan, and under the second name of a file.
func TestRestoreOpensNothingOutside(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs links, and folders with modes")
	}
	outside := filepath.Join(t.TempDir(), "outside")
	must(t, os.Mkdir(outside, 0o700), os.WriteFile(outside+"/f", []byte("0123456789"), 0o400), os.Chmod(outside, 0o500))
	t.Cleanup(func() { openUpAll(outside) })
	want := list(t, filepath.Dir(outside))
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/swapped", []byte("0123456789"), 0o644), os.Link(outside+"/f", dir+"/second"))
	have := tolerant(t, dir, scan.Scanner{MaxFile: 5})
	must(t, os.Remove(dir+"/swapped"), os.Symlink(outside, dir+"/swapped"))
	must(t, checkpoint.NewStore(&checkpoint.Memory{}).Restore(t.Context(), dir, ledger.Empty(), have))
	if diff := cmp.Diff(want, list(t, filepath.Dir(outside))); diff != "" {
		t.Errorf("outside (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{}, list(t, dir)); diff != "" {
		t.Errorf("inside (-want +got):\n%s", diff)
	}
}

func TestSnapshotRefusesWhatIsTooLarge(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/a", []byte("a"), 0o644), os.WriteFile(dir+"/kept", []byte("kept already"), 0o644))
	counted := &counting{}
	first, err := checkpoint.NewStore(counted).Snapshot(t.Context(), dir, scanned(t, dir, ledger.Scope{}),
		record.Snapshot{})
	must(t, err)
	puts := counted.puts
	must(t, os.Rename(dir+"/kept", dir+"/moved"), os.WriteFile(dir+"/b", []byte("b"), 0o644),
		os.WriteFile(dir+"/large", []byte("larger than that"), 0o644), os.WriteFile(dir+"/log", []byte("larger, and tracked"), 0o644))
	store := checkpoint.NewStore(counted)
	store.MaxContent = 10
	tree := scanned(t, dir, ledger.Scope{Track: []string{"log"}})
	var large *checkpoint.TooLargeError
	if _, err := store.Snapshot(t.Context(), dir, tree, first); !errors.As(err, &large) ||
		*large != (checkpoint.TooLargeError{Path: "large", Size: 16}) {
		t.Errorf("error is %v", err)
	}
	if counted.puts != puts {
		t.Errorf("%d contents were kept before it was refused", counted.puts-puts)
	}
	must(t, os.Truncate(dir+"/large", 10))
	_, err = store.Snapshot(t.Context(), dir, scanned(t, dir, ledger.Scope{Track: []string{"log"}}), first)
	must(t, err)
}
