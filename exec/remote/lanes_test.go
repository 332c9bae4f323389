package remote_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan/native"
)

// twoLanes is a plan of two steps that may run at once.
const twoLanes = `schema = 1
non_goals = []
invariants = []
goal = { description = "Change files" }
execution = { jobs = 2 }
ledger = { ignore = ["cache"] }
[[requirements]]
id = "R1"
text = "all"
[[speclets]]
id = "l1"
tasks = [1]
parallel_allowed = true
[[speclets]]
id = "l2"
tasks = [2]
parallel_allowed = true
[[tasks]]
id = 1
description = "One"
[[tasks.steps]]
id = 1
description = "Change, delete and create"
run = '''%s'''
requirements = ["R1"]
rollback = "reversible"
on_failure = "block"
semantic_change = "extending"
artifacts = { create = ["new/a.txt"], modify = ["1.txt"], delete = ["old/gone.txt"] }
limits = { max_files = 9, max_lines = 9 }
postconditions = [{ kind = "file_contains", path = "new/a.txt", text = "made" }]
[[tasks]]
id = 2
description = "Two"
[[tasks.steps]]
id = 1
description = "Change"
run = "echo two > 2.txt; %s"
requirements = ["R1"]
rollback = "reversible"
on_failure = "block"
semantic_change = "modifying"
artifacts = { modify = ["2.txt"] }
limits = { max_files = 1, max_lines = 9 }
postconditions = [{ kind = "file_contains", path = "2.txt", text = "two" }]
`

const changes = `mkdir new; echo made > new/a.txt; chmod 755 1.txt; rm old/gone.txt; mkdir -p cache; echo c > cache/c; rm -f cache/d`

// inTwoLanes carries the plan out by a worker of two lanes, which both are at work at
// once, when look is called; the second one does also what too says.
func inTwoLanes(t *testing.T, run, too string, blobs checkpoint.Blobs, look func(dir string)) (*exectest.Bench, *exectest.Result) {
	t.Helper()
	queue := &remote.Memory{}
	b := exectest.Around(t, fmt.Sprintf(twoLanes, run, too), exectest.Files{"1.txt": "one\n", "2.txt": "\n", "3.txt": "three\n",
		"old/gone.txt": "\n", "cache/c": "\n", "cache/d": "\n"}, exec.Controller{Blobs: blobs, Gates: builtin.Gates(),
		Executors: exec.Default(&remote.Executor{Jobs: queue, Blobs: blobs, As: &shell.Executor{}})})
	plan := filepath.Join(b.Dir, "plan.toml")
	err := exectest.Put(b.Dir, "plan.toml", fmt.Sprintf(twoLanes, run, too))
	if err == nil {
		b.Draft, err = native.ReadFile(plan)
	}
	if err != nil {
		t.Fatal(err)
	}
	var (
		mu   sync.Mutex
		at   int
		both = make(chan struct{})
	)
	meets := exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		mu.Lock()
		if at++; at == 2 {
			look(b.Dir)
			close(both)
		}
		mu.Unlock()
		<-both
		return (&shell.Executor{}).Execute(ctx, w)
	})
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error)
	w := &remote.Worker{Jobs: queue, Blobs: blobs, Executors: exec.Executors{"shell": meets}, At: 2, Dir: t.TempDir()}
	go func() { ended <- w.Run(ctx) }()
	r := b.Run(t)
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	return b, r
}

// TestLanesHaveNoFolder: at the owner, a step that is carried out elsewhere beside
// others has no folder, and what it changed is in the tree and beside it.
func TestLanesHaveNoFolder(t *testing.T) {
	copies := 0
	b, r := inTwoLanes(t, changes, "", &checkpoint.Memory{}, func(dir string) {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if filepath.Base(path) == "3.txt" {
				copies++
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	r.Want(t, history.Achieved)
	if copies != 2 {
		t.Errorf("while both were at work, the owner had %d copies of each file: want the workspace and the copy of the run", copies)
	}
	for name, want := range map[string]string{"new/a.txt": "made\n", "1.txt": "one\n", "2.txt": "two\n", "cache/c": "c\n"} {
		if got, err := os.ReadFile(filepath.Join(b.Dir, name)); string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if info, err := os.Stat(filepath.Join(b.Dir, "1.txt")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("1.txt: %v, %v", info, err)
	}
	for _, name := range []string{"old/gone.txt", "cache/d"} {
		if _, err := os.Stat(filepath.Join(b.Dir, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there: %v", name, err)
		}
	}
	for _, s := range r.Run.Steps {
		if len(s.Attempts) != 1 || s.Last().InLane() != history.LaneJoined {
			t.Errorf("step %s: %d attempts, %v", s.Address, len(s.Attempts), s.Last().InLane())
		}
	}
}

// TestLanesAreAccounted: what a step in a lane elsewhere changed and did not declare is
// undone, its files of the plan among it, and the other one counts.
func TestLanesAreAccounted(t *testing.T) {
	for _, also := range []string{"echo > 3.txt", "echo '#' >> plan.toml"} {
		b, r := inTwoLanes(t, changes+"; "+also, "", &checkpoint.Memory{}, func(string) {})
		one, two := r.Run.Steps[0], r.Run.Steps[1]
		if one.Status == history.Completed || two.Status != history.Completed {
			t.Errorf("%s: %s is %s, %s is %s: %v", also, one.Address, one.Status, two.Address, two.Status, r.Err)
		}
		if text, _ := os.ReadFile(filepath.Join(b.Dir, "3.txt")); string(text) != "three\n" {
			t.Errorf("%s: 3.txt is %q", also, text)
		}
	}
}

// TestLanesMeetBesideTheTree: a step that wrote in an ignored folder which another one
// took away is carried out once more, after it.
func TestLanesMeetBesideTheTree(t *testing.T) {
	const rest = "mkdir new; echo made > new/a.txt; chmod 755 1.txt; rm old/gone.txt; rm -rf cache; "
	for _, instead := range []string{"true", "echo > cache", "ln -s old cache"} {
		b, r := inTwoLanes(t, rest+instead, "rm -f cache; mkdir -p cache; echo x > cache/x", &checkpoint.Memory{}, func(string) {})
		r.Want(t, history.Achieved)
		for _, s := range r.Run.Steps {
			if first := s.Attempts[0].Failure; first == nil || first.Class != history.Met {
				t.Errorf("%s: the first attempt of step %s: %v", instead, s.Address, first)
			}
		}
		if text, err := os.ReadFile(filepath.Join(b.Dir, "cache/x")); string(text) != "x\n" {
			t.Errorf("%s: cache/x is %q, %v", instead, text, err)
		}
	}
}

// TestLanesAreVerified: what a step in a lane elsewhere made is compared with its digest
// before it counts.
func TestLanesAreVerified(t *testing.T) {
	damaged := &damaging{of: ledger.Sum([]byte("made\n"))}
	b, r := inTwoLanes(t, changes, "", damaged, func(string) {})
	one := r.Run.Steps[0]
	if one.Status == history.Completed || !strings.Contains(fmt.Sprint(one.Attempts[0].Failure), "damaged") {
		t.Errorf("%s, %v: %v", one.Status, one.Attempts[0].Failure, r.Err)
	}
	if _, err := os.Stat(filepath.Join(b.Dir, "new/a.txt")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is damaged is there: %v", err)
	}
}

// damaging are blobs in which one content is another one.
type damaging struct {
	checkpoint.Memory
	of ledger.Digest
}

func (d *damaging) Get(ctx context.Context, of ledger.Digest) (io.ReadCloser, error) {
	if of == d.of {
		return io.NopCloser(strings.NewReader("else\n")), nil
	}
	return d.Memory.Get(ctx, of)
}
