package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	planexec "github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/commit"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// alone is the environment of git without what the machine configures.
func alone() []string {
	return []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull}
}

// planOf is a plan of steps, two to a task, of which step i writes the file of
// names[i-1].
func planOf(names ...string) string {
	var text strings.Builder
	text.WriteString("schema = 1\nnon_goals = []\ninvariants = []\n\n[goal]\ndescription = \"Write letters\"\n\n" +
		"[[requirements]]\nid = \"R1\"\ntext = \"There are letters\"\n")
	for i, name := range names {
		if i%2 == 0 {
			fmt.Fprintf(&text, "\n[[tasks]]\nid = %d\ndescription = \"Letters %d\"\n", i/2+1, i/2+1)
		}
		verb := "create"
		if old, ok := strings.CutPrefix(name, "~"); ok {
			verb, name = "modify", old
		}
		fmt.Fprintf(&text, "\n[[tasks.steps]]\nid = %d\ndescription = \"Write %s\"\nprompt = \"Write %s\"\nrequirements = [\"R1\"]\n"+
			"rollback = \"reversible\"\non_failure = \"block\"\nsemantic_change = \"extending\"\nlimits = { max_files = 1, max_lines = 9 }\n"+
			"artifacts = { %s = [%q] }\npostconditions = [{ kind = \"file_contains\", path = %q, text = \"Dear\" }]\n",
			i%2+1, name, name, verb, name, name)
	}
	return text.String()
}

// A desk is a repository in which a plan writes letters.
type desk struct {
	*exectest.Bench
	t  *testing.T
	by *Committer
}

// newDesk is a repository with one commit. prepare is called before it.
func newDesk(t *testing.T, text string, prepare func(d *desk)) *desk {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil || runtime.GOOS == "windows" {
		t.Skip("needs the program git, and a shell for hooks")
	}
	d := around(t, text)
	for name, text := range map[string]string{"README": "Letters\n", ".gitignore": "*.tmp\n"} {
		d.put(name, text)
	}
	if err := os.CopyFS(filepath.Join(d.Dir, ".git"), os.DirFS(empty(t))); err != nil {
		t.Fatal(err)
	}
	if prepare != nil {
		prepare(d)
	}
	d.git("add", ".")
	d.git("commit", "-q", "-m", "first")
	return d
}

// empty is a repository without a commit, made once. What it writes need not be
// durable.
var empty = func() func(t *testing.T) string {
	var once sync.Once
	var dir string
	return func(t *testing.T) string {
		once.Do(func() {
			dir = filepath.Join(scratch, "empty")
			d := &desk{t: t}
			d.in(scratch, "init", "-q", "--bare", "-b", "main", "--template=", dir)
			config := "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tlogallrefupdates = true\n\tfsync = none\n" +
				"[user]\n\tname = Ana\n\temail = ana@example.org\n"
			if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o644); err != nil {
				t.Fatal(err)
			}
		})
		return dir
	}
}()

// around is a desk without a repository.
func around(t *testing.T, text string) *desk {
	t.Helper()
	d := &desk{t: t, by: &Committer{env: alone()}}
	d.Bench = exectest.New(t, text, nil,
		planexec.Func(func(_ context.Context, w planexec.Work) (planexec.Outcome, error) {
			name := filepath.Join(w.Dir, filepath.FromSlash(slices.Concat(w.Step.Artifacts.Create, w.Step.Artifacts.Modify)[0]))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				return planexec.Outcome{}, err
			}
			return planexec.Outcome{}, os.WriteFile(name, []byte("Dear "+string(w.Step.Address)+"\n"), 0o644)
		}))
	d.Controller.Committer, d.Controller.Commits = d.by, commit.Step
	return d
}

// in calls git in a folder.
func (d *desk) in(dir string, args ...string) string {
	d.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), alone()...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (d *desk) git(args ...string) string { d.t.Helper(); return d.in(d.Dir, args...) }

func (d *desk) put(name, text string) {
	d.t.Helper()
	if err := exectest.Put(d.Dir, name, text); err != nil {
		d.t.Fatal(err)
	}
}

// hook puts a hook into the repository.
func (d *desk) hook(name, script string) {
	d.t.Helper()
	at := filepath.Join(d.Dir, ".git", "hooks", name)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		d.t.Fatal(err)
	}
}

// untouched fails the test unless what is staged beside HEAD, and the stash, are
// the same afterwards.
func (d *desk) untouched() (check func()) {
	d.t.Helper()
	dir := d.git("rev-parse", "--absolute-git-dir")
	read := func() [][]byte {
		var all [][]byte
		all = append(all, []byte(d.git("diff", "--cached", "--raw", "--no-abbrev", "--no-renames")))
		for _, name := range []string{"refs/stash", "logs/refs/stash", "COMMIT_EDITMSG"} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil && !os.IsNotExist(err) {
				d.t.Fatal(err)
			}
			all = append(all, text)
		}
		return all
	}
	before := read()
	return func() {
		d.t.Helper()
		if !slices.EqualFunc(before, read(), bytes.Equal) {
			d.t.Error("what is staged, or the stash, changed")
		}
	}
}

// commits are the subjects and the files of the commits since a revision, the
// oldest first.
func (d *desk) commits(since string) (all []string) {
	d.t.Helper()
	for _, one := range strings.Split(d.git("log", "--reverse", "--no-renames", "--name-only", "--format=%x00%s", since+"..HEAD"), "\x00")[1:] {
		subject, files, _ := strings.Cut(one, "\n")
		all = append(all, subject+": "+strings.Join(strings.Fields(files), " "))
	}
	return all
}

// want fails the test unless these are the commits since a revision, and the
// journal names them.
func (d *desk) want(run *history.Run, since string, want ...string) {
	d.t.Helper()
	if got := d.commits(since); !slices.Equal(got, want) {
		d.t.Errorf("the commits are\n%q, want\n%q", got, want)
	}
	var journal []string
	for _, c := range run.Commits {
		if c.Commit != "" {
			journal = append(journal, c.Commit)
		}
	}
	if got := strings.Fields(d.git("rev-list", "--reverse", since+"..HEAD")); !slices.Equal(got, journal) {
		d.t.Errorf("the journal names %q, and the commits are %q", journal, got)
	}
}

// refused fails the test unless a run was refused for a reason.
func refused(t *testing.T, err error, reason string) {
	t.Helper()
	var said *planexec.RefusedError
	if !errors.As(err, &said) || !strings.Contains(err.Error(), reason) {
		t.Errorf("got %v, want a refusal with %q", err, reason)
	}
}

// signs has the repository sign commits by a key of SSH in a folder.
func (d *desk) signs(keys string) {
	d.t.Helper()
	at := filepath.Join(keys, "key")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", at).CombinedOutput(); err != nil {
		d.t.Fatalf("%v\n%s", err, out)
	}
	public, err := os.ReadFile(at + ".pub")
	if err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(keys, "allowed"), append([]byte("ana@example.org "), public...), 0o600); err != nil {
		d.t.Fatal(err)
	}
	for key, value := range map[string]string{"gpg.format": "ssh", "commit.gpgSign": "true", "user.signingKey": at,
		"gpg.ssh.allowedSignersFile": filepath.Join(keys, "allowed")} {
		d.git("config", key, value)
	}
}

// submodule puts one into the repository.
func (d *desk) submodule(name string) {
	d.t.Helper()
	part := d.t.TempDir()
	d.in(part, "init", "-q", "-b", "main")
	d.in(part, "-c", "user.name=B", "-c", "user.email=b@example.org", "commit", "-q", "--allow-empty", "-m", "part")
	d.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", part, name)
}

// conflict has the index hold three versions of a path, as a merge leaves them.
func (d *desk) conflict(name string) {
	d.t.Helper()
	hash, lines := d.git("hash-object", "-w", "README"), ""
	for stage := 1; stage <= 3; stage++ {
		lines += fmt.Sprintf("100644 %s %d\t%s\n", hash, stage, name)
	}
	cmd := exec.Command("git", "update-index", "--index-info")
	cmd.Dir, cmd.Env, cmd.Stdin = d.Dir, append(os.Environ(), alone()...), strings.NewReader(lines)
	if out, err := cmd.CombinedOutput(); err != nil {
		d.t.Fatalf("%v\n%s", err, out)
	}
}
