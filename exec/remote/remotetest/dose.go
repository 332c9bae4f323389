package remotetest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/exec/shell"
)

// SameAsHere carries the plan of [Bench] out by a queue, and fails the test unless
// steps and tree are those of one machine.
func SameAsHere(t testing.TB, jobs remote.Queue, blobs checkpoint.Blobs, tell func(string)) {
	t.Helper()
	here := Bench(t, &checkpoint.Memory{}, &shell.Executor{})
	x := &remote.Executor{Jobs: jobs, Blobs: blobs, As: &shell.Executor{}, Tell: tell}
	same(t, here, here.Run(t), Bench(t, blobs, x))
}

// same runs the plan there, and compares with how it went here.
func same(t testing.TB, here *exectest.Bench, want *exectest.Result, there *exectest.Bench) *exectest.Result {
	t.Helper()
	got := there.Run(t)
	want.Want(t, history.Achieved)
	got.Want(t, history.Achieved)
	if d := cmp.Diff(steps(want.Run), steps(got.Run)); d != "" {
		t.Errorf("steps (-here +there):\n%s", d)
	}
	if a, b := here.Tree(t).Digest(), there.Tree(t).Digest(); a != b {
		t.Errorf("the tree is %s there, %s here", b.Short(), a.Short())
	}
	return got
}

// processes is how many workers a dose has, tasks how many lanes its plan has.
const processes, tasks = 4, 8

// A Dose is a plan of eight lanes that four worker processes carry out, of which
// some are killed at random moments.
type Dose struct {
	// Steps are how many the plan has, at least.
	Steps int
	// Kills are how many there are, over as many runs as it takes.
	Kills int
	Jobs  remote.Queue
	Blobs checkpoint.Blobs
	// Start starts a worker with one more variable in its environment. A worker
	// never ends by itself.
	Start func(env string) *osexec.Cmd
	// Crash kills the server of the queue and starts it again, in place of every
	// eighth kill of a worker; nil: it is left alone.
	Crash func() error

	killed, crashed int
	mu              sync.Mutex
	lost            int
	carried         map[string]int // how often a step was, by its address
}

// Run fails the test unless each run ends as on one machine, no step is carried
// out again once it is complete, and nothing that a worker started survives.
func (d *Dose) Run(t testing.TB) {
	t.Helper()
	here := bench(t, tasks, (d.Steps+tasks-1)/tasks, &checkpoint.Memory{}, &shell.Executor{})
	begun := time.Now()
	want := here.Run(t)
	t.Logf("%d steps in %d lanes on one machine: %.1f s, tree %s", len(want.Run.Steps), tasks, time.Since(begun).Seconds(),
		here.Tree(t).Digest())
	for run := 1; (run == 1 || d.killed < d.Kills) && !t.Failed(); run++ {
		d.lost, d.carried = 0, map[string]int{}
		there := bench(t, tasks, (d.Steps+tasks-1)/tasks, d.Blobs,
			&remote.Executor{Jobs: d.Jobs, Blobs: d.Blobs, As: &shell.Executor{}, Tell: d.tell})
		crew := d.hire(t)
		begun := time.Now()
		got := same(t, here, want, there)
		took := time.Since(begun)
		crew.dismiss(t)
		d.once(t, got)
		t.Logf("run %d by %d processes: %.1f s, %d jobs lost, tree %s; %d kills so far, %d of them of the server",
			run, processes, took.Seconds(), d.lost, there.Tree(t).Digest(), d.killed, d.crashed)
	}
}

func (d *Dose) tell(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if strings.Contains(text, "its worker is gone") {
		d.lost++
	} else if step, _, ok := strings.Cut(text, " was carried out by "); ok {
		d.carried[strings.TrimPrefix(step, "step ")]++
	}
}

// once fails the test unless each attempt was carried out once, and each step
// was completed once and not tried again.
func (d *Dose) once(t testing.TB, r *exectest.Result) {
	t.Helper()
	records, err := exec.Workspace{Dir: r.Dir}.Records(context.Background(), r.Run.Started.Run)
	if err != nil {
		t.Fatal(err)
	}
	done := map[string]int{}
	for _, rec := range records {
		switch rec.Type {
		case "step-completed":
			done[rec.Step]++
		case "attempt-started":
			if done[rec.Step] > 0 {
				t.Errorf("record %d: step %s is tried again, which was complete", rec.Seq, rec.Step)
			}
		}
	}
	for _, s := range r.Run.Steps {
		step := string(s.Address)
		if done[step] != 1 || d.carried[step] != len(s.Attempts) {
			t.Errorf("step %s was completed %d times, and carried out %d times in %d attempts", step, done[step],
				d.carried[step], len(s.Attempts))
		}
	}
}

// A crew are the workers of one run.
type crew struct {
	*Dose
	cookie  string
	workers []*worker
	end     context.CancelFunc
	wait    sync.WaitGroup
}

type worker struct {
	*osexec.Cmd
	dismissed, ended chan struct{}
}

// hire starts workers, and kills them at random moments.
func (d *Dose) hire(t testing.TB) *crew {
	t.Helper()
	ctx, end := context.WithCancel(context.Background())
	c := &crew{Dose: d, cookie: fmt.Sprintf("%s=%d", cookie, rand.Uint64()), end: end}
	for range processes {
		c.workers = append(c.workers, c.start(t))
	}
	c.wait.Go(func() {
		for d.killed < d.Kills {
			select {
			case <-ctx.Done():
				return
			case <-time.After(rand.N(time.Second)):
			}
			if d.killed++; d.killed%8 == 0 && d.Crash != nil {
				d.crashed++
				if err := d.Crash(); err != nil {
					t.Error(err)
					return
				}
				continue
			}
			i := rand.N(processes)
			c.workers[i].kill()
			c.workers[i] = c.start(t)
		}
	})
	return c
}

func (c *crew) start(t testing.TB) *worker {
	w := &worker{c.Start(c.cookie), make(chan struct{}), make(chan struct{})}
	go func() {
		defer close(w.ended)
		err := w.Wait()
		select {
		case <-w.dismissed:
		default:
			t.Errorf("a worker ended by itself: %v", err)
		}
	}()
	return w
}

func (w *worker) kill() {
	close(w.dismissed)
	_ = w.Process.Kill() // it may have ended
	<-w.ended
}

// dismiss ends all workers, and fails the test unless what they started goes by
// itself.
func (c *crew) dismiss(t testing.TB) {
	t.Helper()
	c.end()
	c.wait.Wait()
	for _, w := range c.workers {
		w.kill()
	}
	for until := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		left := running(c.cookie)
		if len(left) == 0 {
			return
		}
		if time.Now().After(until) {
			t.Errorf("the workers were killed, and these live on: %q", left)
			return
		}
	}
}

// Opened is the side of a worker, for processes that a [Dose] starts: one that
// begins while the server of the queue is down is begun again until it is up.
func Opened[S remote.Source](open func() (S, error)) (side S, err error) {
	for range 60 {
		if side, err = open(); err == nil {
			break
		}
		time.Sleep(500 * time.Millisecond)
	}
	return side, err
}

// running are the command lines of the processes with an entry in their
// environment, where that can be asked.
func running(entry string) (found []string) {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environs {
		env, err := os.ReadFile(path)
		if err == nil && bytes.Contains(env, []byte(entry+"\x00")) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			found = append(found, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return found
}
