package nethttp

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// workspace makes a workspace for a test, or skips it where this machine cannot
// have one.
func workspace(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell:", err)
	}
	dir, err := Prepare(t.TempDir(), "fixtures")
	if errors.Is(err, ErrNoSources) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// The go command must build what is in the workspace, not what is installed.
func TestPrepareBuildsTheCopy(t *testing.T) {
	dir := workspace(t)
	failing := "package ascii\n\nimport \"testing\"\n\nfunc TestOfTheCopy(t *testing.T) { t.Fatal(\"it ran\") }\n"
	if err := os.WriteFile(filepath.Join(dir, "internal", "ascii", "copy_test.go"), []byte(failing),
		0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "fixtures/go.sh", "test", "net/http/internal/ascii")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "it ran") {
		t.Errorf("the tests of the copy did not run: %v\n%s", err, out)
	}
}

func TestPrepareTouchesNothingElse(t *testing.T) {
	dir := workspace(t)
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type()&fs.ModeSymlink != 0 {
			t.Errorf("%q is a link: a change of it would leave the workspace", path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestPrepareRefusesAFolderInUse(t *testing.T) {
	root := filepath.Join(workspace(t), "..", "..", "..")
	if _, err := Prepare(root, "fixtures"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Prepare in a folder that is in use: %v, want one that wraps %v", err, fs.ErrExist)
	}
}
