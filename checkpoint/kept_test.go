package checkpoint_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// keptTree is a tree with everything in it, kept in a store.
func keptTree(t *testing.T) (*checkpoint.Store, *ledger.Tree) {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "closed"), 0o755) })
	for name, text := range map[string]string{"a": "one", "d/b": "two", "d/e/c": "", "d-e/x": "x", "closed/y": "y"} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755),
			os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	must(t, os.Chmod(filepath.Join(dir, "a"), 0o755), os.Symlink("../outside", filepath.Join(dir, "l")),
		os.Mkdir(filepath.Join(dir, "empty"), 0o700), os.Chmod(filepath.Join(dir, "closed"), 0o555))
	store := openStoreIn(t, t.TempDir())
	snap, err := store.Snapshot(t.Context(), dir, scanned(t, dir, ledger.Scope{}), record.Snapshot{})
	must(t, err)
	tree, err := store.Tree(t.Context(), snap)
	must(t, err)
	return store, tree
}

func TestExport(t *testing.T) {
	store, tree := keptTree(t)
	for name, test := range map[string]struct {
		paths []string
		want  string // paths; all if empty
	}{
		"all":                       {nil, ""},
		"all, by a dot":             {[]string{"."}, ""},
		"a file":                    {[]string{"d/b"}, "d d/b"},
		"a folder":                  {[]string{"d/"}, "d d/b d/e d/e/c"},
		"some, one in the other":    {[]string{"./a", "d/e", "d"}, "a d d/b d/e d/e/c"},
		"a link, which is no way":   {[]string{"l"}, "l"},
		"in what cannot be written": {[]string{"closed/y"}, "closed closed/y"},
		"an empty folder":           {[]string{"empty"}, "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			there := filepath.Join(home, "there")
			must(t, os.Mkdir(there, 0o755))
			for _, dir := range []string{there, filepath.Join(home, "new")} {
				t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "closed"), 0o755) })
				must(t, store.Export(t.Context(), dir, tree, test.paths...))
				var paths []string
				is := scanned(t, dir, ledger.Scope{})
				for e := range is.All() {
					paths = append(paths, e.Path)
					if was, ok := tree.Lookup(e.Path); !ok || !e.Same(was) || !e.ModTime.Equal(was.ModTime) && e.Kind != ledger.Link {
						t.Errorf("there is %v, want %v", e, was)
					}
				}
				if got := strings.Join(paths, " "); test.want != "" && got != test.want || test.want == "" && is.Digest() != tree.Digest() {
					t.Errorf("there is %q", got)
				}
			}
		})
	}
}

// TestExportIsRefused sees what is said, and that nothing is written.
func TestExportIsRefused(t *testing.T) {
	store, tree := keptTree(t)
	for name, test := range map[string]struct {
		prepare act
		paths   []string
		is      error
		says    string
	}{
		"a folder with something in it": {func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(dir+"/mine", []byte("mine"), 0o644))
		}, nil, fs.ErrExist, `it holds "mine"`},
		"a file":                     {func(dir string) error { return os.WriteFile(dir, []byte("mine"), 0o644) }, nil, nil, "not a directory"},
		"a link to nothing":          {func(dir string) error { return os.Symlink("nowhere", dir) }, nil, fs.ErrExist, "file exists"},
		"a path that is not there":   {nil, []string{"a", "b/c", "d/f"}, fs.ErrNotExist, "the tree has no \"b/c\": file does not exist\nthe tree has no \"d/f\""},
		"a path that leads out":      {nil, []string{"../a"}, fs.ErrNotExist, `no "../a"`},
		"an absolute path":           {nil, []string{"/a"}, fs.ErrNotExist, `no "/a"`},
		"a folder that is not there": {func(dir string) error { return os.Remove(filepath.Dir(dir)) }, nil, fs.ErrNotExist, "export"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "in", "dir")
			must(t, os.Mkdir(filepath.Dir(dir), 0o755))
			if test.prepare != nil {
				must(t, test.prepare(dir))
			}
			err := store.Export(t.Context(), dir, tree, test.paths...)
			if err == nil || test.is != nil && !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.says) ||
				!strings.Contains(err.Error(), dir) {
				t.Errorf("got %v", err)
			}
			if list, _ := os.ReadDir(dir); len(list) > 1 || len(list) == 1 && list[0].Name() != "mine" {
				t.Errorf("there is %v", list)
			}
			if test.prepare == nil {
				if _, err := os.Lstat(dir); err == nil {
					t.Error("the folder was made")
				}
			}
		})
	}
	t.Run("a content that is gone", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "dir")
		err := openStoreIn(t, t.TempDir()).Export(t.Context(), dir, tree)
		if _, lerr := os.Lstat(dir); !errors.Is(err, checkpoint.ErrNotFound) || lerr == nil {
			t.Errorf("got %v, %v", err, lerr)
		}
	})
}

type act = func(dir string) error

// A rival is a layer of a disk on which somebody else writes to a folder once
// it was listed.
type rival struct {
	do     func()
	listed bool
}

func (*rival) Boot() string { return "" }

func (r *rival) Do(op *disk.Op, run func() error) error {
	if r.listed && r.do != nil {
		r.do()
		r.do = nil
	}
	r.listed = r.listed || op.Kind == disk.ReadDir
	return run()
}

// TestExportWritesNothingOver has somebody else write to the same folder.
func TestExportWritesNothingOver(t *testing.T) {
	store, tree := keptTree(t)
	dir := t.TempDir()
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "closed"), 0o755) })
	theirs := []string{"a", "d/b", "l"}
	err := store.Export(disk.With(t.Context(), disk.New(&rival{do: func() {
		must(t, os.Mkdir(dir+"/d", 0o755))
		for _, path := range theirs {
			must(t, os.WriteFile(filepath.Join(dir, path), []byte("mine"), 0o644))
		}
	}})), dir, tree)
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	for _, path := range theirs {
		if text, rerr := os.ReadFile(filepath.Join(dir, path)); rerr != nil || string(text) != "mine" ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("%s holds %q, %v; %v", path, text, rerr, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "d-e/x")); err != nil || string(text) != "x" {
		t.Errorf("what nobody else wrote is not there: %q, %v", text, err)
	}
}
