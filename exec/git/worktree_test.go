package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/commit"
)

// at is a folder that is not there yet.
func at(t *testing.T) string { return filepath.Join(t.TempDir(), "tree") }

// TestAddWorktree makes one from what is checked out, and leaves what somebody has
// changed, the index and the stash as they are; no hook is run.
func TestAddWorktree(t *testing.T) {
	d := newDesk(t, planOf("a"), nil)
	d.put("README", "Stashed\n")
	d.git("stash", "-q")
	d.put("staged", "staged\n")
	d.git("add", "staged")
	d.put("README", "Not committed\n")
	for _, name := range []string{"post-checkout", "reference-transaction", "post-commit"} {
		d.hook(name, "echo "+name+" >>"+d.Dir+"/../ran; exit 1")
	}
	head, before, check := d.git("rev-parse", "HEAD"), d.git("status", "--porcelain"), d.untouched()
	ctx, dir := context.Background(), at(t)
	w, err := d.by.addWorktree(ctx, d.Dir, dir, "planlock/a-1")
	if err != nil {
		t.Fatal(err)
	}
	if w.Dir != dir || w.Commit != head || d.in(dir, "symbolic-ref", "HEAD") != "refs/heads/planlock/a-1" || d.in(dir, "rev-parse", "HEAD") != head {
		t.Errorf("got %+v", w)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "README")); err != nil || string(text) != "Letters\n" {
		t.Errorf("README is %q, %v", text, err)
	}
	if got, err := Changed(ctx, d.Dir); err != nil || !slices.Equal(got, []string{"README", "staged"}) {
		t.Errorf("changed are %q, %v", got, err)
	}
	if got, err := Changed(ctx, dir, "README"); err != nil || got != nil {
		t.Errorf("changed there are %q, %v", got, err)
	}
	check()
	if got := d.git("status", "--porcelain"); got != before {
		t.Errorf("the first work tree has %s, and had %s", got, before)
	}

	// What is in none but this work tree is never removed.
	if err := os.WriteFile(filepath.Join(dir, "new"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := w.Remove(ctx); err == nil {
		t.Error("a file is gone")
	}
	if err := os.Remove(filepath.Join(dir, "new")); err != nil {
		t.Fatal(err)
	}
	if err := w.Remove(ctx); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(dir); err == nil || d.git("branch", "--list", "planlock/*") != "" {
		t.Error("it is still there")
	}
	if text, err := os.ReadFile(filepath.Join(d.Dir, "../ran")); err == nil {
		t.Errorf("these hooks were run:\n%s", text)
	}

	// A branch on which something was committed stays.
	if w, err = d.by.addWorktree(ctx, d.Dir, dir, "planlock/a-2"); err != nil {
		t.Fatal(err)
	}
	d.in(dir, "-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "more")
	if err := w.Remove(ctx); err != nil || d.git("branch", "--list", "planlock/a-2") == "" {
		t.Error("a commit is lost: ", err)
	}
}

// TestNoWorktree says why none is made, and makes nothing.
func TestNoWorktree(t *testing.T) {
	for name, tt := range map[string]struct {
		do           func(d *desk)
		branch, want string
	}{
		"no repository": {func(d *desk) {
			if err := os.RemoveAll(filepath.Join(d.Dir, ".git")); err != nil {
				d.t.Fatal(err)
			}
		}, "b", "is in no repository that git can use"},
		"no commit": {func(d *desk) {
			if err := os.Remove(filepath.Join(d.Dir, ".git", "refs", "heads", "main")); err != nil {
				d.t.Fatal(err)
			}
		}, "b", "has no commit"},
		"a merge":           {func(d *desk) { d.put(".git/MERGE_HEAD", d.git("rev-parse", "HEAD")+"\n") }, "b", "in the middle of a merge"},
		"conflicts":         {func(d *desk) { d.conflict("letter") }, "b", "has conflicts that nobody resolved"},
		"the branch exists": {func(d *desk) { d.git("branch", "b") }, "b", "there is a branch b already"},
		"it is in its way":  {func(d *desk) { d.git("branch", "b") }, "b/c", "no work tree could be made"},
		"no name":           {func(*desk) {}, "a..b", "no name of a branch"},
		"an option":         {func(*desk) {}, "-f", "no name of a branch"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, dir := newDesk(t, planOf("a"), nil), at(t)
			tt.do(d)
			_, err := d.by.addWorktree(context.Background(), d.Dir, dir, tt.branch)
			if said := (*commit.RefusedError)(nil); !errors.As(err, &said) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if _, err := os.Lstat(dir); err == nil {
				t.Error("something was made")
			}
		})
	}
	d := newDesk(t, planOf("a"), nil)
	if _, err := d.by.addWorktree(context.Background(), d.Dir, filepath.Join(d.Dir, "README", "b"), "b"); err == nil ||
		d.git("branch", "--list", "b") != "" {
		t.Errorf("got %v, and there is a branch", err)
	}
	if _, err := d.by.addWorktree(context.Background(), d.Dir, d.Dir, "b"); err == nil || !strings.Contains(err.Error(), "something at") {
		t.Errorf("got %v", err)
	}
}

// TestBranchFor names branches that git takes, whatever a plan is called.
func TestBranchFor(t *testing.T) {
	for path, want := range map[string]string{
		"plan.toml": "planlock/plan-R", "plans/04-01-PLAN.md": "planlock/04-01-PLAN-R", ".": "planlock/plan-R", "..": "planlock/plan-R",
		"a b/Ünder..lock~.md": "planlock/nder--lock-R", "-x.toml": "planlock/x-R", strings.Repeat("x", 200): "planlock/" + strings.Repeat("x", 60) + "-R",
	} {
		got := BranchFor(path, "R")
		if got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
		if err := exec.Command("git", "check-ref-format", "refs/heads/"+got).Run(); err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
}
