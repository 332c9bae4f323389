// Package remotetest holds the rules that every queue of package remote must
// keep, as tests for those who write one.
//
//	func TestQueue(t *testing.T) {
//		remotetest.Run(t, func(t testing.TB) remotetest.Queue { return open(t) })
//	}
//
// What needs a process to be killed, or a network to be cut, is not tested here:
// [Queue.Lose], where it is set, has a job be lost in the way that the queue
// finds that out.
package remotetest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/internal/suite"
)

// A Queue is what is tested: the two sides of one queue, which is empty.
type Queue struct {
	Owner  remote.Queue
	Worker remote.Source
	// Another is the side of another worker; nil is the same.
	Another remote.Source
	// Lose has whoever carries out a job be gone; nil: it cannot be tried.
	Lose func(key string)
	// Patience bounds each wait; 0 is 10 seconds.
	Patience time.Duration
}

// Run tests the rules, each on a queue of its own.
func Run(t testing.TB, open func(t testing.TB) Queue) {
	t.Helper()
	for _, c := range cases {
		suite.Try(t, c.name, c.rule, func(t testing.TB) error {
			q := open(t)
			if q.Another == nil {
				q.Another = q.Worker
			}
			if q.Patience == 0 {
				q.Patience = 10 * time.Second
			}
			ctx, end := context.WithTimeout(context.Background(), 6*q.Patience)
			defer end()
			return c.run(ctx, q)
		})
	}
}

var cases = []struct {
	name string
	rule string
	run  func(context.Context, Queue) error
}{
	{"result", "what a worker gives back of a job reaches its owner, in the same words", testResult},
	{"once", "a job that is submitted twice is carried out once, and its result can be had twice", testOnce},
	{"able", "a worker gets no job that it does not take, and another one does", testAble},
	{"alone", "of two workers one has a job, and of two results that it gives back the first counts", testAlone},
	{"cancel", "a job that is called back ends with whoever carries it out, and nobody takes it any more", testCancel},
	{"return", "a job that a worker returns is another one's", testReturn},
	{"lost", "a job whose worker is gone is ErrLost, and what that worker gives back later is dropped", testLost},
	{"waits", "waiting for jobs and results ends with the context", testWaits},
	{"many", "many jobs at a time are carried out once each", testMany},
}

// Identity is that of the executors of all jobs of the kit, which are "shell" and
// "agent": for queues whose workers say beforehand whose jobs they take.
const Identity = "id \"of\" all"

// job is one with a key, of which nothing is left out.
func job(key string) remote.Job {
	j := remote.Job{Key: "job-" + key, Run: "01K00000000000000000000000", Step: "1.1", Attempt: 2, Executor: "shell", Identity: Identity,
		Request: "sha256:request"}
	j.Base.Tree, j.Base.Manifest = "sha256:tree", "sha256:manifest"
	return j
}

// made is what comes of it.
func made(j remote.Job) remote.Result {
	r := remote.Result{Key: j.Key, Host: "host \"x\"\n/7", Said: "sha256:said", Broken: "ünlucky"}
	r.Tree.Tree, r.Tree.Manifest = "sha256:after", "sha256:manifest-after"
	return r
}

func any(remote.Job) remote.Fit { return remote.Able }

// take takes the next job, within the patience of the test.
func take(ctx context.Context, q Queue, from remote.Source, fit func(remote.Job) remote.Fit) (remote.Lease, error) {
	ctx, end := context.WithTimeout(ctx, q.Patience)
	defer end()
	lease, err := from.Take(ctx, fit)
	if err != nil {
		return nil, fmt.Errorf("take: %w", err)
	}
	return lease, nil
}

// none checks that no job is taken for a while.
func none(ctx context.Context, from remote.Source, fit func(remote.Job) remote.Fit) error {
	ctx, end := context.WithTimeout(ctx, 300*time.Millisecond)
	defer end()
	lease, err := from.Take(ctx, fit)
	if err == nil {
		return fmt.Errorf("job %s was taken", lease.Job().Key)
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("take: %w, which is not context.DeadlineExceeded", err)
	}
	return nil
}

// came checks the result of a job.
func came(ctx context.Context, q Queue, j remote.Job) error {
	ctx, end := context.WithTimeout(ctx, q.Patience)
	defer end()
	got, err := q.Owner.Result(ctx, j.Key)
	if err == nil && got != made(j) {
		err = fmt.Errorf("%+v, want %+v", got, made(j))
	}
	if err != nil {
		return fmt.Errorf("result of %s: %w", j.Key, err)
	}
	return nil
}

// carry takes a job and gives back what comes of it.
func carry(ctx context.Context, q Queue, from remote.Source) (remote.Job, error) {
	lease, err := take(ctx, q, from, any)
	if err != nil {
		return remote.Job{}, err
	}
	return lease.Job(), lease.Done(ctx, made(lease.Job()))
}

func testResult(ctx context.Context, q Queue) error {
	want := job("a")
	if err := q.Owner.Submit(ctx, want); err != nil {
		return err
	}
	got, err := carry(ctx, q, q.Worker)
	if err == nil && got != want {
		err = fmt.Errorf("taken: %+v, want %+v", got, want)
	}
	return errors.Join(err, came(ctx, q, want))
}

func testOnce(ctx context.Context, q Queue) error {
	j := job("a")
	if err := errors.Join(q.Owner.Submit(ctx, j), q.Owner.Submit(ctx, j)); err != nil {
		return err
	}
	if _, err := carry(ctx, q, q.Worker); err != nil {
		return err
	}
	return errors.Join(came(ctx, q, j), came(ctx, q, j), q.Owner.Submit(ctx, j),
		none(ctx, q.Worker, any), came(ctx, q, j))
}

func testAble(ctx context.Context, q Queue) error {
	a, b := job("a"), job("b")
	b.Executor = "agent"
	if err := errors.Join(q.Owner.Submit(ctx, a), q.Owner.Submit(ctx, b)); err != nil {
		return err
	}
	only := func(name string) func(remote.Job) remote.Fit {
		return func(j remote.Job) remote.Fit {
			if j.Executor == name {
				return remote.Able
			}
			return remote.Unfit
		}
	}
	lease, err := take(ctx, q, q.Worker, only("agent"))
	if err != nil {
		return err
	}
	if got := lease.Job().Key; got != b.Key {
		return fmt.Errorf("taken: %s, want %s", got, b.Key)
	}
	if err := errors.Join(lease.Done(ctx, made(b)), none(ctx, q.Worker, only("agent"))); err != nil {
		return err
	}
	other, err := take(ctx, q, q.Another, only("shell"))
	if err != nil {
		return err
	}
	return errors.Join(other.Done(ctx, made(a)), came(ctx, q, a), came(ctx, q, b))
}

func testAlone(ctx context.Context, q Queue) error {
	j := job("a")
	if err := q.Owner.Submit(ctx, j); err != nil {
		return err
	}
	lease, err := take(ctx, q, q.Worker, any)
	if err != nil {
		return err
	}
	if err := none(ctx, q.Another, any); err != nil {
		return err
	}
	err = lease.Done(ctx, made(j))
	if again := lease.Done(ctx, remote.Result{Key: j.Key, Host: "again"}); again == nil {
		err = errors.Join(err, errors.New("another result was taken once there was one"))
	}
	_ = lease.Return(ctx) // nothing is left to give back
	return errors.Join(err, came(ctx, q, j))
}

func testCancel(ctx context.Context, q Queue) error {
	j, waiting := job("a"), job("b")
	if err := q.Owner.Submit(ctx, j); err != nil {
		return err
	}
	lease, err := take(ctx, q, q.Worker, any)
	if err != nil {
		return err
	}
	if err := errors.Join(q.Owner.Submit(ctx, waiting), q.Owner.Cancel(ctx, waiting.Key),
		q.Owner.Cancel(ctx, j.Key)); err != nil {
		return err
	}
	select {
	case <-lease.Context().Done():
	case <-time.After(q.Patience):
		return errors.New("whoever carries it out was not told")
	}
	_ = lease.Done(ctx, made(j)) // nobody waits for it
	return errors.Join(none(ctx, q.Worker, any), q.Owner.Cancel(ctx, j.Key), q.Owner.Cancel(ctx, "job-unknown"))
}

func testReturn(ctx context.Context, q Queue) error {
	j := job("a")
	if err := q.Owner.Submit(ctx, j); err != nil {
		return err
	}
	lease, err := take(ctx, q, q.Worker, any)
	if err != nil {
		return err
	}
	if err := lease.Return(ctx); err != nil {
		return err
	}
	if _, err := carry(ctx, q, q.Another); err != nil {
		return err
	}
	return came(ctx, q, j)
}

func testLost(ctx context.Context, q Queue) error {
	if q.Lose == nil {
		return fmt.Errorf("%w: nothing loses a job", suite.ErrSkip)
	}
	j := job("a")
	if err := q.Owner.Submit(ctx, j); err != nil {
		return err
	}
	lease, err := take(ctx, q, q.Worker, any)
	if err != nil {
		return err
	}
	q.Lose(j.Key)
	if _, err := q.Owner.Result(ctx, j.Key); !errors.Is(err, remote.ErrLost) {
		return fmt.Errorf("the result of a lost job: %w, which is not ErrLost", err)
	}
	_ = lease.Done(ctx, made(j))
	if _, err := q.Owner.Result(ctx, j.Key); !errors.Is(err, remote.ErrLost) {
		return fmt.Errorf("the late result of a lost job: %w, which is not ErrLost", err)
	}
	return none(ctx, q.Another, any)
}

func testWaits(ctx context.Context, q Queue) error {
	j := job("a")
	if err := errors.Join(none(ctx, q.Worker, any), q.Owner.Submit(ctx, j)); err != nil {
		return err
	}
	short, end := context.WithTimeout(ctx, 200*time.Millisecond)
	defer end()
	if _, err := q.Owner.Result(short, j.Key); !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("a result that does not come: %w, which is not context.DeadlineExceeded", err)
	}
	if _, err := carry(ctx, q, q.Worker); err != nil {
		return err
	}
	return came(ctx, q, j)
}

func testMany(ctx context.Context, q Queue) error {
	const many, workers = 40, 4
	times := map[string]int{}
	var (
		mu   sync.Mutex
		wait sync.WaitGroup
		errs = make([]error, workers+1)
	)
	working, end := context.WithCancel(ctx)
	for w := range workers {
		from := []remote.Source{q.Worker, q.Another}[w%2]
		wait.Go(func() {
			for {
				lease, err := from.Take(working, any)
				if working.Err() != nil {
					return
				}
				if err == nil {
					mu.Lock()
					times[lease.Job().Key]++
					mu.Unlock()
					err = lease.Done(ctx, made(lease.Job()))
				}
				if err != nil {
					errs[w] = err
					return
				}
			}
		})
	}
	for n := range many {
		errs[workers] = errors.Join(errs[workers], q.Owner.Submit(ctx, job(strconv.Itoa(n))))
	}
	for n := range many {
		errs[workers] = errors.Join(errs[workers], came(ctx, q, job(strconv.Itoa(n))))
	}
	end()
	wait.Wait()
	for key, n := range times {
		if n != 1 {
			errs[workers] = errors.Join(errs[workers], fmt.Errorf("job %s was carried out %d times", key, n))
		}
	}
	return errors.Join(errs...)
}
