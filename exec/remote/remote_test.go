package remote_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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
	"github.com/planlock/planlock/exec/remote/remotetest"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate/builtin"
)

// lanes is a plan of tasks that are independent, of two steps each; the first
// step of the first fails once, and has a backup.
func lanes(n int) string {
	var b strings.Builder
	b.WriteString("schema = 1\nnon_goals = []\ninvariants = []\n[execution]\njobs = 4\n[goal]\ndescription = \"Write files\"\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "[[requirements]]\nid = \"R%d\"\ntext = \"File %d is written\"\n", i, i)
	}
	for i := 1; i <= n; i++ {
		run := fmt.Sprintf("printf one > %d.txt", i)
		if i == 1 {
			run = "echo half > 1.txt; exit 3"
		}
		fmt.Fprintf(&b, `[[tasks]]
id = %[1]d
description = "File %[1]d"
[[tasks.steps]]
id = 1
description = "Write the first line"
run = %[2]q
requirements = ["R%[1]d"]
rollback = "reversible"
on_failure = "block"
semantic_change = "extending"
artifacts = { create = ["%[1]d.txt"] }
limits = { max_files = 1, max_lines = 9 }
postconditions = [{ kind = "file_contains", path = "%[1]d.txt", text = "one" }]
`, i, run)
		if i == 1 {
			b.WriteString("[[tasks.steps.backups]]\nid = 1\ndescription = \"Otherwise\"\nrun = \"printf one > 1.txt\"\n")
		}
		fmt.Fprintf(&b, `[[tasks.steps]]
id = 2
description = "Write the second line"
run = "printf two >> %[1]d.txt; echo done %[1]d"
requirements = ["R%[1]d"]
rollback = "reversible"
on_failure = "block"
semantic_change = "modifying"
artifacts = { modify = ["%[1]d.txt"] }
limits = { max_files = 1, max_lines = 9 }
postconditions = [{ kind = "file_contains", path = "%[1]d.txt", text = "two" }]
`, i)
	}
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "[[speclets]]\nid = \"l%d\"\ntasks = [%d]\nparallel_allowed = true\n", i, i)
	}
	return b.String()
}

// bench is a controller whose contents are in memory.
func bench(t *testing.T, blobs checkpoint.Blobs, x exec.Executor) *exectest.Bench {
	t.Helper()
	return exectest.Around(t, lanes(4), exectest.Files{"0.txt": "zero\n"},
		exec.Controller{Blobs: blobs, Gates: builtin.Gates(), Executors: exec.Default(x)})
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

// TestSameAsHere carries a plan out on four workers, of which some are lost at
// random: tree and steps are those of one machine.
func TestSameAsHere(t *testing.T) {
	here := bench(t, &checkpoint.Memory{}, &shell.Executor{})
	want := here.Run(t)
	want.Want(t, history.Achieved)

	blobs, queue := &checkpoint.Memory{}, &losing{}
	ctx, end := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for i := range 4 {
		w := &remote.Worker{Jobs: queue, Blobs: blobs, Executors: exec.Default(&shell.Executor{}), Dir: t.TempDir(),
			Host: fmt.Sprint("worker-", i)}
		wait.Go(func() {
			if err := w.Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	var mu sync.Mutex
	var told []string
	x := &remote.Executor{Jobs: queue, Blobs: blobs, As: &shell.Executor{}, Tell: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, text)
	}}
	there := bench(t, blobs, x)
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
	if queue.lost == 0 || !strings.Contains(strings.Join(told, "\n"), "its worker is gone") {
		t.Errorf("%d were lost, and told was\n%s", queue.lost, strings.Join(told, "\n"))
	}
	if !strings.Contains(strings.Join(told, "\n"), "carried out by worker-") {
		t.Errorf("told:\n%s", strings.Join(told, "\n"))
	}
}

// losing is a queue that loses a third of its jobs when they are taken for the
// first time.
type losing struct {
	remote.Memory
	mu    sync.Mutex
	lost  int
	taken int
}

func (l *losing) Take(ctx context.Context, able func(remote.Job) bool) (remote.Lease, error) {
	lease, err := l.Memory.Take(ctx, able)
	if err != nil {
		return lease, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken++
	if key := lease.Job().Key; strings.HasSuffix(key, "-0") && l.taken%3 == 1 {
		l.lost++
		time.AfterFunc(time.Duration(rand.N(3))*time.Millisecond, func() { l.Memory.Lose(key) })
		<-lease.Context().Done() // the work of whoever is lost comes too late
	}
	return lease, nil
}

// TestOnlyTheSame: a worker with another executor than the lock was made for takes
// no job.
func TestOnlyTheSame(t *testing.T) {
	blobs, queue := &checkpoint.Memory{}, &remote.Memory{}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	other, done := 0, make(chan struct{})
	for _, w := range []*remote.Worker{
		{Executors: exec.Default(known{"v2", func() { other++ }})},
		{Executors: exec.Default(known{"v1", func() {}}), Host: "right"},
		{Executors: exec.Executors{"else": known{"v1", func() { other++ }}}},
	} {
		w.Jobs, w.Blobs = queue, blobs
		go func() {
			_ = w.Run(ctx)
			done <- struct{}{}
		}()
	}
	b := bench(t, blobs, &remote.Executor{Jobs: queue, Blobs: blobs, As: known{"v1", func() {}}})
	b.Run(t).Want(t, history.Achieved)
	end()
	for range 3 {
		<-done
	}
	if other > 0 {
		t.Errorf("%d jobs were carried out by others", other)
	}
}

// known is the shell, with an identity.
type known struct {
	id   string
	tell func()
}

func (k known) Name() string                             { return "known" }
func (k known) Identity(context.Context) (string, error) { return k.id, nil }
func (k known) Execute(ctx context.Context, w exec.Work) (exec.Outcome, error) {
	k.tell()
	return (&shell.Executor{}).Execute(ctx, w)
}

// TestStopped stops a run while a worker is at work: the job is called back, and
// its command ends.
func TestStopped(t *testing.T) {
	blobs, queue := &checkpoint.Memory{}, &remote.Memory{}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	begun, ended := make(chan struct{}), make(chan error, 1)
	slow := exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		close(begun)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return exec.Outcome{}, context.Cause(ctx)
	})
	w := &remote.Worker{Jobs: queue, Blobs: blobs, Executors: exec.Default(slow)}
	go w.Run(ctx)
	b := bench(t, blobs, &remote.Executor{Jobs: queue, Blobs: blobs, As: slow})
	b.Controller.Jobs = 1
	stopped, stop := context.WithCancel(t.Context())
	go func() {
		<-begun
		stop()
	}()
	report, err := b.Controller.Run(stopped, b.Lock(t))
	if !errors.Is(err, context.Canceled) || report.Run.Paused == nil {
		t.Errorf("stopped: %v\n%s", err, report)
	}
	if err := <-ended; err == nil {
		t.Error("the worker went on")
	}
}

// late is a queue that ends its worker with the job that it gives out.
type late struct {
	remote.Memory
	end func()
}

func (l *late) Take(ctx context.Context, able func(remote.Job) bool) (remote.Lease, error) {
	lease, err := l.Memory.Take(ctx, able)
	l.end()
	return lease, err
}

// TestTakenTooLate: a job that a worker gets when it is told to end is another
// one's.
func TestTakenTooLate(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	queue := &late{end: end}
	if err := queue.Submit(ctx, remote.Job{Key: "k"}); err != nil {
		t.Fatal(err)
	}
	w := &remote.Worker{Jobs: queue, Blobs: &checkpoint.Memory{}, Executors: exec.Default(&shell.Executor{})}
	if err := w.Run(ctx); err != nil {
		t.Fatal(err)
	}
	again, stop := context.WithTimeout(t.Context(), 5*time.Second)
	defer stop()
	if lease, err := queue.Memory.Take(again, func(remote.Job) bool { return true }); err != nil || lease.Job().Key != "k" {
		t.Errorf("it is nobody's: %v", err)
	}
}

// TestBroken: a worker that cannot carry a job out says so, and what an executor
// says comes back in its words and kinds.
func TestBroken(t *testing.T) {
	for name, c := range map[string]struct {
		x    exec.Func
		want string
		is   error
	}{
		"panics":    {func(context.Context, exec.Work) (exec.Outcome, error) { panic("oh") }, "the executor panicked: oh", nil},
		"once":      {sometimes(), "exit status 7", nil},
		"exhausted": {fails(fmt.Errorf("too long: %w", exec.ErrContextExhausted)), "too long: ", exec.ErrContextExhausted},
		"declined":  {fails(fmt.Errorf("not me: %w", exec.ErrDeclined)), "not me: ", exec.ErrDeclined},
		"limit":     {fails(&exec.LimitError{Reason: "quota"}), "quota", nil},
		"error":     {fails(errors.New("exit status 3")), "exit status 3", nil},
	} {
		t.Run(name, func(t *testing.T) {
			blobs, queue := &checkpoint.Memory{}, &remote.Memory{}
			ctx, end := context.WithCancel(t.Context())
			defer end()
			w := &remote.Worker{Jobs: queue, Blobs: blobs, Executors: exec.Default(c.x)}
			go w.Run(ctx)
			b := bench(t, blobs, c.x)
			x := &remote.Executor{Jobs: queue, Blobs: blobs, As: c.x}
			draft := b.Draft.Plan
			_, err := x.Execute(t.Context(), exec.Work{RunID: "r", Task: &draft.Tasks[0], Step: &draft.Tasks[0].Steps[0], Attempt: 1,
				Dir: b.Dir, Method: exec.Method{ID: "primary", Run: "true"}})
			if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if limit := (*exec.LimitError)(nil); name == "limit" && !errors.As(err, &limit) {
				t.Errorf("%T is no LimitError", err)
			}
		})
	}
}

// sometimes is an executor that cannot work the first time, and fails then.
func sometimes() exec.Func {
	calls := 0
	return func(context.Context, exec.Work) (exec.Outcome, error) {
		if calls++; calls == 1 {
			panic("this machine is broken")
		}
		return exec.Outcome{}, errors.New("exit status 7")
	}
}

func fails(err error) exec.Func {
	return func(context.Context, exec.Work) (exec.Outcome, error) { return exec.Outcome{}, err }
}

func TestMemory(t *testing.T) {
	remotetest.Run(t, func(testing.TB) remotetest.Queue {
		q := &remote.Memory{}
		return remotetest.Queue{Owner: q, Worker: q, Lose: q.Lose}
	})
}
