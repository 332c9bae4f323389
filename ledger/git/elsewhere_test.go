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

// TestWorktrees finds the other work trees of a repository, and none that knows
// nothing of it.
func TestWorktrees(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(top, filepath.FromSlash(name)) }
	for name, text := range map[string]string{
		"main/.git/HEAD":                    "ref: refs/heads/main\n",
		"main/.git/worktrees/one/gitdir":    at("one/.git") + "\n",
		"main/.git/worktrees/one/commondir": "../..\n",
		"one/.git":                          "gitdir: " + at("main/.git/worktrees/one") + "\n",
		"main/.git/worktrees/two/gitdir":    "../../../../two/.git\n",
		"main/.git/worktrees/two/commondir": "../..\n",
		"two/.git":                          "gitdir: ../main/.git/worktrees/two\n",
		"main/.git/worktrees/gone/gitdir":   at("gone/.git") + "\n",
		"main/.git/worktrees/forged/gitdir": at("other/.git") + "\n",
		"main/.git/worktrees/odd/gitdir":    "\x00\n",
		"other/.git/HEAD":                   "ref: refs/heads/main\n",
		"none/file":                         "",
	} {
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string][]string{"main": {at("one"), at("two")}, "one": {at("main"), at("two")}, "two": {at("main"), at("one")},
		"other": nil, "none": nil, "not there": nil} {
		if got := git.Worktrees(at(dir)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
}
