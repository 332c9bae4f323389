package checkpointtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/internal/suite"
	"github.com/planlock/planlock/ledger"
)

// openBlobs is what a subject of the tests is opened with: see RunBlobs.
type openBlobs = func() (checkpoint.Blobs, error)

// RunBlobs tests the rules of checkpoint.Blobs. Each rule is a subtest of a
// *testing.T; each that is broken is an error of t. open opens one and the same
// store every time it is called; it is called again while the last one is still
// open, too. A store in memory returns itself. What is opened is closed if it
// has a method Close() error.
func RunBlobs(t testing.TB, open func() (checkpoint.Blobs, error)) {
	t.Helper()
	for _, c := range blobsCases {
		suite.Try(t, c.name, c.rule, func(testing.TB) error { return c.test(open) })
	}
}

// A blobsCase defends one rule. Cases share a store, so each uses contents of
// its own.
type blobsCase struct {
	name string
	rule string
	run  func(b checkpoint.Blobs, open openBlobs) error
}

// test opens the store and holds the rule against it.
func (c blobsCase) test(open openBlobs) error {
	b, err := open()
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	return errors.Join(c.run(b, open), closeBlobs(b))
}

// closeBlobs closes what can be closed. Blobs have no Close of their own: a
// database outlives what is put into it.
func closeBlobs(b checkpoint.Blobs) error {
	if c, ok := b.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// The rules of checkpoint.Blobs, in the order in which they are tested: simple
// ones first, since the others rely on them.
var blobsCases = []blobsCase{
	{"get", "Get yields exactly what was put, in one piece or many", testGet},
	{"large", "a content of many mebibytes is kept whole", testLarge},
	{"many", "nothing is forgotten, whatever else is put", testMany},
	{"again", "putting the same content again is harmless, and reading it is independent of other readers", testAgain},
	{"missing", "what is not kept is ErrNotFound to Get, and false to Has", testMissing},
	{"failed read", "when reading the content fails, Put returns that error and keeps nothing", testFailedRead},
	{"not retained", "the caller may use its memory again after Put", testNotRetained},
	{"cancelled", "a cancelled context ends every method with its error, and the next call works", testCancelled},
	{"cancelled while reading", "a Put that is cancelled half-way keeps all of the content or nothing",
		testCancelledReading},
	{"concurrent", "all methods may be called at the same time", testConcurrent},
	{"reopen", "what was synced is kept when it is opened again", testReopen},
}

// content makes bytes that look random, and are the same in every run for a
// name and a size. No two names share any, so that cases which share a store do
// not meet.
func content(name string, size int) []byte {
	b := make([]byte, size)
	_, _ = rand.NewChaCha8(sha256.Sum256([]byte(name))).Read(b) // it never fails
	return b
}

// holds checks that b has content, and nothing else, under its digest.
func holds(ctx context.Context, b checkpoint.Blobs, want []byte) error {
	d := ledger.Sum(want)
	if has, err := b.Has(ctx, d); err != nil || !has {
		return fmt.Errorf("calling Has of %d bytes that were put: %v, %w", len(want), has, err)
	}
	r, err := b.Get(ctx, d)
	if err != nil {
		return fmt.Errorf("calling Get of %d bytes that were put: %w", len(want), err)
	}
	got, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("reading %d bytes that were put: %w", len(want), err)
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("put %d bytes, got %d others", len(want), len(got))
	}
	return nil
}

// misses checks that b does not have content.
func misses(ctx context.Context, b checkpoint.Blobs, content []byte) error {
	d := ledger.Sum(content)
	if has, err := b.Has(ctx, d); err != nil || has {
		return fmt.Errorf("calling Has of what is not kept: %v, %w", has, err)
	}
	r, err := b.Get(ctx, d)
	if err == nil {
		return errors.Join(errors.New("calling Get of what is not kept: no error"), r.Close())
	}
	if !errors.Is(err, checkpoint.ErrNotFound) {
		return fmt.Errorf("calling Get of what is not kept: %w, which is not ErrNotFound", err)
	}
	return nil
}

// put puts a content under its own digest.
func put(ctx context.Context, b checkpoint.Blobs, c []byte) error {
	if err := b.Put(ctx, ledger.Sum(c), bytes.NewReader(c)); err != nil {
		return fmt.Errorf("calling Put of %d bytes: %w", len(c), err)
	}
	return nil
}

// testGet goes over the sizes at which stores change their ways: nothing, one
// byte, below and at a block and a mebibyte, several.
func testGet(b checkpoint.Blobs, _ openBlobs) error {
	ctx := context.Background()
	for _, size := range []int{0, 1, 511, 4096, 1<<20 - 1, 1 << 20, 3<<20 + 17} {
		c := content("get", size)
		if err := put(ctx, b, c); err != nil {
			return err
		}
		if err := holds(ctx, b, c); err != nil {
			return err
		}
	}
	if err := b.Sync(ctx); err != nil {
		return fmt.Errorf("calling Sync: %w", err)
	}
	return holds(ctx, b, content("get", 511))
}

// testLarge puts more than what is commonly taken for enough.
func testLarge(b checkpoint.Blobs, _ openBlobs) error {
	ctx, c := context.Background(), content("large", 17<<20)
	return errors.Join(put(ctx, b, c), holds(ctx, b, c))
}

// testMany puts many small contents, and reads the first ones
// last: once they are no longer fresh, and by another opening.
func testMany(b checkpoint.Blobs, open openBlobs) error {
	const many = 500
	ctx := context.Background()
	for i := range many {
		if err := put(ctx, b, fmt.Appendf(nil, "many %d", i)); err != nil {
			return err
		}
	}
	if err := b.Sync(ctx); err != nil {
		return fmt.Errorf("calling Sync: %w", err)
	}
	again, err := open()
	if err != nil {
		return fmt.Errorf("open again: %w", err)
	}
	for _, kept := range []checkpoint.Blobs{b, again} {
		for i := many - 1; i >= 0 && err == nil; i-- {
			if err = holds(ctx, kept, fmt.Appendf(nil, "many %d", i)); err != nil {
				err = fmt.Errorf("%d contents were put: %w", many, err)
			}
		}
	}
	return errors.Join(err, closeBlobs(again))
}

// testAgain puts a content several times, and reads it in the middle of reading
// it.
func testAgain(b checkpoint.Blobs, _ openBlobs) error {
	ctx, c := context.Background(), content("again", 9000)
	for range 3 {
		if err := errors.Join(put(ctx, b, c), holds(ctx, b, c), b.Sync(ctx), b.Sync(ctx)); err != nil {
			return err
		}
	}
	r, err := b.Get(ctx, ledger.Sum(c))
	if err != nil {
		return err
	}
	half := make([]byte, len(c)/2)
	if _, err := io.ReadFull(r, half); err != nil {
		return errors.Join(err, r.Close())
	}
	err = holds(ctx, b, c)
	rest, rerr := io.ReadAll(r)
	if rerr == nil && !bytes.Equal(append(half, rest...), c) {
		rerr = errors.New("a reader was disturbed by another one")
	}
	return errors.Join(err, rerr, r.Close())
}

// testMissing asks for what nobody put, and for the digest that none has.
func testMissing(b checkpoint.Blobs, _ openBlobs) error {
	ctx := context.Background()
	if err := misses(ctx, b, []byte("checkpointtest: never put")); err != nil {
		return err
	}
	if _, err := b.Get(ctx, ""); !errors.Is(err, checkpoint.ErrNotFound) {
		return fmt.Errorf("calling Get of the zero digest: %w, which is not ErrNotFound", err)
	}
	return nil
}

// errRead is what the reader of a torn content says.
var errRead = errors.New("checkpointtest: reading failed")

// testFailedRead breaks the reading half-way. What arrived must not be kept: it
// has not the digest it would lie under.
func testFailedRead(b checkpoint.Blobs, _ openBlobs) error {
	ctx := context.Background()
	for _, size := range []int{10, 2 << 20} {
		c := content("failed read", size)
		torn := io.MultiReader(bytes.NewReader(c[:size/2]), failing{errRead})
		if err := b.Put(ctx, ledger.Sum(c), torn); !errors.Is(err, errRead) {
			return fmt.Errorf("calling Put of a content that cannot be read: %w, not the reader's error", err)
		}
		if err := misses(ctx, b, c); err != nil {
			return err
		}
		if err := errors.Join(put(ctx, b, c), holds(ctx, b, c)); err != nil {
			return fmt.Errorf("after a Put that failed: %w", err)
		}
	}
	return nil
}

// A failing reader yields nothing but its error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// testNotRetained overwrites the memory that was put. A store that holds on to
// it would keep something else.
func testNotRetained(b checkpoint.Blobs, _ openBlobs) error {
	ctx, c := context.Background(), content("not retained", 777)
	mine := bytes.Clone(c)
	if err := b.Put(ctx, ledger.Sum(c), bytes.NewBuffer(mine)); err != nil {
		return err
	}
	clear(mine)
	return holds(ctx, b, c)
}

// testCancelled calls every method with a context that has ended, and then does
// all of it with one that has not.
func testCancelled(b checkpoint.Blobs, _ openBlobs) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := content("cancelled", 333)
	_, hasErr := b.Has(ctx, ledger.Sum(c))
	_, getErr := b.Get(ctx, ledger.Sum(c))
	for _, step := range []struct {
		name string
		err  error
	}{
		{"Put", b.Put(ctx, ledger.Sum(c), bytes.NewReader(c))}, {"Has", hasErr}, {"Get", getErr}, {"Sync", b.Sync(ctx)},
	} {
		if !errors.Is(step.err, context.Canceled) {
			return fmt.Errorf("%s with a cancelled context: %w, which is not context.Canceled", step.name, step.err)
		}
	}
	live := context.Background()
	return errors.Join(misses(live, b, c), put(live, b, c), b.Sync(live), holds(live, b, c))
}

// testCancelledReading ends the context in the middle of a Put, which may
// finish or give up, and must not do half.
func testCancelledReading(b checkpoint.Blobs, _ openBlobs) error {
	live := context.Background()
	for _, size := range []int{100, 4 << 20} {
		ctx, cancel := context.WithCancel(live)
		c := content("cancelled while reading", size)
		err := b.Put(ctx, ledger.Sum(c), &cancelling{r: bytes.NewReader(c), cancel: cancel})
		cancel()
		state := holds(live, b, c)
		if err != nil {
			state = misses(live, b, c)
		}
		if err := errors.Join(state, put(live, b, c), holds(live, b, c)); err != nil {
			return err
		}
	}
	return nil
}

// cancelling cancels a context after the first bytes were read.
type cancelling struct {
	r      io.Reader
	cancel func()
}

func (c *cancelling) Read(b []byte) (int, error) {
	n, err := c.r.Read(b[:min(len(b), 64<<10)])
	c.cancel()
	return n, err
}

// testConcurrent has several workers put and read, some of them the same
// contents at the same time.
func testConcurrent(b checkpoint.Blobs, _ openBlobs) error {
	const workers, each = 8, 20
	ctx := context.Background()
	var (
		wait sync.WaitGroup
		errs [workers]error
	)
	for w := range workers {
		wait.Go(func() {
			for i := range each {
				c := content("concurrent", 100+(i+w/2)%each) // neighbours put the same ones
				if err := errors.Join(put(ctx, b, c), holds(ctx, b, c)); err != nil {
					errs[w] = err
					return
				}
			}
			errs[w] = b.Sync(ctx)
		})
	}
	wait.Wait()
	return errors.Join(errs[:]...)
}

// testReopen opens the store a second time while the first is still open, as
// two processes would.
func testReopen(b checkpoint.Blobs, open openBlobs) error {
	ctx := context.Background()
	contents := [][]byte{content("reopen", 1), content("reopen", 5000), content("reopen", 2<<20)}
	for _, c := range contents {
		if err := errors.Join(put(ctx, b, c), b.Sync(ctx)); err != nil {
			return err
		}
	}
	again, err := open()
	if err != nil {
		return fmt.Errorf("open again: %w", err)
	}
	for _, c := range contents {
		err = errors.Join(err, holds(ctx, again, c), put(ctx, again, c), holds(ctx, again, c))
	}
	return errors.Join(err, again.Sync(ctx), closeBlobs(again))
}
