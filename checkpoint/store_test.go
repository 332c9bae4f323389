package checkpoint

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/planlock/planlock/ledger"
)

func TestSmoke(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	os.MkdirAll(filepath.Join(dir, "a/b"), 0o755)
	os.WriteFile(filepath.Join(dir, "a/b/f"), []byte("hello"), 0o644)
	os.Symlink("b", filepath.Join(dir, "a/l"))
	scan := func() *ledger.Tree {
		tr, err := (&ledger.Scanner{}).Scan(ctx, dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	f, err := OpenFolder(filepath.Join(t.TempDir(), "x/objects"))
	if err != nil {
		t.Fatal(err)
	}
	s := NewStore(f)
	t0 := scan()
	snap, err := s.Snapshot(ctx, dir, t0, Snapshot{})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.Snapshot(ctx, dir, t0, snap); err != nil || again != snap {
		t.Fatal(again, err)
	}
	os.RemoveAll(filepath.Join(dir, "a/b"))
	os.WriteFile(filepath.Join(dir, "a/b"), []byte("file"), 0o644)
	os.Mkdir(filepath.Join(dir, "n"), 0o500)
	t1 := scan()
	snap1, err := s.Snapshot(ctx, dir, t1, snap)
	if err != nil {
		t.Fatal(err)
	}
	want, err := s.Tree(ctx, snap)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Restore(ctx, dir, want, t1); err != nil {
		t.Fatal(err)
	}
	if got := scan(); got.Digest() != snap.Tree {
		t.Fatal("not restored")
	}
	want1, err := NewStore(f).Tree(ctx, snap1)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Restore(ctx, dir, want1, scan()); err != nil {
		t.Fatal(err)
	}
	if got := scan(); got.Digest() != snap1.Tree {
		t.Fatal("not restored")
	}
	log, err := OpenFileLog(filepath.Join(t.TempDir(), "r/journal"))
	if err != nil {
		t.Fatal(err)
	}
	j, err := OpenJournal(ctx, log, "r", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Append(ctx, Fact{Type: "a"}, Fact{Type: "b", Data: []byte(`{"x": 1}`)}); err != nil {
		t.Fatal(err)
	}
	n := 0
	for r, err := range j.Records(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		t.Log(r)
		n++
	}
	if n != 2 {
		t.Fatal(n)
	}
	release, err := Hold(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Hold(ctx, dir); err == nil {
		t.Fatal("held twice")
	} else {
		t.Log(err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
}
