package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/ledger"
)

// shared are contents that many processes keep in a folder, a file each.
type shared struct{ dir string }

func (s shared) file(d ledger.Digest) string {
	return filepath.Join(s.dir, strings.ReplaceAll(string(d), ":", "-"))
}

func (s shared) Put(_ context.Context, d ledger.Digest, content io.Reader) error {
	f, err := os.CreateTemp(s.dir, "temp-")
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), s.file(d))
}

func (s shared) Get(_ context.Context, d ledger.Digest) (io.ReadCloser, error) {
	f, err := os.Open(s.file(d))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", checkpoint.ErrNotFound, d)
	}
	return f, err
}

func (s shared) Has(_ context.Context, d ledger.Digest) (bool, error) {
	_, err := os.Stat(s.file(d))
	return err == nil, nil
}

func (s shared) Sync(context.Context) error { return nil }

// work is a worker in a process of its own. Where it is to sleep, it takes a job
// and does nothing.
func work(url string) int {
	if text := os.Getenv("PLANLOCK_TEST_SILENT"); text != "" {
		silent = text
	}
	ctx := context.Background()
	q, err := Open(ctx, url, Config{})
	if err == nil {
		if long, bad := time.ParseDuration(os.Getenv("PLANLOCK_TEST_SLEEP")); bad == nil {
			var l remote.Lease
			if l, err = q.Take(ctx, func(remote.Job) bool { return true }); err == nil {
				time.Sleep(long)
				err = l.Done(ctx, remote.Result{Host: "late"})
			}
		} else {
			w := &remote.Worker{Jobs: q, Blobs: shared{os.Getenv("PLANLOCK_TEST_BLOBS")}, Executors: exec.Default(&shell.Executor{})}
			err = w.Run(ctx)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// spawn starts a worker, which is killed at the end of the test.
func spawn(t *testing.T, q *Queue, blobs string, env ...string) *osexec.Cmd {
	t.Helper()
	w := osexec.Command(os.Args[0])
	w.Env = append(append(os.Environ(), "PLANLOCK_TEST_WORKER="+q.config.ConnString(), "PLANLOCK_TEST_BLOBS="+blobs,
		"TMPDIR="+t.TempDir()), env...)
	w.Stderr = os.Stderr
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = w.Process.Kill() // it may be dead
		_ = w.Wait()
	})
	return w
}

// runs waits until a job is carried out.
func (q *Queue) runs(t *testing.T, key string) {
	t.Helper()
	for range 1000 {
		row, err := q.find(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if row != nil && row.State == "running" {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("nobody takes %s", key)
}

// TestKilled: the job of a process that is killed is lost within seconds, and
// another one may have it under another key.
func TestKilled(t *testing.T) {
	q := opened(t, database(t))
	w := spawn(t, q, t.TempDir(), "PLANLOCK_TEST_SLEEP=1m")
	if err := q.Submit(t.Context(), job("k")); err != nil {
		t.Fatal(err)
	}
	q.runs(t, "k")
	lost := make(chan error, 1)
	go func() {
		_, err := q.Result(t.Context(), "k")
		lost <- err
	}()
	time.Sleep(500 * time.Millisecond)
	begun := time.Now()
	if err := w.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	err := <-lost
	if took := time.Since(begun); !errors.Is(err, remote.ErrLost) || took > 3*time.Second {
		t.Errorf("after %v: %v", took, err)
	}
	if again := taken(t, q, q, "k2"); again.Done(t.Context(), remote.Result{}) != nil {
		t.Error("the next one is not done")
	}
}

// lanes is a plan of tasks that are independent, of two steps each, which take a
// moment; the first step of the first fails once, and has a backup.
func lanes(n int) string {
	var b strings.Builder
	b.WriteString("schema = 1\nnon_goals = []\ninvariants = []\n[execution]\njobs = 4\n[goal]\ndescription = \"Write files\"\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "[[requirements]]\nid = \"R%d\"\ntext = \"File %d is written\"\n", i, i)
	}
	step := func(i, id int, run, change, artifacts, text string) {
		fmt.Fprintf(&b, `[[tasks.steps]]
id = %d
description = "Write line %[1]d"
run = %q
requirements = ["R%d"]
rollback = "reversible"
on_failure = "block"
semantic_change = %q
artifacts = { %s = ["%[3]d.txt"] }
limits = { max_files = 1, max_lines = 9 }
postconditions = [{ kind = "file_contains", path = "%[3]d.txt", text = %[6]q }]
`, id, run, i, change, artifacts, text)
	}
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "[[tasks]]\nid = %d\ndescription = \"File %[1]d\"\n", i)
		if i == 1 {
			step(i, 1, "sleep 0.3; echo half > 1.txt; exit 3", "extending", "create", "one")
			b.WriteString("[[tasks.steps.backups]]\nid = 1\ndescription = \"Otherwise\"\nrun = \"printf one > 1.txt\"\n")
		} else {
			step(i, 1, fmt.Sprintf("sleep 0.3; printf one > %d.txt", i), "extending", "create", "one")
		}
		step(i, 2, fmt.Sprintf("sleep 0.3; printf two >> %d.txt; echo done %[1]d", i), "modifying", "modify", "two")
	}
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "[[speclets]]\nid = \"l%d\"\ntasks = [%d]\nparallel_allowed = true\n", i, i)
	}
	return b.String()
}

// steps is what a run says of its steps, without times and places.
func steps(run *history.Run) (all []string) {
	for _, s := range run.Steps {
		text := fmt.Sprintf("%s %s", s.Address, s.Status)
		for _, a := range s.Attempts {
			text += fmt.Sprintf(" | %s %s", a.Method.Method, a.Method.Executor)
			if a.Said != nil {
				text += fmt.Sprintf(" said %q exit %d %s", a.Said.Output, a.Said.Exit, a.Said.Error)
			}
			if a.Accounted != nil {
				text += fmt.Sprint(" ", a.Accounted.Account)
			}
			if a.Failure != nil {
				text += fmt.Sprint(" ", a.Failure.Class, a.Failure.Reasons)
			}
		}
		all = append(all, text)
	}
	return all
}

// TestSameAsHere carries a plan out by four processes, of which some are killed at
// random while they are at work: tree and steps are those of one machine.
func TestSameAsHere(t *testing.T) {
	q := opened(t, database(t))
	bench := func(blobs checkpoint.Blobs, x exec.Executor) *exectest.Bench {
		return exectest.Around(t, lanes(4), exectest.Files{"0.txt": "zero\n"},
			exec.Controller{Blobs: blobs, Gates: builtin.Gates(), Executors: exec.Default(x)})
	}
	here := bench(&checkpoint.Memory{}, &shell.Executor{})
	want := here.Run(t)
	want.Want(t, history.Achieved)

	blobs := t.TempDir()
	var workers []*osexec.Cmd
	for range 4 {
		workers = append(workers, spawn(t, q, blobs))
	}
	ctx, end := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	wait.Go(func() {
		for killed := 0; killed < 4 && ctx.Err() == nil; {
			busy := ""
			_ = q.pool.QueryRow(ctx, `SELECT coalesce(string_agg(attempted_by[1], ' '), '') FROM `+schema+`.river_job
				WHERE state = 'running'`).Scan(&busy) // nobody, where it fails
			for i, w := range workers {
				if rand.N(2) == 0 && strings.Contains(busy, fmt.Sprintf("/%d/", w.Process.Pid)) {
					_ = w.Process.Kill()
					workers[i] = spawn(t, q, blobs)
					killed++
				}
			}
			time.Sleep(rand.N(300 * time.Millisecond))
		}
	})
	var mu sync.Mutex
	lost, by := 0, map[string]bool{}
	there := bench(shared{blobs}, &remote.Executor{Jobs: q, Blobs: shared{blobs}, As: &shell.Executor{}, Tell: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(text, "its worker is gone") {
			lost++
		} else if _, host, ok := strings.Cut(text, "carried out by "); ok {
			by[host] = true
		}
	}})
	got := there.Run(t)
	end()
	wait.Wait()
	got.Want(t, history.Achieved)
	if d := cmp.Diff(steps(want.Report.Run), steps(got.Report.Run)); d != "" {
		t.Errorf("steps (-here +there):\n%s", d)
	}
	if a, b := here.Tree(t).Digest(), there.Tree(t).Digest(); a != b {
		t.Errorf("the tree is %s there, %s here", b.Short(), a.Short())
	}
	if t.Logf("%d were lost; carried out by %d processes", lost, len(by)); lost == 0 || len(by) < 2 {
		t.Errorf("%d were lost; by %v", lost, by)
	}
}
