package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/exec/commit"
	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/ledger"
)

// under are the operations that a repository may be in the middle of, by what
// git leaves beside HEAD, and how each is ended.
var under = []struct{ file, what, hint string }{
	{"MERGE_HEAD", "a merge", "finish it (git merge --continue), or take it back (git merge --abort)"},
	{"rebase-merge", "a rebase", "finish it (git rebase --continue), or take it back (git rebase --abort)"},
	{"rebase-apply", "a rebase, or git am", "finish it (git rebase --continue, git am --continue), or take it back (--abort)"},
	{"CHERRY_PICK_HEAD", "a cherry-pick", "finish it (git cherry-pick --continue), or take it back (git cherry-pick --abort)"},
	{"REVERT_HEAD", "a revert", "finish it (git revert --continue), or take it back (git revert --abort)"},
	{"sequencer", "a series of commits", "finish it (git cherry-pick --continue), or take it back (git cherry-pick --abort)"},
	{"BISECT_LOG", "a bisection", "end it (git bisect reset)"},
}

// refuse is a refusal for one reason.
func refuse(hint, format string, args ...any) error {
	return &commit.RefusedError{Reasons: []string{fmt.Sprintf(format, args...)}, Hint: hint}
}

// fit refuses a work tree in which nothing can be committed as it is, and says
// where git looks for its hooks.
func fit(ctx context.Context, r repository) (hooks string, err error) {
	said, err := r.git(ctx, "rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-path", "hooks")
	if err != nil {
		return "", refuse("make one (git init), or do without it", "%s is in no repository that git can use: %v", r.dir, err)
	}
	lines := strings.Split(said, "\n")
	if len(lines) < 4 {
		return "", refuse("", "git says nothing of the repository of %s", r.dir)
	}
	if top, dir := real(lines[0]), real(r.dir); top != dir {
		return "", refuse("run the plan in the top folder ("+top+"), with paths told from there, or leave commits out and make them with git",
			"%s lies in the work tree %s and is not the top of it, where alone a run can commit", dir, top)
	}
	if at, err := lockLeft(ctx, lines[1]); err != nil {
		return "", err
	} else if at != "" {
		return "", refuse(unlock(at), "there is %s: a git is at work, or was killed", at)
	}
	for _, u := range under {
		if _, err := os.Lstat(filepath.Join(lines[1], u.file)); err == nil {
			return "", refuse(u.hint, "the repository is in the middle of %s", u.what)
		}
	}
	if conflicts, err := r.git(ctx, "ls-files", "-u", "-z"); err != nil {
		return "", err
	} else if conflicts != "" {
		_, path, _ := strings.Cut(fields(conflicts)[0], "\t")
		return "", refuse("resolve it, and stage it (git add)", "%q, or more, has conflicts that nobody resolved", path)
	}
	if hooks = lines[2]; !filepath.IsAbs(hooks) {
		hooks = filepath.Join(r.dir, hooks)
	}
	return hooks, nil
}

// lockLeft is a lock in the folder of a repository that does not go away in the
// second that gits wait for each other; "" if there is none.
func lockLeft(ctx context.Context, dir string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	for _, name := range []string{"HEAD.lock", "index.lock"} {
		for at := filepath.Join(dir, name); ; {
			if _, err := os.Lstat(at); errors.Is(err, fs.ErrNotExist) {
				break
			} else if err != nil {
				return "", err
			}
			select {
			case <-ctx.Done():
				return at, nil
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	return "", nil
}

// real is a path without links, where that can be had.
func real(path string) string {
	if at, err := filepath.EvalSymlinks(filepath.FromSlash(path)); err == nil {
		return at
	}
	return path
}

// aside are keys of the configuration that decide nothing about commits, and may
// hold secrets.
var aside = lazyre.New(`^(credential|http|url|remote|branch|sendemail|imap|gui|color|pager)\b`)

// runs are keys whose values git runs.
var runs = lazyre.New(`^(filter\..*\.(clean|smudge|process)|gpg\.(.*\.)?program|gpg\.ssh\.defaultkeycommand|core\.fsmonitor|core\.sshcommand|hook\..*\.command)$`)

// Settings digests what decides about a commit: hooks, configuration,
// attributes, and the programs that they name.
func (c *Committer) Settings(ctx context.Context, dir string) (ledger.GitState, error) {
	if err := c.valid(); err != nil {
		return nil, err
	}
	r := c.repository(dir)
	if _, err := exec.LookPath("git"); err != nil {
		return nil, refuse("install git", "the program git cannot be found")
	}
	at, err := fit(ctx, r)
	if err != nil {
		return nil, err
	}
	state := ledger.GitState{}
	settings, err := r.settings(ctx)
	if err != nil {
		return nil, err
	}
	if settings["user.name"] == nil || settings["user.email"] == nil { // it may know by other means
		if _, err := r.line(ctx, "var", "GIT_COMMITTER_IDENT"); err != nil {
			return nil, refuse("tell it (git config user.name, git config user.email)", "git does not know who commits: %v", err)
		}
	}
	settings.digests(r.dir, state)
	if err := hooks(r.dir, at, state); err != nil {
		return nil, err
	}
	return state, attributes(ctx, r, state)
}

// settings are the configuration that is in force, wherever it comes from: each
// key with its values, the one that counts last.
type settings map[string][]string

// settings reads the configuration.
func (r repository) settings(ctx context.Context) (settings, error) {
	said, err := r.git(ctx, "config", "--list", "--show-scope", "-z")
	if err != nil {
		return nil, err
	}
	values := settings{}
	all := fields(said)
	for i := 0; i+1 < len(all); i += 2 {
		if all[i] != "command" { // we said that ourselves
			key, value, is := strings.Cut(all[i+1], "\n")
			if !is {
				value = "true" // as git reads a key alone
			}
			values[key] = append(values[key], value)
		}
	}
	return values, nil
}

// on reports whether a switch is set, otherwise if nobody set it.
func (s settings) on(key string, otherwise bool) bool {
	values := s[key]
	if len(values) == 0 {
		return otherwise
	}
	switch strings.ToLower(values[len(values)-1]) {
	case "false", "no", "off", "0", "":
		return false
	}
	return true
}

// signs reports whether commits are to be signed.
func (s settings) signs() bool { return s.on("commit.gpgsign", false) }

// digests are those of what decides about commits, and of the programs in it.
func (s settings) digests(dir string, state ledger.GitState) {
	for key, values := range s {
		if aside.MatchString(key) {
			continue
		}
		state["configuration "+key] = ledger.Sum([]byte(strings.Join(values, "\x00")))
		if runs.MatchString(key) {
			for _, value := range values {
				programs(dir, value, state)
			}
		}
	}
	programs(dir, "git", state)
	if s.signs() {
		for _, name := range []string{"gpg", "ssh-keygen"} {
			programs(dir, name, state)
		}
	}
}

// programs digests the files that a command line names.
func programs(dir, line string, state ledger.GitState) {
	for _, word := range strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t\n\"'();&|=", c) }) {
		named(dir, dir, word, state, 0)
		path, err := exec.LookPath(word)
		if err != nil || !filepath.IsAbs(path) {
			path = word
			if !filepath.IsAbs(path) {
				path = filepath.Join(dir, filepath.FromSlash(word))
			}
		}
		if digest, err := fileDigest(path); err == nil {
			state["program "+word] = digest
		}
	}
}

// fileDigest is the digest of a regular file, with whether it can be executed.
func fileDigest(path string) (ledger.Digest, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fs.ErrInvalid
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	prefix := "file\x00"
	if info.Mode()&0o111 != 0 {
		prefix = "program\x00"
	}
	d, _, err := ledger.SumReader(io.MultiReader(strings.NewReader(prefix), f))
	return d, err
}

// attributes digests the files that say which filters git runs on what.
func attributes(ctx context.Context, r repository, state ledger.GitState) error {
	said, err := r.git(ctx, "ls-files", "-z", "-c", "-o", "--", ".gitattributes", "**/.gitattributes")
	if err != nil {
		return err
	}
	names := fields(said)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if digest, err := fileDigest(filepath.Join(r.dir, filepath.FromSlash(name))); err == nil {
			state["attributes "+name] = digest
		}
	}
	return nil
}
