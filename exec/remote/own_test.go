package remote_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/plan"
)

// TestFolderOfItsOwn: a worker whose folder somebody took away makes it anew, one that
// finds a link there leaves what lies behind it alone, and what a step left of a
// repository is not there for the next one.
func TestFolderOfItsOwn(t *testing.T) {
	theirs := t.TempDir()
	if err := os.WriteFile(filepath.Join(theirs, "a"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var dir string // of the lane
	for name, c := range map[string]struct {
		between func() error
		fails   string
	}{
		"gone":         {func() error { return os.RemoveAll(dir) }, ""},
		"a repository": {func() error { return os.MkdirAll(filepath.Join(dir, ".git", "hooks"), 0o755) }, ""},
		"a link": {func() error {
			_ = os.RemoveAll(dir) // the link fails then
			return os.Symlink(theirs, dir)
		}, "is no folder"},
	} {
		t.Run(name, func(t *testing.T) {
			queue, blobs, from := &remote.Memory{}, &checkpoint.Memory{}, t.TempDir()
			var found []string
			looks := exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
				entries, err := os.ReadDir(w.Dir)
				for _, e := range entries {
					found = append(found, e.Name())
				}
				dir = w.Dir
				return exec.Outcome{}, err
			})
			x := &remote.Executor{Jobs: queue, Blobs: blobs, As: looks}
			go (&remote.Worker{Jobs: queue, Blobs: blobs, Executors: exec.Default(looks), Dir: t.TempDir()}).Run(t.Context())
			if err := os.WriteFile(filepath.Join(from, "b"), []byte("b"), 0o644); err != nil {
				t.Fatal(err)
			}
			work := exec.Work{RunID: "r", Dir: from, Step: &plan.Step{Address: "1.1"}, Task: &plan.Task{}}
			if _, err := x.Execute(t.Context(), work); err != nil {
				t.Fatal(err)
			}
			if err := c.between(); err != nil {
				t.Skip(err) // no link can be made here
			}
			found, work.Attempt = nil, 1
			_, err := x.Execute(t.Context(), work)
			switch {
			case c.fails == "" && (err != nil || !slices.Equal(found, []string{"b"})):
				t.Errorf("it found %q: %v", found, err)
			case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails) || found != nil):
				t.Errorf("it found %q: %v", found, err)
			}
			if there, err := os.ReadDir(theirs); err != nil || len(there) != 1 || there[0].Name() != "a" {
				t.Errorf("what is theirs: %v, %v", there, err)
			}
		})
	}
}

// TestRelativeFolder: a worker may be given its folder from where it is started.
func TestRelativeFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	queue, blobs := &remote.Memory{}, &checkpoint.Memory{}
	x := &remote.Executor{Jobs: queue, Blobs: blobs, As: &shell.Executor{}}
	w := &remote.Worker{Jobs: queue, Blobs: blobs, Executors: exec.Default(&shell.Executor{}), Dir: "work"}
	go w.Run(t.Context())
	work := exec.Work{RunID: "r", Dir: t.TempDir(), Step: &plan.Step{Address: "1.1"}, Task: &plan.Task{}}
	work.Method.Run = "echo made > a"
	if said, err := x.Execute(t.Context(), work); err != nil {
		t.Fatal(said, err)
	}
	if made, err := os.ReadFile(filepath.Join(work.Dir, "a")); err != nil || string(made) != "made\n" {
		t.Errorf("it made %q, %v", made, err)
	}
}
