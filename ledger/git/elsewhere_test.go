package git_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/planlock/planlock/ledger/git"
)

// TestElsewhere finds the folders of repositories outside of their work trees.
func TestElsewhere(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	shared := filepath.Join(top, "main", ".git")
	own := filepath.Join(shared, "worktrees", "wt")
	for _, dir := range []string{own, filepath.Join(top, "wt"), filepath.Join(top, "plain", ".git"), filepath.Join(top, "none")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{filepath.Join(top, "wt", ".git"): "gitdir: ../main/.git/worktrees/wt\n",
		filepath.Join(own, "commondir"): "../..\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string][]string{"wt": {shared}, "main": nil, "plain": nil, "none": nil, "not there": nil} {
		if got := git.Elsewhere(filepath.Join(top, dir)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
}
