package git

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Worktree is a further work tree of a repository, on a branch of its own.
type Worktree struct {
	Dir    string
	Branch string
	Commit string // that both began with

	of repository
}

// AddWorktree makes a work tree in the folder at, on a new branch, from what is
// checked out in the work tree dir, which stays as it is. No hook is run; filters
// that the configuration names are, as of "git checkout". A *[commit.RefusedError]
// says why none is made.
func AddWorktree(ctx context.Context, dir, at, branch string) (*Worktree, error) {
	return (&Committer{}).addWorktree(ctx, dir, at, branch)
}

func (c *Committer) addWorktree(ctx context.Context, dir, at, branch string) (*Worktree, error) {
	r := c.repository(dir)
	r.env = append(slices.Clone(r.env), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.hooksPath",
		"GIT_CONFIG_VALUE_0="+os.DevNull)
	if _, err := exec.LookPath("git"); err != nil {
		return nil, refuse("install git", "the program git cannot be found")
	}
	if _, err := fit(ctx, r); err != nil {
		return nil, err
	}
	hash, err := r.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return nil, refuse("make a first commit", "%s has no commit that a work tree can begin with", dir)
	}
	if _, err := r.git(ctx, "check-ref-format", "refs/heads/"+branch); err != nil || strings.HasPrefix(branch, "-") {
		return nil, refuse("give another name", "%q is no name of a branch", branch)
	}
	if _, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch); err == nil {
		return nil, refuse("give another name, or delete it (git branch -d)", "there is a branch %s already", branch)
	}
	if _, err := os.Lstat(at); err == nil {
		return nil, refuse("name another folder", "there is something at %s already", at)
	}
	if at, err = filepath.Abs(at); err != nil {
		return nil, err
	}
	made := &Worktree{Dir: at, Branch: branch, Commit: hash, of: r}
	ctx = context.WithoutCancel(ctx) // what git has begun it brings to its end
	if _, err := r.git(ctx, "worktree", "add", "--quiet", "--no-track", "-b", branch, at, hash); err != nil {
		_ = made.forget(ctx) // git makes the branch first
		return nil, refuse("", "no work tree could be made: %v", err)
	}
	return made, nil
}

// Changed are the paths, sorted, of a work tree that are changed or new there, and in no
// commit; those that git ignores are none of them. paths are what is looked at,
// all where there is none.
func Changed(ctx context.Context, dir string, paths ...string) ([]string, error) {
	r := (&Committer{}).repository(dir)
	r.env = append(r.env, "GIT_LITERAL_PATHSPECS=1")
	said, err := r.git(ctx, slices.Concat([]string{"status", "--porcelain=v1", "-z", "--no-renames",
		"--ignore-submodules=none", "--"}, paths)...)
	if err != nil {
		return nil, err
	}
	var changed []string
	for _, one := range fields(said) {
		changed = append(changed, one[min(3, len(one)):])
	}
	slices.Sort(changed)
	return slices.Compact(changed), nil
}

// Remove takes back a work tree in which nothing was done, with its branch. git
// refuses that where something is changed or new in it, or on the branch.
func (w *Worktree) Remove(ctx context.Context) error {
	if _, err := w.of.git(ctx, "worktree", "remove", w.Dir); err != nil {
		return err
	}
	return w.forget(ctx)
}

// forget deletes the branch, unless something was committed on it.
func (w *Worktree) forget(ctx context.Context) error {
	now, err := w.of.line(ctx, "rev-parse", "--verify", "--quiet", "refs/heads/"+w.Branch)
	if err == nil && now == w.Commit {
		_, err = w.of.git(ctx, "update-ref", "-d", "refs/heads/"+w.Branch, w.Commit)
	}
	return err
}

// BranchFor is the name of the branch of a run of a plan that lies at a path, as
// in "planlock/plan-01M8E635X2G7MCKY2W0P03VDW2".
func BranchFor(path, run string) string {
	base := filepath.Base(filepath.Clean(path))
	base = strings.TrimSuffix(base, filepath.Ext(base))
	base = strings.Map(func(c rune) rune {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' {
			return c
		}
		return '-'
	}, base)
	return "planlock/" + cmp.Or(strings.Trim(base[:min(len(base), 60)], "-"), "plan") + "-" + run
}
