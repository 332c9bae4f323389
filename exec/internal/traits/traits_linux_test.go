package traits_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/planlock/planlock/exec/internal/traits"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

// TestForeign looks at what differs between a copy and what it is a copy of.
func TestForeign(t *testing.T) {
	cases := map[string]struct {
		was, now func(dir string) error
		want     []string
	}{
		"a plain file": {nil, put("f", 0o755), nil},
		"setuid":       {nil, put("f", 0o755|fs.ModeSetuid), []string{`f bears the mode u---------`}},
		"setuid as before": {put("f", 0o755|fs.ModeSetuid), func(dir string) error {
			return errors.Join(os.WriteFile(filepath.Join(dir, "f"), []byte("another"), 0o755),
				os.Chmod(filepath.Join(dir, "f"), 0o755|fs.ModeSetuid))
		}, nil},
		"setgid that a folder passes on": {nil, func(dir string) error {
			return errors.Join(os.Chmod(dir, 0o755|fs.ModeSetgid), os.Mkdir(filepath.Join(dir, "d"), 0o755))
		}, nil},
		"sticky folder": {nil, func(dir string) error {
			return errors.Join(os.Mkdir(filepath.Join(dir, "d"), 0o755), os.Chmod(filepath.Join(dir, "d"), 0o777|fs.ModeSticky))
		}, []string{`d bears the mode t---------`}},
		"an attribute":           {nil, both(put("f", 0o644), attribute("f")), []string{"f bears the attribute user.x"}},
		"an attribute as before": {both(put("f", 0o644), attribute("f")), both(put("f", 0o755), attribute("f")), nil},
		"an attribute of a file that is only read": {nil, both(put("f", 0o444), attribute("f")),
			[]string{"f bears the attribute user.x"}},
		"a link to a file with one": {nil, func(dir string) error {
			return os.Symlink("/etc/passwd", filepath.Join(dir, "l"))
		}, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			was, dir := t.TempDir(), t.TempDir()
			for to, do := range map[string]func(string) error{was: c.was, dir: c.now} {
				if do == nil {
					continue
				}
				if err := do(to); errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.EACCES) {
					t.Skip("nothing keeps attributes here")
				} else if err != nil {
					t.Fatal(err)
				}
			}
			got, err := traits.Foreign(dir, was, ledger.Diff(tree(t, was), tree(t, dir)), nil)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("found %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func put(name string, mode fs.FileMode) func(string) error {
	return func(dir string) error {
		path := filepath.Join(dir, name)
		return errors.Join(os.WriteFile(path, []byte("text"), 0o644), os.Chmod(path, mode))
	}
}

func attribute(name string) func(string) error {
	return func(dir string) error { return syscall.Setxattr(filepath.Join(dir, name), "user.x", []byte("y"), 0) }
}

func both(first, then func(string) error) func(string) error {
	return func(dir string) error { return errors.Join(first(dir), then(dir)) }
}

func tree(t *testing.T, dir string) *ledger.Tree {
	t.Helper()
	scanner := scan.Scanner{}
	tree, err := scanner.Scan(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
