//go:build linux && (amd64 || arm64)

package process_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/planlock/planlock/internal/process"
)

// A workspace in /dev/shm, and a folder there that may be written, are there
// for commands; nothing else of it is.
func TestWorkspaceInSharedMemory(t *testing.T) {
	for _, level := range []process.Level{process.Filesystem, process.Strict} {
		t.Run(string(level), func(t *testing.T) {
			r, _ := confined(t, level)
			shm, err := os.MkdirTemp("/dev/shm", "planlock-test-")
			if err != nil {
				t.Skip(err)
			}
			t.Cleanup(func() { os.RemoveAll(shm) })
			r.Dir = filepath.Join(shm, "deep", "workspace")
			write(t, filepath.Join(r.Dir, ".git", "HEAD"), "ref")
			write(t, filepath.Join(r.Dir, "a", "old"), "old")
			write(t, filepath.Join(r.Dir, "b", "old"), "old")
			write(t, filepath.Join(shm, "other", "secret"), "secret")
			write(t, filepath.Join(shm, "cache", "old"), "old")
			r.Sandbox.Writable = []string{filepath.Join(shm, "cache")}
			for script, want := range map[string]bool{
				"test $(cat a/old) = old && echo new >a/new && mkdir -p c/d && mv a/new c/d && rm -r c": true,
				"test $(cat $SHM/cache/old) = old && echo new >$SHM/cache/new":                          true,
				"echo x >/dev/shm/mine && rm /dev/shm/mine":                                             true,
				"cat $SHM/other/secret":                             false,
				"cat .git/HEAD && ! echo moved >.git/HEAD":          true,
				"mv .git moved || mv $SHM/deep/workspace $SHM/gone": false,
			} {
				if got := status(t, r, script, "SHM="+shm) == 0; got != want {
					t.Errorf("%s: %v, want %v", script, got, want)
				}
			}
			r.Sandbox.Writes = []string{"a/x"}
			if status(t, r, "cat b/old && echo x >a/x") != 0 || status(t, r, "echo x >b/x") == 0 {
				t.Error("the set of what a step writes does not hold")
			}
			if got, err := os.ReadFile(filepath.Join(shm, "cache", "new")); err != nil || string(got) != "new\n" {
				t.Errorf("outside the folder holds %q, %v", got, err)
			}
			if _, err := os.Stat(filepath.Join(r.Dir, "a", "x")); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSharedMemoryIsTheWorkspace(t *testing.T) {
	r, _ := confined(t, process.Filesystem)
	f, err := os.CreateTemp("/dev/shm", "planlock-test-")
	if err != nil {
		t.Skip(err)
	}
	f.Close()
	t.Cleanup(func() { os.Remove(f.Name()) })
	r.Dir = "/dev/shm"
	if status(t, r, "echo new >$FILE", "FILE="+filepath.Base(f.Name())) != 0 {
		t.Error("a command fails")
	}
	if got, err := os.ReadFile(f.Name()); err != nil || string(got) != "new\n" {
		t.Errorf("it holds %q, %v", got, err)
	}
}
