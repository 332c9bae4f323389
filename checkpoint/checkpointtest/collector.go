package checkpointtest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/internal/suite"
	"github.com/planlock/planlock/ledger"
)

// RunCollector tests the rules of checkpoint.Collector, those of its Blobs aside.
// open opens the store of a place, as a process of its own would, as often as it
// is called. age has all contents of a place be older by some time, as if that
// had passed.
func RunCollector(t testing.TB, open func(place string) (checkpoint.Collector, error),
	age func(place string, by time.Duration) error) {
	t.Helper()
	for _, c := range collectorCases {
		suite.Try(t, c.name, c.rule, func(t testing.TB) error {
			place := t.TempDir()
			s := collected{open: func() (checkpoint.Collector, error) { return open(place) },
				age: func(by time.Duration) error { return age(place, by) }}
			var err error
			if s.Collector, err = s.open(); err != nil {
				return fmt.Errorf("open: %w", err)
			}
			return errors.Join(c.run(context.Background(), s), closeBlobs(s.Collector))
		})
	}
}

// collected is a store of which contents are collected.
type collected struct {
	checkpoint.Collector
	open func() (checkpoint.Collector, error)
	age  func(by time.Duration) error
}

// A collectorCase defends one rule at a place of its own.
type collectorCase struct {
	name string
	rule string
	run  func(ctx context.Context, s collected) error
}

var collectorCases = []collectorCase{
	{"garbage", "what is old and not needed is freed, and nothing else; a dry run says the same and frees nothing", testGarbage},
	{"young", "what was put within the grace stays", testYoung},
	{"grace", "a grace of less than LeastGrace is refused, and nothing is freed", testGrace},
	{"unread", "an error of what is needed ends the collection, and nothing is freed", testUnread},
	{"cancelled", "a cancelled context ends a collection with its error, and nothing is freed", testCancelledCollect},
	{"found", "what Has found stays, however old it was", testFound},
	{"put again", "what was put again stays, however old it was", testPutAgain},
	{"anew", "what was freed can be put again", testAnew},
	{"at once", "nothing is lost that is found or put, by anybody, while collections are under way", testAtOnce},
}

const month = 30 * 24 * time.Hour

// sizes are those at which stores change their ways.
var sizes = []int{0, 100, 100 << 10, 1<<20 + 1}

// some are contents of all sizes.
func some(name string) (list [][]byte) {
	for _, size := range sizes {
		list = append(list, append([]byte(name), content(name, size)...))
	}
	return list
}

// putAll puts contents durably.
func putAll(ctx context.Context, b checkpoint.Blobs, contents ...[]byte) error {
	for _, c := range contents {
		if err := put(ctx, b, c); err != nil {
			return err
		}
	}
	if err := b.Sync(ctx); err != nil {
		return fmt.Errorf("calling Sync: %w", err)
	}
	return nil
}

// needed are the digests of contents.
func needed(contents ...[]byte) iter.Seq2[ledger.Digest, error] {
	return func(yield func(ledger.Digest, error) bool) {
		for _, c := range contents {
			if !yield(ledger.Sum(c), nil) {
				return
			}
		}
	}
}

// all checks each of some contents.
func all(ctx context.Context, b checkpoint.Blobs, check func(context.Context, checkpoint.Blobs, []byte) error,
	contents [][]byte) (err error) {
	for _, c := range contents {
		err = errors.Join(err, check(ctx, b, c))
	}
	return err
}

// frees checks what a collection says.
func (s collected) frees(ctx context.Context, keep iter.Seq2[ledger.Digest, error], dryRun bool, want checkpoint.Collected) error {
	got, err := s.Collect(ctx, keep, checkpoint.LeastGrace, dryRun)
	if err == nil && got != want {
		err = fmt.Errorf("a collection (dry run: %v) says %+v, want %+v", dryRun, got, want)
	}
	return err
}

func testGarbage(ctx context.Context, s collected) error {
	mine, old := some("needed"), some("garbage")
	if err := errors.Join(putAll(ctx, s, mine...), putAll(ctx, s, old...), s.age(month)); err != nil {
		return err
	}
	want := checkpoint.Collected{Contents: len(old), Kept: len(mine)}
	for _, c := range old {
		want.Bytes += int64(len(c))
	}
	if err := s.frees(ctx, needed(mine...), true, want); err != nil {
		return err
	}
	if err := s.kept(ctx, old[1]); err != nil {
		return fmt.Errorf("after a dry run: %w", err)
	}
	err := errors.Join(s.frees(ctx, needed(mine...), false, want), all(ctx, s, misses, old), all(ctx, s, holds, mine))
	if err == nil {
		// It frees what was kept twice since it was found.
		_, err = s.Collect(ctx, needed(mine...), checkpoint.LeastGrace, false)
	}
	return errors.Join(err, s.frees(ctx, needed(mine...), false, checkpoint.Collected{Kept: len(mine)}))
}

func testYoung(ctx context.Context, s collected) error {
	c := some("young")
	return errors.Join(putAll(ctx, s, c...), s.age(checkpoint.LeastGrace-time.Minute),
		s.frees(ctx, needed(), false, checkpoint.Collected{Young: len(c)}), all(ctx, s, holds, c))
}

func testGrace(ctx context.Context, s collected) error {
	c := some("grace")
	if err := errors.Join(putAll(ctx, s, c...), s.age(month)); err != nil {
		return err
	}
	for _, grace := range []time.Duration{-month, 0, checkpoint.LeastGrace - time.Second} {
		if _, err := s.Collect(ctx, needed(), grace, false); err == nil {
			return fmt.Errorf("a grace of %v is taken", grace)
		}
	}
	return all(ctx, s, holds, c)
}

func testUnread(ctx context.Context, s collected) error {
	c, unread := some("unread"), errors.New("checkpointtest: a journal cannot be read")
	if err := errors.Join(putAll(ctx, s, c...), s.age(month)); err != nil {
		return err
	}
	broken := func(yield func(ledger.Digest, error) bool) { _ = yield(ledger.Sum(c[0]), nil) && yield("", unread) }
	if _, err := s.Collect(ctx, broken, month, false); !errors.Is(err, unread) {
		return fmt.Errorf("a collection that does not know what is needed: %w", err)
	}
	return all(ctx, s, holds, c)
}

func testCancelledCollect(ctx context.Context, s collected) error {
	c := some("cancelled collect")
	if err := errors.Join(putAll(ctx, s, c...), s.age(month)); err != nil {
		return err
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Collect(over, needed(), month, false); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("collecting with a cancelled context: %w, which is not context.Canceled", err)
	}
	return all(ctx, s, holds, c)
}

// stays has contents get older, look be called for each of them, by another
// opening, and time go by that is less than what whoever refers to them may take.
func (s collected) stays(ctx context.Context, look func(checkpoint.Collector, []byte) error) error {
	for i, old := range []time.Duration{checkpoint.RenewAfter - time.Minute, checkpoint.RenewAfter + time.Minute,
		checkpoint.LeastGrace + time.Hour, month} {
		c := some(fmt.Sprint("stays ", i))
		if err := errors.Join(putAll(ctx, s, c...), s.age(old)); err != nil {
			return err
		}
		other, err := s.open()
		if err != nil {
			return fmt.Errorf("open again: %w", err)
		}
		for _, c := range c {
			err = errors.Join(err, look(other, c))
		}
		err = errors.Join(err, other.Sync(ctx), s.age(checkpoint.LeastGrace-checkpoint.RenewAfter-time.Minute))
		if err == nil {
			_, err = s.Collect(ctx, needed(), checkpoint.LeastGrace, false)
		}
		for _, c := range c {
			err = errors.Join(err, s.kept(ctx, c)) // Has would renew it
		}
		if err := errors.Join(err, closeBlobs(other)); err != nil {
			return fmt.Errorf("what was %v old: %w", old, err)
		}
	}
	return nil
}

// kept checks that a content can be read.
func (s collected) kept(ctx context.Context, c []byte) error {
	r, err := s.Get(ctx, ledger.Sum(c))
	if err != nil {
		return fmt.Errorf("%d bytes that somebody relies on: %w", len(c), err)
	}
	return r.Close()
}

func testFound(ctx context.Context, s collected) error {
	return s.stays(ctx, func(b checkpoint.Collector, c []byte) error {
		if has, err := b.Has(ctx, ledger.Sum(c)); err != nil || !has {
			return fmt.Errorf("calling Has of %d bytes that were put: %v, %w", len(c), has, err)
		}
		return nil
	})
}

func testPutAgain(ctx context.Context, s collected) error {
	return s.stays(ctx, func(b checkpoint.Collector, c []byte) error { return put(ctx, b, c) })
}

func testAnew(ctx context.Context, s collected) error {
	c := append(some("anew"), content("anew, large", 9<<20))
	for range 2 {
		if err := errors.Join(putAll(ctx, s, c...), all(ctx, s, holds, c), s.age(month)); err != nil {
			return err
		}
		if _, err := s.Collect(ctx, needed(), month-time.Hour, false); err != nil {
			return err
		}
		if err := all(ctx, s, misses, c); err != nil {
			return err
		}
	}
	return nil
}

// testAtOnce has several openings find old contents, or put them, while others
// collect: what they were told is kept has to be there, then and in the end. Each
// has contents of its own, so that nobody puts what another one has lost.
func testAtOnce(ctx context.Context, s collected) error {
	const rounds, workers = 4, 4
	for round := range rounds {
		var mine, garbage [][]byte
		for i := range 30 {
			mine = append(mine, fmt.Appendf(nil, "at once %d %d", round, i))
			garbage = append(garbage, fmt.Appendf(nil, "at once, garbage %d %d", round, i))
		}
		mine = append(mine, some(fmt.Sprint("at once ", round))...)
		if err := errors.Join(putAll(ctx, s, mine...), putAll(ctx, s, garbage...), s.age(month)); err != nil {
			return err
		}
		over, stop := context.WithCancel(ctx)
		begun, begin := context.WithCancel(ctx)
		var opening, working, collecting sync.WaitGroup
		errs, order := make([]error, workers+2), rand.Perm(len(mine))
		for w := range workers {
			own := order[w*len(mine)/workers : (w+1)*len(mine)/workers]
			opening.Add(1)
			working.Go(func() {
				errs[w] = s.relies(ctx, mine, own, w%2 == 0, func() { opening.Done(); <-begun.Done() })
			})
		}
		opening.Wait()
		for w := range 2 {
			collecting.Go(func() {
				defer begin()
				for errs[workers+w] == nil && over.Err() == nil {
					_, errs[workers+w] = s.Collect(ctx, func(func(ledger.Digest, error) bool) { begin() }, checkpoint.LeastGrace, false)
				}
			})
		}
		working.Wait()
		begin()
		stop()
		collecting.Wait()
		if err := errors.Join(errs...); err != nil {
			return err
		}
		if _, err := s.Collect(ctx, needed(), checkpoint.LeastGrace, false); err != nil {
			return err
		}
		if err := errors.Join(all(ctx, s, holds, mine), all(ctx, s, misses, garbage)); err != nil {
			return err
		}
	}
	return nil
}

// relies has an opening of its own find contents, or put them, and be sure of them
// at once. ready is called before.
func (s collected) relies(ctx context.Context, contents [][]byte, order []int, finds bool, ready func()) error {
	own, err := s.open()
	ready()
	if err != nil {
		return fmt.Errorf("open again: %w", err)
	}
	for _, i := range order {
		time.Sleep(rand.N(time.Millisecond)) // so that a collection finds some before, some while and some after
		c, has := contents[i], false
		if finds {
			has, err = own.Has(ctx, ledger.Sum(c))
		}
		if err == nil && !has {
			err = putAll(ctx, own, c)
		}
		if err == nil {
			err = s.kept(ctx, c)
		}
		if err != nil {
			break
		}
	}
	return errors.Join(err, closeBlobs(own))
}
