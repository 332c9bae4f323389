package remotetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate/builtin"
)

// A Ratio is of times that two ways to do something take, measured in turn.
type Ratio struct{ ours, theirs []time.Duration }

// Ours adds times of the one.
func (r *Ratio) Ours(took ...time.Duration) { r.ours = append(r.ours, took...) }

// Theirs adds times of the other.
func (r *Ratio) Theirs(took ...time.Duration) { r.theirs = append(r.theirs, took...) }

// Report reports the medians and their ratio.
func (r *Ratio) Report(b *testing.B) {
	b.Helper()
	ours, theirs := median(r.ours), median(r.theirs)
	b.ReportMetric(ours, "ours-ms")
	b.ReportMetric(theirs, "theirs-ms")
	b.ReportMetric(ours/theirs, "ratio")
	b.ReportMetric(0, "ns/op") // says nothing
}

func median(of []time.Duration) (ms float64) {
	slices.Sort(of)
	return float64(of[len(of)/2].Microseconds()) / 1000
}

// Timed is how long something takes.
func Timed(do func()) time.Duration {
	begun := time.Now()
	do()
	return time.Since(begun)
}

// A Crew is one owner with workers, for benchmarks.
type Crew struct {
	Jobs    remote.Queue
	Worker  remote.Worker // its Jobs and At
	Blobs   checkpoint.Blobs
	Carries exec.Executor // nil is the shell
}

// Run carries out a plan of so many steps by so many lanes, each of which runs a
// command in a folder of 100 files, and returns how long that took. The worker
// stands by, and had no job before.
func (c *Crew) Run(b testing.TB, lanes, steps int, run string) (took time.Duration) {
	b.Helper()
	x := c.Carries
	if x == nil {
		x = &shell.Executor{}
	}
	ctx, end := context.WithCancel(context.Background())
	w := c.Worker
	w.Blobs, w.Executors = c.Blobs, exec.Default(x)
	ended := make(chan error)
	go func() { ended <- w.Run(ctx) }()
	defer func() {
		end()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	}()
	files := exectest.Files{}
	for i := range 100 {
		files[fmt.Sprintf("%d.txt", i)] = "text\n"
	}
	bench := exectest.Around(b, commands(lanes, steps, run), files, exec.Controller{Blobs: c.Blobs, Gates: builtin.Gates(),
		Executors: exec.Default(&remote.Executor{Jobs: c.Jobs, Blobs: c.Blobs, As: x})})
	locked := bench.Lock(b)
	var report *exec.Report
	var err error
	took = Timed(func() { report, err = bench.Controller.Run(context.Background(), locked) })
	result := exectest.Result{Report: report, Err: err, Dir: bench.Dir}
	result.Want(b, history.Partial) // nothing is proved
	return took
}

// Steps are the times from the beginning of one step that does nothing to that of the
// next, of a plan of so many that follow one another.
func (c *Crew) Steps(b testing.TB, steps int) (took []time.Duration) {
	b.Helper()
	var last time.Time
	c.Carries = exec.Func(func(context.Context, exec.Work) (exec.Outcome, error) {
		now := time.Now()
		if !last.IsZero() {
			took = append(took, now.Sub(last))
		}
		last = now
		return exec.Outcome{}, nil
	})
	c.Run(b, 1, steps, "true")
	return took
}

// Lanes has one worker carry out runs of steps at once, beside others: eight that
// wait, beside one; and two that compute, beside two one after another.
func Lanes(b *testing.B, jobs remote.Queue, source remote.Source, blobs checkpoint.Blobs) {
	for _, c := range []struct {
		name, run    string
		ours, theirs [2]int // lanes, and steps
	}{
		{"wait", "sleep 0.2", [2]int{8, 8}, [2]int{1, 1}},
		{"compute", "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done", [2]int{2, 2}, [2]int{1, 2}},
	} {
		b.Run(c.name, func(b *testing.B) {
			run := func(of [2]int) time.Duration {
				crew := Crew{Jobs: jobs, Worker: remote.Worker{Jobs: source, At: of[0]}, Blobs: blobs}
				return crew.Run(b, of[0], of[1], c.run)
			}
			var ratio Ratio
			for b.Loop() {
				ratio.Ours(run(c.ours))
				ratio.Theirs(run(c.theirs))
			}
			ratio.Report(b)
		})
	}
}

// commands is a plan of so many steps, which may run at once in lanes.
func commands(lanes, steps int, run string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "schema = 1\nnon_goals = []\ninvariants = []\nrequirements = [{ id = \"R1\", text = \"all\" }]\n"+
		"goal = { description = \"Run commands\" }\nexecution = { jobs = %d }\n", lanes)
	if lanes == 1 {
		b.WriteString("[[tasks]]\nid = 1\ndescription = \"Run\"\n")
	}
	for i := 1; i <= steps; i++ {
		if lanes > 1 {
			fmt.Fprintf(&b, "[[tasks]]\nid = %d\ndescription = \"Run\"\n", i)
		}
		fmt.Fprintf(&b, `[[tasks.steps]]
id = %d
description = "Run it"
run = %q
requirements = ["R1"]
rollback = "reversible"
on_failure = "block"
semantic_change = "preserving"
artifacts = {}
postconditions = [{ kind = "file_exists", path = "0.txt" }]
`, i, run)
	}
	for i := 1; lanes > 1 && i <= steps; i++ {
		fmt.Fprintf(&b, "[[speclets]]\nid = \"l%d\"\ntasks = [%d]\nparallel_allowed = true\n", i, i)
	}
	return b.String()
}
