package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/commit"
	"github.com/planlock/planlock/exec/git"
	"github.com/planlock/planlock/exec/history"
	repository "github.com/planlock/planlock/ledger/git"
)

// worktreeFlags have a run work in a new work tree of the repository.
type worktreeFlags struct {
	Worktree    branchFlag `again:"begin" help:"run in a new work tree of the repository, on a new branch, and leave the workspace as it is; --worktree=BRANCH names the branch, which is planlock/PLAN-RUN by default"`
	WorktreeDir string     `again:"begin" placeholder:"FOLDER" help:"where the folder of that work tree is made; beside the workspace by default"`
}

// A branchFlag is a switch that may have a name.
type branchFlag struct {
	asked bool
	name  string
}

// Decode reads the flag, with its name if one was typed.
func (b *branchFlag) Decode(c *kong.DecodeContext) error {
	b.asked = true
	if c.Scan.Peek().Type == kong.FlagValueToken {
		b.name = c.Scan.Pop().String()
	}
	return nil
}

// IsBool says that the flag takes no word behind it.
func (*branchFlag) IsBool() bool { return true }

// A madeTree is what is kept of a work tree that was made for a run, in it.
type madeTree struct {
	Branch string `json:"branch"`
	Commit string `json:"commit"` // that it began with
	Of     string `json:"of"`     // the workspace from which the run was begun
}

// treeFile is where that is kept.
func treeFile(dir string) string { return filepath.Join(dir, exec.Own, "worktree.json") }

// madeFor is what is kept of the work tree in a folder, if it was made for a run.
func madeFor(dir string) (made madeTree, ok bool) {
	text, err := os.ReadFile(treeFile(dir))
	return made, err == nil && json.Unmarshal(text, &made) == nil
}

// keep keeps it. git is told to pass it over, as all of what is planlock's own.
func (m madeTree) keep(dir string) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Join(dir, exec.Own), 0o755),
		writeNew(filepath.Join(dir, exec.Own, ".gitignore"), []byte("*\n")), writeNew(treeFile(dir), append(text, '\n')))
}

// inWorktree begins the run in a new work tree. Where none begins, that is taken
// back.
func (f *runCommand) inWorktree(ctx context.Context, p *cli) error {
	if f.From != "" {
		return &usageError{"--worktree: the run that --from finishes is in this workspace, and is finished here"}
	}
	if _, err := p.draft(f.Args[0]); err != nil {
		return f.run(ctx, p) // which says why no run begins
	}
	here, path, typed := f.Dir, f.Args[0], f.typed
	id, err := p.controller(here).NewRun(ctx)
	if err != nil {
		return err
	}
	at, err := filepath.Abs(here)
	if err != nil {
		return err
	}
	to, err := filepath.Abs(cmp.Or(f.WorktreeDir, filepath.Dir(at)))
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(at, to); err == nil && filepath.IsLocal(rel) {
		return &usageError{fmt.Sprintf("--worktree-dir %s lies in the workspace, which stays as it is: name a folder beside it",
			quoted(f.WorktreeDir))}
	}
	w, err := git.AddWorktree(ctx, at, filepath.Join(to, filepath.Base(at)+"-"+id),
		cmp.Or(f.Worktree.name, git.BranchFor(path, id)))
	if said := (*commit.RefusedError)(nil); errors.As(err, &said) {
		return &exec.RefusedError{Reasons: said.Reasons, Hint: said.Hint, Err: err}
	}
	if err != nil {
		return err
	}
	err = madeTree{w.Branch, w.Commit, at}.keep(w.Dir)
	if err == nil {
		f.Dir, f.runID = nearby(w.Dir), id
		f.settled.dir = f.Dir
		f.typed = slices.DeleteFunc(slices.Clone(typed), func(word string) bool {
			return flagOf(word) == "worktree" || flagOf(word) == "worktree-dir"
		})
		fmt.Fprintf(p.err, "work tree %s, on the new branch %s, from %s\n", escaped(f.Dir), escaped(w.Branch),
			history.ShortHash(w.Commit))
		err = f.apartFrom(ctx, p, at)
	}
	if err == nil {
		err = f.run(ctx, p)
	}
	if _, none := p.workspace(w.Dir).Find(ctx, ""); none == nil {
		return err
	}
	if failed := w.Remove(context.WithoutCancel(ctx)); failed != nil {
		p.warn("no run began, and the work tree stays: %s; remove it:  git worktree remove %s", escaped(failed.Error()),
			escaped(quoted(f.Dir)))
	} else {
		fmt.Fprintln(p.err, "no run began: the work tree and its branch are gone again")
	}
	f.Dir = here
	if placed := (*placedError)(nil); errors.As(err, &placed) {
		placed.path, placed.given = path, typed
	}
	return err
}

// apartFrom says how the work tree is not what lies in the first one, and finds
// the plan in it.
func (f *runCommand) apartFrom(ctx context.Context, p *cli, first string) error {
	changed, err := git.Changed(ctx, first)
	if err != nil {
		return err
	}
	if n := len(changed); n > 0 {
		names := strings.Join(changed[:min(n, 5)], ", ")
		if n > 5 {
			names += ", …"
		}
		p.warn("what is not committed is not in the work tree: %s: %s", plural(n, "path"), escaped(names))
	}
	if _, err := os.Lstat(filepath.Join(f.Dir, ".gitmodules")); err == nil {
		p.warn("submodules are empty in the work tree")
	}
	return f.movePlan(ctx, p, first)
}

// movePlan has the plan be the one that lies in the work tree, where that is the
// same, and the lock be the one that lies there, else here.
func (f *runCommand) movePlan(ctx context.Context, p *cli, first string) error {
	draft, err := p.draft(f.Args[0])
	if err != nil {
		return err
	}
	files := []string{f.Args[0]}
	for _, file := range draft.Files {
		files = append(files, file.Path)
	}
	moved, err := f.alike(ctx, first, files...)
	if err != nil || moved == "" {
		p.warn("the plan is read where it lies: the work tree does not have it as it is here")
		return err
	}
	lock, err := lockPath(draft, f.Lock)
	if err != nil {
		return err
	}
	if _, none := os.Lstat(lock); none == nil {
		there, err := f.alike(ctx, first, lock)
		if err != nil {
			return err
		}
		f.Lock = cmp.Or(there, lock)
	}
	f.Args[0] = moved
	return nil
}

// alike is where the first of some files lies in the work tree; "" where one of
// them is not there as it is in the first one.
func (f *runCommand) alike(ctx context.Context, first string, files ...string) (string, error) {
	var names []string
	for _, file := range files {
		full, err := filepath.Abs(file)
		if err != nil {
			return "", err
		}
		name, err := filepath.Rel(first, full)
		if err != nil || !filepath.IsLocal(name) {
			return "", nil // it lies elsewhere
		}
		if _, err := os.Lstat(filepath.Join(f.Dir, name)); err != nil {
			return "", nil // it is not committed
		}
		names = append(names, name)
	}
	if changed, err := git.Changed(ctx, first, names...); err != nil || len(changed) > 0 {
		return "", err
	}
	return filepath.Join(f.Dir, names[0]), nil
}

// nearby is a folder as it can be typed here.
func nearby(dir string) string {
	here, err := os.Getwd()
	if err != nil {
		return dir
	}
	if rel, err := filepath.Rel(here, dir); err == nil {
		return rel
	}
	return dir
}

// tellTree says what is left in a work tree that was made for a run, and how that
// is kept or removed once the run has ended.
func (p *cli) tellTree(ctx context.Context, dir string, run *history.Run) {
	made, ok := madeFor(dir)
	if !ok || run == nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	text := fmt.Sprintf("work tree %s, on branch %s", escaped(dir), escaped(made.Branch))
	commits := len(slices.DeleteFunc(slices.Clone(run.Commits), func(c *history.Commit) bool { return c.Commit == "" }))
	if commits > 0 {
		text += ", with " + plural(commits, "commit") + " of the run"
	}
	changed, err := git.Changed(ctx, dir)
	if err == nil && len(changed) > 0 {
		text += ", with " + plural(len(changed), "path") + " that no commit has"
	}
	fmt.Fprintln(p.err, text)
	if run.Ended == nil {
		return
	}
	in := escaped(quoted(dir))
	if len(changed) > 0 {
		fmt.Fprintf(p.err, "  commit that: git -C %s add -A, and git -C %s commit\n", in, in)
	}
	branch := escaped(quoted(made.Branch))
	fmt.Fprintf(p.err, "  take it over: git merge %s\n  remove it, and the journal of the run with it: git worktree remove %s; "+
		"the branch stays until git branch -d %s\n", branch, in, branch)
}

// seek names the workspace of a run that the one of a call does not have, and
// another work tree of its repository has; without the id of a run only those
// count that were made for one.
func (p *cli) seek(ctx context.Context, c *command, words []string) []string {
	if !strings.HasPrefix(c.args, "[RUN]") || p.inside != nil {
		return words
	}
	i := slices.Index(words, "--")
	flags, args := words[:i], words[i+1:]
	dir, prefix := lastOf(flags, "dir", "."), ""
	if len(args) >= len(strings.Fields(c.args)) {
		prefix = args[0]
	}
	if _, err := p.workspace(dir).Find(ctx, prefix); !errors.Is(err, exec.ErrNoRun) {
		return words
	}
	latest, in := "", ""
	for _, other := range repository.Worktrees(dir) {
		_, made := madeFor(other)
		if id, err := p.workspace(other).Find(ctx, prefix); err == nil && id > latest && (made || prefix != "") {
			latest, in = id, other
		}
	}
	if in == "" {
		return words
	}
	fmt.Fprintf(p.err, "run %s is in the work tree %s\n", latest, escaped(nearby(in)))
	return slices.Concat(flags, []string{"--dir=" + nearby(in)}, words[i:])
}

// trees says which work tree a run is in that was made for it, and which runs are
// in others that were made from this one.
func (p *cli) trees(ctx context.Context, w io.Writer, dir string) {
	if made, ok := madeFor(dir); ok {
		fmt.Fprintf(w, "worktree %s, on branch %s, from %s of %s\n", escaped(dir), escaped(made.Branch),
			history.ShortHash(made.Commit), escaped(nearby(made.Of)))
	}
	for _, other := range repository.Worktrees(dir) {
		if _, ok := madeFor(other); !ok {
			continue
		}
		if run, err := findRun(ctx, p.workspace(other), ""); err == nil {
			id := run.Started.Run
			fmt.Fprintf(w, "beside   %s: %s in %s:  planlock status %s\n", escaped(string(run.Status)), id, escaped(nearby(other)), id)
		}
	}
}
