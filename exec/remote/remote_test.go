package remote_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/exec/remote/remotetest"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/ledger"
)

// TestSameAsHere carries a plan out on four workers, of which some are lost at
// random: tree and steps are those of one machine.
func TestSameAsHere(t *testing.T) {
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
	remotetest.SameAsHere(t, queue, blobs, func(text string) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, text)
	})
	end()
	wait.Wait()
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

func (l *losing) Take(ctx context.Context, fit func(remote.Job) remote.Fit) (remote.Lease, error) {
	lease, err := l.Memory.Take(ctx, fit)
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

// TestCollected: a job whose contents were freed while it waited is kept anew, and
// given away again.
func TestCollected(t *testing.T) {
	queue, blobs := &remote.Memory{}, &freeing{}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	done := make(chan error)
	w := &remote.Worker{Jobs: queue, Blobs: blobs, Executors: exec.Default(&shell.Executor{}), Dir: t.TempDir()}
	go func() { done <- w.Run(ctx) }()
	b := remotetest.Bench(t, blobs, &remote.Executor{Jobs: &submitting{queue, blobs}, Blobs: blobs, As: &shell.Executor{}})
	b.Run(t).Want(t, history.Achieved)
	end()
	if err := <-done; err != nil || blobs.freed.Load() == 0 {
		t.Errorf("%d were freed, %v", blobs.freed.Load(), err)
	}
}

// freeing are blobs of which some are gone until they are put again.
type freeing struct {
	checkpoint.Memory
	gone  sync.Map
	freed atomic.Int64
}

func (f *freeing) Put(ctx context.Context, d ledger.Digest, in io.Reader) error {
	f.gone.Delete(d)
	return f.Memory.Put(ctx, d, in)
}

func (f *freeing) Has(ctx context.Context, d ledger.Digest) (bool, error) {
	_, gone := f.gone.Load(d)
	has, err := f.Memory.Has(ctx, d)
	return has && !gone, err
}

func (f *freeing) Get(ctx context.Context, d ledger.Digest) (io.ReadCloser, error) {
	if _, gone := f.gone.Load(d); gone {
		return nil, checkpoint.ErrNotFound
	}
	return f.Memory.Get(ctx, d)
}

// submitting is a queue in which each job waits for so long that its contents are
// freed, the first time that it is given away.
type submitting struct {
	remote.Queue
	blobs *freeing
}

func (s *submitting) Submit(ctx context.Context, j remote.Job) error {
	if strings.HasSuffix(j.Key, "-0") {
		s.blobs.freed.Add(1)
		s.blobs.gone.Store(j.Request, true)
	}
	return s.Queue.Submit(ctx, j)
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
	b := remotetest.Bench(t, blobs, &remote.Executor{Jobs: queue, Blobs: blobs, As: known{"v1", func() {}}})
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
	b := remotetest.Bench(t, blobs, &remote.Executor{Jobs: queue, Blobs: blobs, As: slow})
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

func (l *late) Take(ctx context.Context, fit func(remote.Job) remote.Fit) (remote.Lease, error) {
	lease, err := l.Memory.Take(ctx, fit)
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
	if lease, err := queue.Memory.Take(again, func(remote.Job) remote.Fit { return remote.Able }); err != nil || lease.Job().Key != "k" {
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
			b := remotetest.Bench(t, blobs, c.x)
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

// TestOneIsBroken: a worker whose folder cannot be written leaves its jobs to
// another one, which begins so late that the first has had all of them.
func TestOneIsBroken(t *testing.T) {
	t.Parallel()
	withBroken(t, t.TempDir(), func(dir string) error {
		lane := filepath.Join(dir, "lane-1")
		return errors.Join(os.Remove(lane), os.WriteFile(lane, nil, 0o644))
	})
}

// withBroken carries a plan out by a worker that something breaks, and another one
// that begins after seconds: tree and steps are those of one machine.
func withBroken(t *testing.T, dir string, smash func(dir string) error) {
	blobs, queue := &checkpoint.Memory{}, &remote.Memory{}
	ctx, end := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	work := func(w *remote.Worker) {
		w.Blobs, w.Executors = blobs, exec.Default(&shell.Executor{})
		wait.Go(func() {
			if err := w.Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	bad := &smashed{Memory: queue, smash: func() error { return smash(dir) }}
	work(&remote.Worker{Jobs: bad, Dir: dir, Host: "broken"})
	time.AfterFunc(4*time.Second, func() { work(&remote.Worker{Jobs: queue, Host: "whole"}) })
	var mu sync.Mutex
	broken := 0
	remotetest.SameAsHere(t, queue, blobs, func(text string) {
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(text, "worker broken could not carry it out") {
			broken++
		} else if !strings.Contains(text, "carried out by whole") {
			t.Error(text)
		}
	})
	end()
	wait.Wait()
	if broken == 0 || broken > 8 {
		t.Errorf("it could not carry out %d jobs", broken)
	}
}

// smashed is a queue that breaks its worker before it gets its first job.
type smashed struct {
	*remote.Memory
	smash func() error
	once  sync.Once
}

func (s *smashed) Take(ctx context.Context, fit func(remote.Job) remote.Fit) (lease remote.Lease, err error) {
	s.once.Do(func() { err = s.smash() })
	if err != nil {
		return nil, err
	}
	return s.Memory.Take(ctx, fit)
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
