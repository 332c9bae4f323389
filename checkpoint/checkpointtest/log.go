package checkpointtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/internal/suite"
)

// RunLog tests the rules of checkpoint.Log, as RunBlobs does those of Blobs,
// each on a log of its own.
//
// open opens the log that lies in a folder, or is called like it, with the
// records that it has; it is a new one the first time. It is called again after
// Close, and once while the last one is open: then it may fail, or make the
// earlier one refuse to append. tear, if it is not nil, is called while the log
// is closed, and takes away a part of the last batch, as a crash before the end
// of Append would.
func RunLog(t testing.TB, open func(dir string) (checkpoint.Log, error), tear func(dir string) error) {
	t.Helper()
	for _, c := range logCases {
		suite.Try(t, c.name, c.rule, func(t testing.TB) error {
			s := subject{dir: t.TempDir(), opens: open, tears: tear}
			l, err := s.open()
			if err != nil {
				return fmt.Errorf("open: %w", err)
			}
			return errors.Join(c.run(l, s), l.Close())
		})
	}
}

// A subject is one log that is tested.
type subject struct {
	dir   string
	opens func(dir string) (checkpoint.Log, error)
	tears func(dir string) error // takes away a part of the last batch; may be nil
}

func (s subject) open() (checkpoint.Log, error) { return s.opens(s.dir) }

// A logCase defends one rule on a log of its own.
type logCase struct {
	name string
	rule string
	run  func(l checkpoint.Log, s subject) error // closes l
}

// The rules of checkpoint.Log, simple ones first, since the others rely on
// them.
var logCases = []logCase{
	{"order", "records of any bytes are replayed in order, as often as one likes, by the log and by the next opening",
		testOrder},
	{"early end", "a replay may be ended at any record", testEarlyEnd},
	{"slices", "the log keeps no reference to the slices of a batch", testSlices},
	{"cancelled", "a cancelled context ends Append and Replay with its error, adds nothing, and the next call works",
		testCancelledLog},
	{"closed", "a closed log refuses to append, and can be closed again", testClosed},
	{"concurrent", "batches of concurrent writers are never mixed", testConcurrentLog},
	{"stale", "of two openings at one time, none loses a record that was acknowledged to the other", testStale},
	{"torn", "a torn last batch is not replayed, not even in part, and the log goes on before it", testTorn},
}

// batches are what is appended: one record and several, empty ones, and one
// that is larger than a block.
var batches = [][][]byte{
	{[]byte("first")},
	{[]byte("second"), {}, bytes.Repeat([]byte{0}, 2000), []byte("\n\xff\x00{}")},
	{bytes.Repeat([]byte("large "), 50_000)},
}

// flat is the records of all batches, in order.
func flat(batches [][][]byte) (all [][]byte) {
	for _, b := range batches {
		all = append(all, b...)
	}
	return all
}

// appendAll appends batch by batch.
func appendAll(l checkpoint.Log, batches [][][]byte) error {
	for i, b := range batches {
		if err := l.Append(context.Background(), b); err != nil {
			return fmt.Errorf("append batch %d: %w", i+1, err)
		}
	}
	return nil
}

// replayed reads all records. It takes copies, since a slice is only good until
// the next one.
func replayed(ctx context.Context, l checkpoint.Log) (all [][]byte, err error) {
	for r, err := range l.Replay(ctx) {
		if err != nil {
			return all, err
		}
		all = append(all, bytes.Clone(r))
	}
	return all, nil
}

// yields checks what l replays.
func yields(l checkpoint.Log, want [][]byte) error {
	got, err := replayed(context.Background(), l)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	if len(got) != len(want) {
		return fmt.Errorf("replay: %d records, want %d", len(got), len(want))
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			return fmt.Errorf("replay: record %d is %.20q…, want %.20q…", i+1, got[i], want[i])
		}
	}
	return nil
}

// reopened closes l and checks what the next opening replays.
func reopened(l checkpoint.Log, s subject, want [][]byte) error {
	if err := l.Close(); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	again, err := s.open()
	if err != nil {
		return fmt.Errorf("open again: %w", err)
	}
	return errors.Join(yields(again, want), again.Close())
}

// testOrder reads a log that is empty, then what was appended, twice, and once
// more after opening it again.
func testOrder(l checkpoint.Log, s subject) error {
	want := flat(batches)
	return errors.Join(yields(l, nil), appendAll(l, batches), yields(l, want), yields(l, want), reopened(l, s, want))
}

// testEarlyEnd stops reading in the middle, and then reads all.
func testEarlyEnd(l checkpoint.Log, _ subject) error {
	if err := appendAll(l, batches); err != nil {
		return err
	}
	for stop := range len(flat(batches)) {
		n := 0
		for _, err := range l.Replay(context.Background()) {
			if err != nil {
				return err
			}
			if n == stop {
				break
			}
			n++
		}
	}
	return yields(l, flat(batches))
}

// testSlices overwrites what was appended, which is the caller's again.
func testSlices(l checkpoint.Log, s subject) error {
	batch := [][]byte{[]byte("one"), []byte("two")}
	if err := l.Append(context.Background(), batch); err != nil {
		return err
	}
	copy(batch[0], "xxx")
	batch[1] = nil
	want := [][]byte{[]byte("one"), []byte("two")}
	return errors.Join(yields(l, want), reopened(l, s, want))
}

// testCancelledLog calls with a context that has ended. Nothing of that may be
// found later.
func testCancelledLog(l checkpoint.Log, s subject) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := appendAll(l, batches[:1]); err != nil {
		return err
	}
	if err := l.Append(ctx, batches[1]); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("append with a cancelled context: %w, which is not context.Canceled", err)
	}
	if _, err := replayed(ctx, l); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("replay with a cancelled context: %w, which is not context.Canceled", err)
	}
	return errors.Join(appendAll(l, batches[2:]), reopened(l, s, flat([][][]byte{batches[0], batches[2]})))
}

// testClosed uses a log after Close, and closes it again.
func testClosed(l checkpoint.Log, s subject) error {
	if err := errors.Join(appendAll(l, batches[:1]), l.Close(), l.Close()); err != nil {
		return err
	}
	if err := l.Append(context.Background(), batches[1]); err == nil {
		return errors.New("append to a closed log: no error")
	}
	return reopened(l, s, flat(batches[:1]))
}

// testConcurrentLog appends and reads at the same time. Each batch must stay in
// one piece.
func testConcurrentLog(l checkpoint.Log, s subject) error {
	const workers, each, size = 6, 10, 3
	var (
		wait sync.WaitGroup
		errs [workers]error
	)
	for w := range workers {
		wait.Go(func() {
			for i := range each {
				batch := make([][]byte, size)
				for k := range batch {
					batch[k] = []byte{byte(w), byte(i), byte(k)}
				}
				if err := l.Append(context.Background(), batch); err != nil {
					errs[w] = err
					return
				}
				if _, err := replayed(context.Background(), l); err != nil {
					errs[w] = err
					return
				}
			}
		})
	}
	wait.Wait()
	got, err := replayed(context.Background(), l)
	if err := errors.Join(append(errs[:], err)...); err != nil {
		return err
	}
	if len(got) != workers*each*size {
		return fmt.Errorf("%d records, want %d", len(got), workers*each*size)
	}
	var next [workers]byte
	for i := 0; i < len(got); i += size {
		w := got[i][0]
		for k := range size {
			if want := []byte{w, next[w], byte(k)}; !bytes.Equal(got[i+k], want) {
				return fmt.Errorf("record %d is %v, want %v", i+k+1, got[i+k], want)
			}
		}
		next[w]++
	}
	return reopened(l, s, got)
}

// testStale opens the log a second time, and appends by both. What was
// acknowledged must be there at the end, in that order, and nothing else.
func testStale(l checkpoint.Log, s subject) error {
	// What a call returned nil for is a promise, whichever of the two logs made
	// it.
	var acknowledged [][]byte
	try := func(l checkpoint.Log, text string) {
		if l.Append(context.Background(), [][]byte{[]byte(text)}) == nil {
			acknowledged = append(acknowledged, []byte(text))
		}
	}
	try(l, "one")
	other, err := s.open()
	if err == nil {
		try(other, "two")
		try(l, "three")
		try(other, "four")
		err = other.Close()
	} else {
		err = nil
	}
	try(l, "five")
	return errors.Join(err, reopened(l, s, acknowledged))
}

// testTorn takes away a part of the last batch. None of that batch may be
// yielded, and a new one must take its place.
func testTorn(l checkpoint.Log, s subject) error {
	if s.tears == nil {
		return fmt.Errorf("%w: nothing tears the log", suite.ErrSkip)
	}
	if err := errors.Join(appendAll(l, batches[:2]), l.Close(), s.tears(s.dir)); err != nil {
		return err
	}
	again, err := s.open()
	if err != nil {
		return fmt.Errorf("open after a torn batch: %w", err)
	}
	want := flat(batches[:1])
	if err := errors.Join(yields(again, want), appendAll(again, batches[2:]), again.Close()); err != nil {
		return err
	}
	again, err = s.open()
	if err != nil {
		return fmt.Errorf("open again: %w", err)
	}
	return errors.Join(yields(again, append(want, batches[2]...)), again.Close())
}
