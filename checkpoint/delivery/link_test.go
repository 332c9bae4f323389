package delivery_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/planlock/planlock/checkpoint/delivery"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// TestNothingLeadsOut has somebody put a link to a folder outside in place of
// the workspace, of folders in it, and of planlock's own, before each operation
// of a delivery. The folder outside holds what the workspace does, and nothing
// is changed in it.
func TestNothingLeadsOut(t *testing.T) {
	every := 37
	if whole {
		every = 1
	}
	for name, test := range map[string]struct {
		path   string
		cannot func(*machine, *disk.Op) error
	}{
		"the workspace":                {"", able},
		"a folder":                     {"d", able},
		"a folder in a folder":         {"d/e", able},
		"a new folder":                 {"n", able},
		"the folder of planlock":       {".planlock", able},
		"the stage":                    {".planlock/stage", able},
		"the trash":                    {".planlock/trash", able},
		"what is staged":               {".planlock/stage/d", able},
		"the workspace, old machine":   {"", old},
		"a folder, old machine":        {"d", old},
		"an inner folder, old machine": {"d/e", old},
		"what is staged, old machine":  {".planlock/stage/d", old},
		"a folder of another device":   {"d", apart},
		"an inner one, another device": {"d/e", apart},
		"what is staged, apart":        {".planlock/stage/d", apart},
	} {
		t.Run(name, func(t *testing.T) {
			const old = "d/m f644 one\n d/g f644 one\n d/e/m f644 one\n d/e/g f644 one\n stage/x f644\n trash/x f644"
			before := lay(t, old)
			after := lay(t, "d/m f644 two\n d/n f644 new\n d/e/m f644 two\n d/e/n f644 new\n n/x f644 new\n stage/x f644\n trash/x f644")
			changes := ledger.Diff(scanned(t, before), scanned(t, after))
			home := fast(t)
			for at := 2; ; at += every { // the first one opens the workspace, which may be a link
				dir, outside := filepath.Join(home, "ws"), filepath.Join(home, "outside")
				for _, d := range []string{dir, outside} {
					must(t, os.Mkdir(d, 0o755))
					add(t, d, old)
				}
				was := scanned(t, outside)
				m := &moment{at: at, do: func() {
					place, target := filepath.Join(dir, test.path), filepath.Join(outside, test.path)
					if _, err := os.Stat(target); err != nil {
						target = outside
					}
					if os.Rename(place, filepath.Join(home, "moved")) == nil {
						must(t, os.Symlink(target, place))
					}
				}}
				world := &machine{next: m, dir: dir, cannot: test.cannot}
				_, err := deliver(disk.With(t.Context(), disk.New(world)), dir, "d", changes, from(after))
				for _, c := range ledger.Diff(was, scanned(t, outside)) {
					t.Errorf("before operation %d (%s): outside, %s is %v, it was %v; %v", at, m.what, c.Path, c.After, c.Before, err)
				}
				must(t, os.RemoveAll(dir), os.RemoveAll(outside), os.RemoveAll(filepath.Join(home, "moved")))
				if m.n < at {
					break
				}
			}
		})
	}
}

// TestMovedWorkspace puts another folder, or a link, in place of a workspace
// that is open.
func TestMovedWorkspace(t *testing.T) {
	for name, put := range map[string]act{
		"nothing":        func(string) error { return nil },
		"another folder": func(dir string) error { return os.Mkdir(dir, 0o755) },
		"a link to it":   nil, // which is the same folder
		"a link out":     func(dir string) error { return os.Symlink(filepath.Dir(dir), dir) },
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			dir, moved := filepath.Join(home, "ws"), filepath.Join(home, "moved")
			must(t, os.Mkdir(dir, 0o755))
			after := lay(t, "a f644 one")
			changes := ledger.Diff(ledger.Empty(), scanned(t, after))
			place, err := delivery.Open(t.Context(), dir)
			must(t, err)
			defer place.Close()
			d, err := place.Stage(t.Context(), "d", changes, from(after))
			must(t, err, os.Rename(dir, moved))
			if put == nil {
				must(t, os.Symlink(moved, dir))
				conflicts, err := d.Finish(t.Context())
				if must(t, err); len(conflicts) > 0 || contents(moved)["a"] != "one" {
					t.Errorf("conflicts %v, there is %q", conflicts, contents(moved))
				}
				return
			}
			must(t, put(dir))
			_, finish := d.Finish(t.Context())
			_, stage := place.Stage(t.Context(), "e", changes, from(after))
			_, look := place.Conflicts(t.Context(), changes)
			_, find := place.Findings(t.Context())
			for _, err := range []error{finish, stage, look, find} {
				var gone *delivery.MovedError
				if !errors.As(err, &gone) || gone.Dir != dir || (gone.Err == nil) == (name == "nothing") {
					t.Errorf("got %v", err)
				}
			}
			if _, ok := contents(moved)["a"]; ok {
				t.Error("it was delivered")
			}
		})
	}
}
