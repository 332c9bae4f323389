package exec_test

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// ofTheRepository are those that leave something where nothing is restored: in a
// layer it is dropped with the copy (see
// TestWhatAStepDoesToTheRepositoryIsDropped).
var ofTheRepository = map[string]bool{"hidden by info/exclude": true, "another HEAD": true, "hooks elsewhere": true}

// TestWhatAStepLeavesIsSeenAndUndone is a step that does its work, and
// something beside it that is hard to see or to take away: the step fails, what
// it left is named, and the tree is what it was.
func TestWhatAStepLeavesIsSeenAndUndone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs links, pipes and modes")
	}
	leave := map[string]struct {
		do    func(dir, outside string) error
		names string
	}{
		"hidden by .gitignore": {func(dir, _ string) error {
			return errors.Join(exectest.Put(dir, ".gitignore", "*\n"), exectest.Put(dir, "hidden.txt", "h\n"))
		}, "hidden.txt"},
		"hidden by info/exclude": {func(dir, _ string) error {
			return errors.Join(exectest.Put(dir, ".git/info/exclude", "*\n"), exectest.Put(dir, "hidden.txt", "h\n"))
		}, "info/exclude"},
		"a repository of its own": {func(dir, _ string) error { return exectest.Put(dir, "sub/.git/hooks/pre-commit", "#!/bin/sh\n") }, "sub/.git"},
		"a pointer to a worktree": {func(dir, _ string) error { return exectest.Put(dir, "sub/.git", "gitdir: ../../elsewhere\n") }, "sub/.git"},
		"a submodule":             {func(dir, _ string) error { return exectest.Put(dir, ".gitmodules", "[submodule \"x\"]\n") }, ".gitmodules"},
		"attributes":              {func(dir, _ string) error { return exectest.Put(dir, ".gitattributes", "* filter=evil\n") }, ".gitattributes"},
		"another HEAD":            {func(dir, _ string) error { return exectest.Put(dir, ".git/HEAD", "ref: refs/heads/other\n") }, "HEAD"},
		"hooks elsewhere": {func(dir, _ string) error {
			return exectest.Put(dir, ".git/config", "[core]\nhooksPath = evil\nfsmonitor = evil\n")
		},
			"config"},
		"a pipe":   {func(dir, _ string) error { return mkfifo(filepath.Join(dir, "pipe")) }, "pipe"},
		"a socket": {func(dir, _ string) error { return listen(dir) }, "sock"},
		"a setuid program": {func(dir, _ string) error {
			return os.Chmod(filepath.Join(dir, "b.txt"),
				0o755|fs.ModeSetuid)
		}, "b.txt"},
		"a hard link to the outside": {func(dir, outside string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "b.txt")), os.Link(outside, filepath.Join(dir, "b.txt")))
		}, "b.txt"},
		"a link in place of a folder": {func(dir, outside string) error {
			return errors.Join(os.RemoveAll(filepath.Join(dir, "d")),
				os.Symlink(filepath.Dir(outside), filepath.Join(dir, "d")))
		}, "d"},
		"a loop of links":      {func(dir, _ string) error { return os.Symlink("loop", filepath.Join(dir, "loop")) }, "loop"},
		"a name with ESC":      {func(dir, _ string) error { return exectest.Put(dir, "x\x1b[2J\ny", "") }, `x\x1b[2J\ny`},
		"a name like a flag":   {func(dir, _ string) error { return exectest.Put(dir, "-rf", "") }, "-rf"},
		"a name in other case": {func(dir, _ string) error { return exectest.Put(dir, "B.TXT", "") }, "B.TXT"},
		"a long name": {func(dir, _ string) error { return exectest.Put(dir, strings.Repeat("n", 255), "") },
			strings.Repeat("n", 200)},
		"the same size and time": {func(dir, _ string) error {
			path := filepath.Join(dir, "b.txt")
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			return errors.Join(os.WriteFile(path, []byte("x\n"), 0o644),
				os.Chtimes(path, info.ModTime(), info.ModTime()))
		}, "b.txt"},
		"a file of 1970": {func(dir, _ string) error {
			return errors.Join(exectest.Put(dir, "old", ""),
				os.Chtimes(filepath.Join(dir, "old"), time.Unix(0, 0), time.Unix(0, 0)))
		}, "old"},
		"a file of the future": {func(dir, _ string) error {
			late := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
			return errors.Join(exectest.Put(dir, "new", ""), os.Chtimes(filepath.Join(dir, "new"), late, late))
		}, "new"},
	}
	for name, tt := range leave {
		t.Run(name, func(t *testing.T) {
			outside := filepath.Join(t.TempDir(), "precious")
			must(t, os.WriteFile(outside, []byte("precious\n"), 0o644))
			files := exectest.Files{"b.txt": "b\n", "d/precious": "d\n", ".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[core]\n"}
			script := exectest.Script{"1.1": exectest.All(goodScript["1.1"],
				func(_ context.Context, w exec.Work) (exec.Outcome, error) {
					return exec.Outcome{}, tt.do(w.Dir, outside)
				}), "1.2": goodScript["1.2"]}
			text := twoSteps()
			if ofTheRepository[name] {
				text = inPlace(text)
			}
			b := exectest.New(t, text, files, script)
			before := b.Tree(t).Digest()
			run := b.Run(t)
			run.Want(t, history.NotAchieved)
			if failed := run.Failed("1.1"); failed == nil || !strings.Contains(failed.String(), tt.names) {
				t.Errorf("failed with %v, want %q named", failed, tt.names)
			}
			if after := b.Tree(t).Digest(); after != before {
				t.Errorf("the tree is %s, and was %s", after, before)
			}
			if content, err := os.ReadFile(outside); err != nil || string(content) != "precious\n" {
				t.Errorf("what lies outside holds %q, %v", content, err)
			}
		})
	}
}

// What a step writes into info/exclude of its layer hides nothing that it leaves
// beside it.
func TestNothingIsHiddenByTheRepositoryOfALayer(t *testing.T) {
	files := exectest.Files{"b.txt": "b\n", ".git/HEAD": "ref: refs/heads/main\n"}
	run := exectest.Run(t, twoSteps(), files, exectest.Script{"1.1": exectest.All(goodScript["1.1"],
		exectest.Write(".git/info/exclude", "*\n"), exectest.Write("hidden.txt", "h\n")), "1.2": goodScript["1.2"]})
	run.Want(t, history.NotAchieved)
	if failed := run.Failed("1.1"); failed == nil || !strings.Contains(failed.String(), "hidden.txt") {
		t.Errorf("failed with %v, want hidden.txt named", failed)
	}
}

// listen leaves a socket in dir.
func listen(dir string) error {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "sock"), Net: "unix"})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	return l.Close()
}

// A pipe that was there is there again after a step that removed it; of a
// socket the run says first that it would not be.
func TestAPipeThatAStepRemovesIsMadeAgain(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs pipes in an open folder")
	}
	script := exectest.Script{"1.1": exectest.All(goodScript["1.1"],
		func(_ context.Context, w exec.Work) (exec.Outcome, error) {
			return exec.Outcome{}, os.Remove(filepath.Join(w.Dir, "pipe"))
		}), "1.2": goodScript["1.2"]}
	b := exectest.New(t, twoSteps(), exectest.Files{"b.txt": "b\n"}, script)
	must(t, errors.Join(mkfifo(filepath.Join(b.Controller.Dir, "pipe")), listen(b.Controller.Dir)))
	before := b.Tree(t).Digest()
	run := b.Run(t)
	run.Want(t, history.NotAchieved)
	if after := b.Tree(t).Digest(); after != before {
		t.Errorf("the tree is %s, and was %s", after, before)
	}
	if info, err := os.Lstat(filepath.Join(b.Dir, "pipe")); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		t.Errorf("the pipe is %v, %v", info, err)
	}
	if said := strings.Join(run.Report.Run.Started.Warnings, "\n"); !strings.Contains(said, `1 of them ("sock")`) {
		t.Errorf("it warned of %q", said)
	}
}
