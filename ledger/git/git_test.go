package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/ledger"
)

// repository is a folder under git, with one commit. It needs the program git,
// as the judge of what is a repository; what is tested does not.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T, args ...string) repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs the program git to make a repository")
	}
	r := repository{t, t.TempDir()}
	r.git(append([]string{"init", "-q", "-b", "main"}, args...)...)
	write(t, r.dir, "a", "1\n")
	write(t, r.dir, "b/c", "2\n")
	r.git("add", ".")
	r.git("commit", "-q", "-m", "first")
	return r
}

func (r repository) git(args ...string) {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_TERMINAL_PROMPT=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

func (r repository) state() ledger.GitState {
	r.t.Helper()
	g, err := Read(r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	return g
}

func write(t testing.TB, dir, path, content string) {
	t.Helper()
	name := filepath.Join(dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestGitNoRepository(t *testing.T) {
	dir := t.TempDir()
	g, err := Read(dir)
	if err != nil || len(g) != 0 {
		t.Fatalf("got %v, %v", g, err)
	}
	write(t, dir, ".git", "gitdir: /nowhere/at/all\n")
	to, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{".git"}, g.Moved(to)); diff != "" {
		t.Error(diff)
	}
}

// What a step may do to a repository is named; what only looks at it is not.
func TestTreesGitMoves(t *testing.T) {
	tests := []struct {
		name string
		do   func(r repository)
		want []string
	}{
		{"status refreshes the index", func(r repository) {
			old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
			os.Chtimes(filepath.Join(r.dir, "a"), old, old)
			before, _ := os.ReadFile(filepath.Join(r.dir, ".git/index"))
			r.git("status")
			if after, _ := os.ReadFile(filepath.Join(r.dir, ".git/index")); slices.Equal(before, after) {
				r.t.Fatal("the index was not refreshed: this proves nothing")
			}
		}, nil},
		{"pack refs", func(r repository) { r.git("pack-refs", "--all") }, nil},
		{"gc", func(r repository) { r.git("gc", "-q") }, nil},
		{"index version 4", func(r repository) { r.git("update-index", "--index-version", "4") }, nil},
		{"fetch", func(r repository) {
			clone := filepath.Join(r.t.TempDir(), "clone")
			r.git("clone", "-q", r.dir, clone)
			r.git("-C", clone, "commit", "-q", "--allow-empty", "-m", "elsewhere")
			r.git("fetch", "-q", clone, "+refs/heads/*:refs/remotes/origin/*")
			if _, err := os.Stat(filepath.Join(r.dir, ".git/FETCH_HEAD")); err != nil {
				r.t.Fatal("nothing was fetched: ", err)
			}
		}, nil},
		{"fetch and pack", func(r repository) {
			r.git("update-ref", "refs/remotes/origin/main", "HEAD")
			r.git("update-ref", "refs/prefetch/remotes/origin/main", "HEAD")
			r.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
			r.git("update-ref", "ORIG_HEAD", "HEAD")
			r.git("pack-refs", "--all")
		}, nil},
		{"fetch in a submodule", func(r repository) {
			write(r.t, r.dir, ".git/modules/m/refs/remotes/origin/HEAD", "ref: refs/remotes/origin/main\n")
			write(r.t, r.dir, ".git/modules/m/logs/HEAD", "x\n")
		}, nil},
		{"checkout in a submodule", func(r repository) {
			write(r.t, r.dir, ".git/modules/m/objects/info/x", "")
			write(r.t, r.dir, ".git/modules/m/HEAD", "ref: refs/heads/other\n")
		}, []string{"modules/m/HEAD"}},
		{"stage", func(r repository) { write(r.t, r.dir, "a", "3\n"); r.git("add", "a") }, []string{"index"}},
		{"stage a mode", func(r repository) { r.git("update-index", "--chmod=+x", "a") }, []string{"index"}},
		{"assume unchanged", func(r repository) { r.git("update-index", "--assume-unchanged", "a") },
			[]string{"index"}},
		{"skip work tree", func(r repository) { r.git("update-index", "--skip-worktree", "a") }, []string{"index"}},
		{"intent to add", func(r repository) { write(r.t, r.dir, "n", ""); r.git("add", "-N", "n") },
			[]string{"index"}},
		{"commit", func(r repository) { r.git("commit", "-q", "--allow-empty", "-m", "x") },
			[]string{"refs/heads/main"}},
		{"switch", func(r repository) { r.git("switch", "-q", "-c", "other") }, []string{"HEAD", "refs/heads/other"}},
		{"tag", func(r repository) { r.git("tag", "v1") }, []string{"refs/tags/v1"}},
		{"delete a packed branch", func(r repository) {
			r.git("branch", "-D", "-q", "packed")
		}, []string{"refs/heads/packed"}},
		{"stash", func(r repository) { write(r.t, r.dir, "a", "4\n"); r.git("stash", "-q") }, []string{"refs/stash"}},
		{"fsmonitor", func(r repository) { r.git("config", "core.fsmonitor", "/bin/evil") }, []string{"config"}},
		{"hook", func(r repository) { write(r.t, r.dir, ".git/hooks/pre-commit", "#!/bin/sh\n") }, []string{"hooks/pre-commit"}},
		{"hook in a submodule", func(r repository) { write(r.t, r.dir, ".git/modules/m/hooks/post-checkout", "x") },
			[]string{"modules/m/hooks/post-checkout"}},
		{"attributes", func(r repository) { write(r.t, r.dir, ".git/info/attributes", "* filter=evil\n") }, []string{"info/attributes"}},
		{"exclude", func(r repository) { write(r.t, r.dir, ".git/info/exclude", "*\n") }, []string{"info/exclude"}},
		{"a half-done merge", func(r repository) { write(r.t, r.dir, ".git/MERGE_HEAD", "x") }, []string{"MERGE_HEAD"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRepository(t)
			r.git("branch", "packed")
			r.git("pack-refs", "--all")
			before := r.state()
			tt.do(r)
			if diff := cmp.Diff(tt.want, before.Moved(r.state())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTreesGitWorktreePointer(t *testing.T) {
	r := newRepository(t)
	other := repository{t, filepath.Join(t.TempDir(), "work")}
	r.git("worktree", "add", "-q", "-b", "side", other.dir)
	before := other.state()
	if _, ok := before["refs/heads/main"]; !ok {
		t.Errorf("the shared refs are missing: %v", before)
	}
	other.git("commit", "-q", "--allow-empty", "-m", "x")
	write(t, r.dir, ".git/hooks/pre-push", "x")
	if diff := cmp.Diff([]string{"hooks/pre-push", "refs/heads/side"}, before.Moved(other.state())); diff != "" {
		t.Error(diff)
	}
	write(t, other.dir, ".git", "gitdir: elsewhere\n")
	if moved := before.Moved(other.state()); !slices.Contains(moved, ".git") || !slices.Contains(moved, "HEAD") {
		t.Errorf("moved %q", moved)
	}
}

func TestGitSha256Repository(t *testing.T) {
	r := newRepository(t, "--object-format=sha256")
	before := r.state()
	old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	os.Chtimes(filepath.Join(r.dir, "a"), old, old)
	r.git("status")
	if moved := before.Moved(r.state()); moved != nil {
		t.Errorf("moved %q", moved)
	}
}

// What a step may plant in .git neither hangs nor breaks the reading.
func TestTreesGitHostileRepository(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs links and FIFOs")
	}
	dir := t.TempDir()
	for _, sub := range []string{".git/refs/heads", ".git/hooks"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{".git/HEAD", ".git/index", ".git/refs/heads/fifo", ".git/hooks/pre-commit", ".git/packed-refs", ".git/commondir"} {
		mkfifo(t, filepath.Join(dir, path))
	}
	for path, target := range map[string]string{".git/refs/loop": ".", ".git/config": "config", ".git/modules": "/", ".git/refs/heads/out": "/etc/passwd"} {
		if err := os.Symlink(target, filepath.Join(dir, path)); err != nil {
			t.Fatal(err)
		}
	}
	g, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".git", "HEAD", "config", "hooks/pre-commit"} {
		if g[name] == "" {
			t.Errorf("%s is not in the state %v", name, g)
		}
	}
}

func TestGitManyRefsShareNames(t *testing.T) {
	refs := map[string]string{"refs/heads/main": "1"}
	for i := range maxRefs + 1 {
		refs["refs/tags/v"+string(rune('a'+i))] = "2"
	}
	got := groupRefs(refs)
	if len(got) != 2 || got["refs/tags"] == "" || got["refs/heads/main"] == "" {
		t.Fatalf("got %d names", len(got))
	}
	refs["refs/tags/va"] = "3"
	moved := ledger.GitState(got).Moved(groupRefs(refs))
	if diff := cmp.Diff([]string{"refs/tags"}, moved); diff != "" {
		t.Error(diff)
	}
}

func FuzzGitIndex(f *testing.F) {
	entry := append(make([]byte, indexStat+20), 0, 1, 'a')
	head := []byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01")
	f.Add(append(append(head, append(entry, make([]byte, 9)...)...), make([]byte, 20)...))
	f.Add([]byte("DIRC\x00\x00\x00\x04\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if indexDigest(content) != indexDigest(slices.Clone(content)) {
			t.Error("not the same twice")
		}
	})
}

// TestHead sets Head against what git says.
func TestHead(t *testing.T) {
	for name, format := range map[string]string{"sha1": "sha1", "sha256": "sha256"} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t, "--object-format="+format)
			want := func(dir string) {
				t.Helper()
				out, err := exec.Command("git", "-C", dir, "rev-parse", "HEAD").Output()
				if err != nil {
					t.Fatal(err)
				}
				within := filepath.Join(dir, "within", "it")
				if err := os.MkdirAll(within, 0o755); err != nil {
					t.Fatal(err)
				}
				for _, got := range []string{Head(dir), HeadAbove(dir), HeadAbove(within)} {
					if got == "" || got+"\n" != string(out) {
						t.Errorf("got %q, want %s", got, out)
					}
				}
				if got := Head(within); got != "" {
					t.Errorf("got %q within, want none", got)
				}
			}
			want(r.dir)
			r.git("pack-refs", "--all")
			want(r.dir)
			r.git("checkout", "-q", "--detach")
			want(r.dir)
			other := filepath.Join(t.TempDir(), "other")
			r.git("worktree", "add", "-q", "-b", "side/branch", other)
			want(other)
		})
	}
}

// TestHeadOfNothing has no commit to name.
func TestHeadOfNothing(t *testing.T) {
	dir := t.TempDir()
	for _, head := range []string{"", "ref: refs/heads/main", "ref: refs/../../secret", "ref: HEAD", "ref: refs/heads/loop", "0123", "no hash at all"} {
		if head != "" {
			write(t, dir, ".git/HEAD", head+"\n")
			write(t, dir, ".git/refs/heads/loop", "ref: refs/heads/loop\n")
		}
		if got := Head(dir); got != "" {
			t.Errorf("HEAD %q: got %q", head, got)
		}
	}
}
