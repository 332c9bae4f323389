package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/exec/commit"
	"github.com/planlock/planlock/ledger"
)

// A Committer commits accepted work by the program git. The zero value does so
// with the message that planlock has, by whoever git says commits.
type Committer struct {
	// Message is the text of a text/template for messages, without trailers; see
	// [Message] for what it may use. "" for [DefaultMessage].
	Message string
	// Author is who wrote what is committed, as in "Ana <ana@example.org>"; ""
	// for whoever git says commits.
	Author string
	// CoAuthors are named in trailers, each as Author is.
	CoAuthors []string
	// HookLimit is how long a hook may take; [HookLimit] if it is 0.
	HookLimit time.Duration

	env []string // of all calls; for tests
}

func (c *Committer) repository(dir string) repository {
	return repository{dir: dir, env: c.env, patient: cmp.Or(c.HookLimit, HookLimit)}
}

// Find looks for the commit of some work behind its parent, and has the index
// follow it where that is still to be done.
func (c *Committer) Find(ctx context.Context, w commit.Work) (*commit.Made, error) {
	r := c.repository(w.Dir)
	said, err := r.git(ctx, "log", "-z", "--first-parent", "-n", "100",
		"--format=%H%n%(trailers:key="+trailerRun+",valueonly,separator=%x2C)%n%(trailers:key="+trailerStep+",valueonly,separator=%x2C)", "HEAD")
	if err != nil {
		return nil, err
	}
	var steps []string
	for _, s := range w.Steps {
		steps = append(steps, string(s.Address))
	}
	for _, one := range fields(said) {
		parts := strings.SplitN(strings.TrimSpace(one), "\n", 3)
		if parts[0] == w.Parent {
			break
		}
		if len(parts) < 3 || parts[1] != w.Run || parts[2] != strings.Join(steps, ",") {
			continue
		}
		made := &commit.Made{Hash: parts[0], Branch: r.branch(ctx)}
		if head, err := r.line(ctx, "rev-parse", "HEAD"); err != nil {
			return nil, err
		} else if made.Staged = head == made.Hash; made.Staged {
			if _, err := r.follow(ctx, w.Parent, made.Hash); err != nil {
				return nil, err
			}
		}
		return made, r.leftOf(ctx, made, w)
	}
	return nil, nil
}

// leftOf names what a commit that was found does not hold.
func (r repository) leftOf(ctx context.Context, made *commit.Made, w commit.Work) error {
	said, err := r.git(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-commit-id", "--no-renames", made.Hash)
	if err != nil {
		return err
	}
	holds := fields(said)
	for _, change := range w.Changes {
		if !isFolder(change) && !slices.Contains(holds, change.Path) {
			made.Left = append(made.Left, commit.LeftOut{Path: change.Path, Why: "the commit does not hold it"})
		}
	}
	return nil
}

// branch is what HEAD names; "" where it names a commit.
func (r repository) branch(ctx context.Context) string {
	name, err := r.line(ctx, "symbolic-ref", "-q", "HEAD")
	if err != nil {
		return ""
	}
	return name
}

// Commit commits some work on top of its parent.
func (c *Committer) Commit(ctx context.Context, w commit.Work) (made *commit.Made, err error) {
	message, err := c.message(w)
	if err != nil {
		return nil, err
	}
	r := c.repository(w.Dir)
	said, err := r.git(ctx, "rev-parse", "HEAD", "HEAD^{tree}", "--git-path", "hooks", "--symbolic-full-name", "HEAD")
	if err != nil {
		return nil, err
	}
	at := strings.Split(said, "\n")
	if len(at) < 4 || at[0] != w.Parent {
		return nil, refuse("go back to it (git switch, git reset), or accept that the repository moved",
			"%s is checked out, and the work follows %s", short(at[0]), short(w.Parent))
	}
	if r.hooks = at[2]; !filepath.IsAbs(r.hooks) {
		r.hooks = filepath.Join(r.dir, r.hooks)
	}
	if r.config, err = r.settings(ctx); err != nil {
		return nil, err
	}
	own := r
	staged, err := own.entries(ctx)
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "planlock-commit-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	r.index = filepath.Join(temp, "index")
	if _, err := r.git(ctx, "read-tree", w.Parent); err != nil {
		return nil, err
	}
	lines, left, err := r.stage(ctx, w)
	if err != nil {
		return nil, err
	}
	made = &commit.Made{Left: left}
	if len(lines) == 0 {
		return made, nil
	}
	tree, err := r.tree(ctx, lines)
	if err != nil {
		return nil, err
	}
	if tree == at[1] {
		return made, nil
	}
	if made.Branch = at[3]; made.Branch == "HEAD" {
		made.Branch = ""
	}
	made.Hash, err = c.make(ctx, r, w, tree, filepath.Join(temp, "COMMIT_EDITMSG"), message)
	if err != nil {
		return nil, err
	}
	now, err := own.follow(ctx, w.Parent, made.Hash)
	made.Staged = maps.Equal(staged, now)
	return made, err
}

// tree stages lines, and writes the tree that they come to.
func (r repository) tree(ctx context.Context, lines [][]byte) (string, error) {
	if _, err := r.given(bytes.Join(lines, nil)).git(ctx, "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	return r.line(ctx, "write-tree")
}

// make runs the hooks, makes the commit, and moves HEAD.
func (c *Committer) make(ctx context.Context, r repository, w commit.Work, tree, file, message string) (string, error) {
	if ran, err := r.hook(ctx, "pre-commit"); err != nil {
		return "", err
	} else if ran {
		if now, err := r.line(ctx, "write-tree"); err != nil {
			return "", err
		} else if now != tree {
			return "", refuse("", "hook pre-commit changed what is committed, which is what the run accepted and nothing else")
		}
	}
	if err := os.WriteFile(file, []byte(message), 0o600); err != nil {
		return "", err
	}
	for _, h := range [][]string{{"prepare-commit-msg", file, "message"}, {"commit-msg", file}} {
		if ran, err := r.hook(ctx, h[0], h[1:]...); err != nil {
			return "", err
		} else if ran {
			if err := r.keepsTrailers(ctx, file, c.trailers(w)); err != nil {
				return "", err
			}
		}
	}
	r.env = append(slices.Clone(r.env), c.author()...)
	args := []string{"commit-tree", tree, "-p", w.Parent, "-F", file}
	if r.config.signs() {
		args = append(args, "-S")
	}
	hash, err := r.line(ctx, args...)
	if err != nil {
		return "", refuse("", "the commit could not be made: %v", err)
	}
	subject, _, _ := strings.Cut(message, "\n")
	if _, err := r.hooked(ctx, "update-ref", "-m", "commit: "+subject, "HEAD", hash, w.Parent); err != nil {
		return "", refuse("", "HEAD could not be moved: %v", err)
	}
	_, _ = r.hook(ctx, "post-commit") // as of git, what it says changes nothing any more
	return hash, nil
}

// hook runs a hook of the repository, if it has one.
func (r repository) hook(ctx context.Context, name string, args ...string) (ran bool, err error) {
	inConfig := slices.ContainsFunc(slices.Collect(maps.Keys(r.config)), func(key string) bool { return strings.HasPrefix(key, "hook.") })
	if _, err := os.Lstat(filepath.Join(r.hooks, name)); err != nil && !inConfig {
		return false, nil
	}
	call := []string{"hook", "run", "--ignore-missing", name}
	if len(args) > 0 {
		call = append(append(call, "--"), args...)
	}
	if _, err := r.hooked(ctx, call...); err != nil {
		failed := (*callError)(nil)
		if errors.As(err, &failed) && status(err) >= 0 {
			return true, refuse("", "hook %s says no: %s", name, failed.said)
		}
		return true, refuse("", "hook %s: %v", name, err)
	}
	return true, nil
}

// stage are the lines for "update-index --index-info" that bring the changes into
// the index, what is removed first, and the changes that are left out.
func (r repository) stage(ctx context.Context, w commit.Work) (lines [][]byte, left []commit.LeftOut, err error) {
	has, err := r.entries(ctx)
	if err != nil {
		return nil, nil, err
	}
	ignored, err := r.ignored(ctx, w.Changes, has)
	if err != nil {
		return nil, nil, err
	}
	var added [][]byte
	for _, change := range w.Changes {
		if isFolder(change) {
			continue
		}
		line, why, err := r.entry(ctx, w, change, has, ignored)
		switch {
		case err != nil:
			return nil, nil, err
		case why != "":
			left = append(left, commit.LeftOut{Path: change.Path, Why: why})
		case strings.HasPrefix(line, "0 "):
			lines = append(lines, []byte(line))
		default:
			added = append(added, []byte(line))
		}
	}
	return append(lines, added...), left, nil
}

// isFolder reports whether nothing but a folder came, went or changed, of which
// git knows nothing.
func isFolder(c ledger.Change) bool {
	is := func(e *ledger.Entry) bool { return e == nil || e.Kind == ledger.Dir }
	return is(c.Before) && is(c.After)
}

// A gitEntry is what an index holds at a path.
type gitEntry struct{ mode, hash string }

const submodule = "160000"

// entries are what the index holds.
func (r repository) entries(ctx context.Context) (map[string]gitEntry, error) {
	said, err := r.git(ctx, "ls-files", "-s", "-z")
	if err != nil {
		return nil, err
	}
	all := map[string]gitEntry{}
	for _, one := range fields(said) {
		what, name, _ := strings.Cut(one, "\t")
		if parts := strings.Fields(what); len(parts) == 3 {
			if parts[2] != "0" { // a conflict, like nothing that a commit holds
				parts[1] = ""
			}
			all[name] = gitEntry{parts[0], parts[1]}
		}
	}
	return all, nil
}

// ignored are the paths that .gitignore keeps out and git does not hold.
func (r repository) ignored(ctx context.Context, changes []ledger.Change, has map[string]gitEntry) (map[string]bool, error) {
	var names []string
	for _, c := range changes {
		if _, held := has[c.Path]; !held && c.After != nil {
			names = append(names, c.Path)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	said, err := r.given([]byte(strings.Join(names, "\x00")+"\x00")).git(ctx, "check-ignore", "-z", "--stdin")
	if err != nil && status(err) != 1 { // none of them
		if strings.Contains(err.Error(), "is in submodule") {
			return nil, nil
		}
		return nil, err
	}
	all := map[string]bool{}
	for _, name := range fields(said) {
		all[name] = true
	}
	return all, nil
}

// entry is the line that brings a change into the index, or why it is left out.
func (r repository) entry(ctx context.Context, w commit.Work, change ledger.Change, has map[string]gitEntry,
	ignored map[string]bool) (line, why string, err error) {
	name := change.Path
	held, holds := has[name]
	if at := r.within(name, has); at != "" {
		return "", fmt.Sprintf("it lies in %s, which is a repository of its own", at), nil
	}
	if ignored[name] {
		return "", "git ignores it", nil
	}
	for _, e := range []*ledger.Entry{change.Before, change.After} {
		if e != nil && e.Kind == ledger.Special {
			return "", "it is neither a file nor a link", nil
		}
	}
	before, err := r.blob(ctx, w, change.Before, held)
	if err != nil {
		return "", "", err
	}
	switch {
	case holds && before == gitEntry{}:
		return "", "it was removed before the step, and that is not committed", nil
	case !holds && before != gitEntry{}:
		return "", "it was there before the step, and is not committed", nil
	case before != held:
		return "", "it was changed before the step, and that is not committed", nil
	}
	after, err := r.blob(ctx, w, change.After, held)
	if err != nil {
		return "", "", err
	}
	if after == (gitEntry{}) {
		if !holds {
			return "", "git does not hold it", nil
		}
		return fmt.Sprintf("0 %s\t%s\x00", strings.Repeat("0", len(held.hash)), name), "", nil
	}
	return fmt.Sprintf("%s %s\t%s\x00", after.mode, after.hash, name), "", nil
}

// within is the submodule, or the repository of its own, in which a path lies;
// "" if it lies in none.
func (r repository) within(name string, has map[string]gitEntry) string {
	for at := name; at != "."; at = path.Dir(at) {
		if has[at].mode == submodule {
			return at
		}
		if at == name {
			continue
		}
		if _, err := os.Lstat(filepath.Join(r.dir, filepath.FromSlash(at), ".git")); err == nil {
			return at
		}
	}
	return ""
}

// blob is what git holds of an entry once it is staged: the filters are run that
// the attributes name for its path.
func (r repository) blob(ctx context.Context, w commit.Work, e *ledger.Entry, held gitEntry) (gitEntry, error) {
	if e == nil || e.Kind == ledger.Dir {
		return gitEntry{}, nil
	}
	if e.Kind == ledger.Link {
		hash, err := r.given([]byte(e.Target)).line(ctx, "hash-object", "-w", "--stdin")
		return gitEntry{"120000", hash}, err
	}
	content, err := w.Content.Read(ctx, e)
	if err != nil {
		return gitEntry{}, err
	}
	hash, err := r.given(content).line(ctx, "hash-object", "-w", "--stdin", "--path="+e.Path)
	mode := "100644"
	if e.Mode&0o100 != 0 {
		mode = "100755"
	}
	if held.mode != "" && held.mode != "120000" && !r.config.on("core.filemode", true) {
		mode = held.mode
	}
	return gitEntry{mode, hash}, err
}

// short is the beginning of a hash, for people.
func short(hash string) string { return hash[:min(len(hash), 12)] }
