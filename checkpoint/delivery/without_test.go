package delivery_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/planlock/planlock/checkpoint/delivery"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// A remote is a network file system: it cannot exchange, and says of two names
// of a file that they are two files.
type remote struct {
	linked func(path string) error // what somebody does when a file has got a second name
}

func (*remote) Boot() string { return "" }

func (r *remote) Do(op *disk.Op, run func() error) error {
	switch op.Kind {
	case disk.Exchange, disk.RenameNew, disk.SyncAll:
		return &os.LinkError{Op: string(op.Kind), Old: op.Path, New: op.To,
			Err: errors.Join(errors.ErrUnsupported, syscall.EINVAL)}
	case disk.Link:
		if _, err := os.Lstat(op.To); err == nil {
			return &os.LinkError{Op: "link", Old: op.Path, New: op.To, Err: fs.ErrExist}
		}
		info, err := os.Lstat(op.Path)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(op.Path)
		err = errors.Join(err, os.WriteFile(op.To, content, 0o600), os.Chmod(op.To, info.Mode()),
			os.Chtimes(op.To, info.ModTime(), info.ModTime()))
		if err == nil && r.linked != nil {
			err = r.linked(op.Path)
		}
		return err
	}
	return run()
}

// TestNamesThatAreNoOneFile delivers to a network file system that does not say
// which names are one file's: nobody did anything there, so nothing is a
// conflict, and who did is found.
func TestNamesThatAreNoOneFile(t *testing.T) {
	before, after := lay(t, "a f644 one\n b f644 one\n c f644 one"), lay(t, "a f644 two\n c f755 one\n n f644 new")
	changes := ledger.Diff(scanned(t, before), scanned(t, after))
	saves := func(path string) error { // another file of the same size
		if filepath.Base(path) != "a" {
			return nil
		}
		return errors.Join(os.WriteFile(path+"~", []byte("six"), 0o644), os.Rename(path+"~", path))
	}
	for name, test := range map[string]struct {
		linked func(path string) error
		want   string // conflicts
		a      string
	}{"nobody else": {nil, "", "two"}, "somebody saves": {saves, "a=file", "six"}} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t, before)
			ctx := disk.With(t.Context(), disk.New(&remote{linked: test.linked}))
			conflicts, err := deliver(ctx, dir, "d", changes, from(after))
			must(t, err)
			if got := said(conflicts); got != test.want {
				t.Errorf("conflicts are %q, want %q", got, test.want)
			}
			if text, err := os.ReadFile(filepath.Join(dir, "a")); err != nil || string(text) != test.a {
				t.Errorf("a holds %q, %v, want %q", text, err, test.a)
			}
			if diff := ledger.Diff(scanned(t, after), scanned(t, dir)); test.want == "" && len(diff) > 0 {
				t.Errorf("it is not what was delivered: %v", diff)
			}
		})
	}
}

// TestCannotExchange asks whether files can be exchanged; nothing is left of it.
func TestCannotExchange(t *testing.T) {
	dir := t.TempDir()
	for layer, want := range map[disk.Layer]bool{&remote{}: true, &machine{next: &remote{}, dir: dir, cannot: old}: false,
		&machine{next: plain{}, dir: dir, cannot: able}: false} {
		for range 2 {
			place, err := delivery.Open(disk.With(t.Context(), disk.New(layer)), dir)
			must(t, err)
			cannot, err := place.CannotExchange()
			must(t, errors.Join(err, place.Close()))
			if cannot != want {
				t.Errorf("%T: %v, want %v", layer, cannot, want)
			}
			if list, err := os.ReadDir(filepath.Join(dir, ".planlock", "stage")); err != nil || len(list) > 0 {
				t.Errorf("left are %v, %v", list, err)
			}
		}
	}
}

// plain is the system itself.
type plain struct{}

func (plain) Boot() string { return "" }

func (plain) Do(_ *disk.Op, run func() error) error { return run() }
