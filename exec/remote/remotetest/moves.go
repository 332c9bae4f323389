package remotetest

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/ledger"
)

// Written is how many bytes each step of [Moves] writes, and Initial how many the tree
// has that its plan begins with.
const (
	Written = 64 << 10
	Initial = files * fileSize

	files    = 200
	fileSize = 4 << 10
)

// Moves are a plan, carried out by workers, of which is counted what they move.
type Moves struct {
	// Tasks run beside each other, where there is more than one, and have so many
	// steps each, which follow one another.
	Tasks, Steps int
	// Owner gives jobs away, and each of Workers takes them from its Jobs. What they
	// say of Blobs, executors and folders is not looked at.
	Owner   remote.Queue
	Workers []*remote.Worker
	// After is called after each step; it may be nil.
	After func(Moved)
}

// Moved is what was moved between owner and workers, and the contents that they share.
type Moved struct {
	Put, Got int64 // bytes to the contents, and from there
	Asked    int64 // contents that were read or asked for
	Workers  int64 // bytes of Got that workers had
}

// Run carries the plan out.
func (m *Moves) Run(t testing.TB) Moved {
	t.Helper()
	shared := &checkpoint.Memory{}
	owner, theirs := &meter{Blobs: shared}, &meter{Blobs: shared}
	so := func() Moved {
		return Moved{owner.put.Load() + theirs.put.Load(), owner.got.Load() + theirs.got.Load(),
			owner.asked.Load() + theirs.asked.Load(), theirs.got.Load()}
	}
	ctx, end := context.WithCancel(context.Background())
	defer end()
	var wait sync.WaitGroup
	for _, w := range m.Workers {
		w.Blobs, w.Executors, w.Dir = theirs, exec.Default(writes), t.TempDir()
		wait.Go(func() {
			if err := w.Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	x := &remote.Executor{Jobs: m.Owner, Blobs: owner, As: writes, Tell: func(string) {
		if m.After != nil {
			m.After(so())
		}
	}}
	initial := exectest.Files{}
	for i := range files {
		initial[fmt.Sprintf("d%d/%d.txt", i/20, i)] = strings.Repeat(fmt.Sprintf("%-16d", i), fileSize/16)
	}
	b := exectest.Around(t, writing(m.Tasks, m.Steps), initial, exec.Controller{Blobs: shared, Gates: builtin.Gates(),
		Executors: exec.Default(x)})
	b.Run(t).Want(t, history.Partial) // nobody reviews it
	end()
	wait.Wait()
	return so()
}

// ForEach carries out a plan of one task, and returns what is moved for each step
// after the first two, which move the tree: bytes to the contents and from there,
// for each byte that the step changed, and how often these are asked.
func (m *Moves) ForEach(t testing.TB) (put, got, asked float64) {
	t.Helper()
	var after []Moved
	m.Tasks, m.After = 1, func(so Moved) { after = append(after, so) }
	m.Run(t)
	steps := float64(m.Steps - 2) // the second step sees what the owner reads of the first
	a, b := after[1], after[m.Steps-1]
	return float64(b.Put-a.Put) / steps / Written, float64(b.Got-a.Got) / steps / Written,
		float64(b.Asked-a.Asked) / steps
}

// writes is an executor that writes one file, whose content no other step has.
var writes = exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
	text := strings.Repeat(fmt.Sprintf("%-16s", w.Step.Address), Written/16)
	return exec.Outcome{}, os.WriteFile(filepath.Join(w.Dir, string(w.Step.Address)+".txt"), []byte(text), 0o644)
})

// writing is a plan of tasks with so many steps each.
func writing(tasks, steps int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "schema = 1\nnon_goals = []\ninvariants = []\nrequirements = [{ id = \"R1\", text = \"all\" }]\n"+
		"goal = { description = \"Write files\" }\nexecution = { jobs = %d }\n", tasks)
	for i := 1; i <= tasks; i++ {
		fmt.Fprintf(&b, "[[tasks]]\nid = %d\ndescription = \"Write\"\n", i)
		for n := 1; n <= steps; n++ {
			fmt.Fprintf(&b, `[[tasks.steps]]
id = %[2]d
description = "Write one"
run = "true"
requirements = ["R1"]
rollback = "reversible"
on_failure = "block"
semantic_change = "extending"
artifacts = { create = ["%[1]d.%[2]d.txt"] }
limits = { max_files = 1, max_lines = 9 }
postconditions = [{ kind = "file_exists", path = "%[1]d.%[2]d.txt" }]
`, i, n)
		}
	}
	for i := 1; tasks > 1 && i <= tasks; i++ {
		fmt.Fprintf(&b, "[[speclets]]\nid = \"l%d\"\ntasks = [%d]\nparallel_allowed = true\n", i, i)
	}
	return b.String()
}

// A meter counts what is moved between one machine and the contents.
type meter struct {
	checkpoint.Blobs
	put, got, asked atomic.Int64
}

func (m *meter) Put(ctx context.Context, d ledger.Digest, content io.Reader) error {
	return m.Blobs.Put(ctx, d, counted{content, &m.put})
}

func (m *meter) Get(ctx context.Context, d ledger.Digest) (io.ReadCloser, error) {
	m.asked.Add(1)
	in, err := m.Blobs.Get(ctx, d)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{counted{in, &m.got}, in}, nil
}

func (m *meter) Has(ctx context.Context, d ledger.Digest) (bool, error) {
	m.asked.Add(1)
	return m.Blobs.Has(ctx, d)
}

type counted struct {
	io.Reader
	n *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}
