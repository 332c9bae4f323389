package checkpoint_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/checkpoint/record"
)

// A gatedLog lets a batch through when it is told to, and counts batches.
type gatedLog struct {
	checkpoint.MemoryLog
	gate    chan error
	batches []int // records of each
}

func (l *gatedLog) Append(ctx context.Context, batch [][]byte) error {
	if err := <-l.gate; err != nil {
		return err
	}
	l.batches = append(l.batches, len(batch))
	return l.MemoryLog.Append(ctx, batch)
}

func named(name string) record.Fact { return record.Fact{Type: name} }

func types(t *testing.T, log checkpoint.Log) string {
	t.Helper()
	j, err := checkpoint.OpenJournal(t.Context(), log, "run", nil, nil)
	must(t, err)
	all, err := records(j)
	must(t, err)
	var names []string
	for _, r := range all {
		names = append(names, r.Type)
	}
	return strings.Join(names, " ")
}

// Calls that arrive while a batch is written wait, and add theirs in turn; what
// is wrong, or was cancelled meanwhile, adds nothing.
func TestJournalCallsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &gatedLog{gate: make(chan error)}
		j, err := checkpoint.OpenJournal(t.Context(), log, "run", nil, nil)
		must(t, err)
		var wait sync.WaitGroup
		errs := make([]error, 5)
		ctx, cancel := context.WithCancel(t.Context())
		add := func(i int, ctx context.Context, facts ...record.Fact) {
			wait.Go(func() {
				var recs []record.Record
				if recs, errs[i] = j.Append(ctx, facts...); errs[i] == nil && len(recs) != len(facts) {
					errs[i] = fmt.Errorf("%d records for %d facts", len(recs), len(facts))
				}
			})
			synctest.Wait()
		}
		add(0, t.Context(), named("a"))
		add(1, t.Context(), named("b"), named("c"))
		add(2, t.Context(), named("bad"), record.Fact{Type: "x", Data: json.RawMessage("{")})
		add(3, ctx, named("cancelled"))
		add(4, t.Context(), named("d"))
		cancel()
		for range 3 {
			synctest.Wait()
			log.gate <- nil
		}
		wait.Wait()
		for i, want := range []bool{true, true, false, false, true} {
			if (errs[i] == nil) != want {
				t.Errorf("call %d: %v", i, errs[i])
			}
		}
		if !errors.Is(errs[3], context.Canceled) {
			t.Errorf("the one that was cancelled: %v", errs[3])
		}
		if got := types(t, &log.MemoryLog); got != "a b c d" {
			t.Errorf("it holds %s", got)
		}
	})
}

// What is only written is in the log at once, and counts when it is durable.
func TestJournalWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	log, err := filelog.Open(t.Context(), path)
	must(t, err)
	j, err := checkpoint.OpenJournal(t.Context(), log, "run", nil, nil)
	must(t, err)
	_, err = j.Append(t.Context(), named("a"))
	must(t, err)
	_, err = j.Stage(t.Context(), named("b"))
	must(t, err)
	_, err = j.Write(t.Context(), named("c"))
	must(t, err)
	if j.Head().Seq != 1 {
		t.Errorf("what is not synced counts: %d records", j.Head().Seq)
	}
	if got := types(t, log); got != "a b c" {
		t.Errorf("the log holds %s", got)
	}
	_, err = j.Append(t.Context(), named("d"))
	must(t, err)
	if j.Head().Seq != 4 {
		t.Errorf("%d records are durable", j.Head().Seq)
	}
	_, err = j.Write(t.Context(), named("e"))
	must(t, err, j.Close())
	if j.Head().Seq != 5 {
		t.Errorf("%d records are durable after it was closed", j.Head().Seq)
	}
}

// Sync makes durable what was written, and nothing else; what was staged can be
// written by itself behind it.
func TestJournalSync(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	log, err := filelog.Open(t.Context(), path)
	must(t, err)
	j, err := checkpoint.OpenJournal(t.Context(), log, "run", nil, nil)
	must(t, err)
	must(t, j.Sync(t.Context()))
	_, err = j.Write(t.Context(), named("a"), named("b"))
	must(t, err)
	j.Hasten()
	staged, err := j.Stage(t.Context(), named("c"))
	must(t, err, j.Sync(t.Context()))
	if got := types(t, log); got != "a b" || j.Head().Seq != 2 {
		t.Errorf("the log holds %s, and %d records are durable", got, j.Head().Seq)
	}
	none, err := j.Write(t.Context())
	must(t, err)
	if got := types(t, log); got != "a b c" || j.Head().Seq != 2 || len(none) != 0 || staged[0].Seq != 3 {
		t.Errorf("the log holds %s, and %d records are durable; no fact became %d records", got, j.Head().Seq,
			len(none))
	}
	must(t, j.Sync(t.Context()), j.Sync(t.Context()))
	if j.Head().Seq != 3 {
		t.Errorf("%d records are durable", j.Head().Seq)
	}
	must(t, j.Close())
	if err := j.Sync(t.Context()); !errors.Is(err, checkpoint.ErrClosed) {
		t.Errorf("a closed journal is synced: %v", err)
	}
	must(t, log.Close())
	log, err = filelog.Open(t.Context(), path)
	must(t, err)
	j, err = checkpoint.OpenJournal(t.Context(), log, "run", nil, nil)
	must(t, err)
	if j.Head().Seq != 3 {
		t.Errorf("%d records are there again", j.Head().Seq)
	}
	must(t, j.Close())
}

// Who closes a journal while others add to it waits for them, and what was only
// staged is then durable, or it is told that it is not.
func TestJournalCloseWaits(t *testing.T) {
	for _, c := range []struct {
		name string
		then []error // what becomes of the batches behind the first
		want string
	}{
		{"room", []error{nil}, "a b"},
		{"a full disk", []error{syscall.ENOSPC}, "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := &gatedLog{gate: make(chan error)}
				j, err := checkpoint.OpenJournal(t.Context(), log, "run", nil, nil)
				must(t, err)
				var wait sync.WaitGroup
				errs := make([]error, 3)
				wait.Go(func() { _, errs[0] = j.Append(t.Context(), named("a")) })
				synctest.Wait()
				wait.Go(func() { _, errs[1] = j.Stage(t.Context(), named("b")) })
				synctest.Wait()
				wait.Go(func() { errs[2] = j.Close() })
				synctest.Wait()
				log.gate <- nil
				for _, err := range c.then {
					log.gate <- err
				}
				wait.Wait()
				want := []error{nil, nil, c.then[len(c.then)-1]}
				if got := types(t, &log.MemoryLog); got != c.want || !cmp.Equal(errs, want, cmpopts.EquateErrors()) {
					t.Errorf("it holds %s, want %s; errors are %v, want %v", got, c.want, errs, want)
				}
			})
		})
	}
}

// A syncLog is a log whose syncs wait for the test.
type syncLog struct {
	gatedLog
	written int
}

func (l *syncLog) Write(ctx context.Context, batch [][]byte) error {
	l.written += len(batch)
	return l.MemoryLog.Append(ctx, batch)
}

func (l *syncLog) Hasten() {}

func (l *syncLog) Sync(context.Context) error { return <-l.gate }

// What was written and could not be synced does not count after the journal was
// closed either.
func TestJournalCloseAfterFailedSync(t *testing.T) {
	log := &syncLog{gatedLog: gatedLog{gate: make(chan error, 2)}}
	j, err := checkpoint.OpenJournal(t.Context(), log, "run", nil, nil)
	must(t, err)
	_, err = j.Write(t.Context(), named("a"))
	must(t, err)
	log.gate <- checkpoint.ErrDead
	if err := j.Sync(t.Context()); !errors.Is(err, checkpoint.ErrDead) {
		t.Fatalf("it was synced: %v", err)
	}
	log.gate <- checkpoint.ErrDead
	if err := j.Close(); !errors.Is(err, checkpoint.ErrDead) || j.Head().Seq != 0 {
		t.Errorf("%d records are durable after it was closed: %v", j.Head().Seq, err)
	}
}

// A journal that is closed while others add to it has what it acknowledged, and
// its head is not ahead of that. The race detector looks on.
func TestJournalCloseMeanwhile(t *testing.T) {
	for range 20 {
		path := filepath.Join(t.TempDir(), "journal")
		log, err := filelog.Open(t.Context(), path)
		must(t, err)
		j, err := checkpoint.OpenJournal(t.Context(), log, "run", nil, nil)
		must(t, err)
		var wait sync.WaitGroup
		var acknowledged atomic.Uint64
		begun := make(chan struct{}, 4)
		for i := range cap(begun) {
			add := []func(context.Context, ...record.Fact) ([]record.Record, error){j.Append, j.Stage, j.Write}[i%3]
			wait.Go(func() {
				defer func() { begun <- struct{}{} }()
				for n := range 200 {
					recs, err := add(t.Context(), named("a"))
					if err != nil {
						if !errors.Is(err, checkpoint.ErrClosed) {
							t.Error(err)
						}
						return
					}
					if i%3 == 0 {
						acknowledged.Store(max(acknowledged.Load(), recs[0].Seq))
					}
					if n == 3 {
						begun <- struct{}{}
					}
				}
			})
		}
		<-begun
		must(t, j.Close())
		head := j.Head()
		go func() {
			for range begun { // those that go on
			}
		}()
		wait.Wait()
		close(begun)
		log, err = filelog.Open(t.Context(), path)
		must(t, err)
		again, err := checkpoint.OpenJournal(t.Context(), log, "run", nil, nil)
		must(t, err)
		if n := again.Head().Seq; n < head.Seq || n < acknowledged.Load() {
			t.Errorf("%d records are there, %d counted when it was closed, and %d were acknowledged", n, head.Seq,
				acknowledged.Load())
		}
		must(t, again.Close())
	}
}

// A log that can only append is appended to.
func TestJournalWriteAppends(t *testing.T) {
	j, err := checkpoint.OpenJournal(t.Context(), &checkpoint.MemoryLog{}, "run", nil, nil)
	must(t, err)
	_, err = j.Write(t.Context(), named("a"))
	must(t, err)
	if j.Head().Seq != 1 {
		t.Errorf("%d records are durable", j.Head().Seq)
	}
}

// What is staged goes with the next batch, after a failure too, and not by
// itself.
func TestJournalStage(t *testing.T) {
	log := &gatedLog{gate: make(chan error, 3)}
	j, err := checkpoint.OpenJournal(t.Context(), log, "run", nil, nil)
	must(t, err)
	first, err := j.Stage(t.Context(), named("a"),
		record.Fact{Type: "b", Data: json.RawMessage(`"` + strings.Repeat("x", 5000) + `"`)})
	must(t, err)
	if _, err := j.Stage(t.Context(), named("")); err == nil {
		t.Error("a fact without a type was staged")
	}
	second, err := j.Stage(t.Context(), named("c"))
	must(t, err)
	if j.Head() != (record.Head{Hash: j.Head().Hash}) || len(log.batches) != 0 {
		t.Errorf("what is staged counts: %v, %v", j.Head(), log.batches)
	}
	log.gate <- errors.New("full")
	if _, err := j.Append(t.Context(), named("lost")); err == nil {
		t.Fatal("no error")
	}
	log.gate <- nil
	third, err := j.Append(t.Context(), named("d"))
	must(t, err)
	if first[1].Seq != 2 || second[0].Prev != first[1].Hash || third[0].Prev != second[0].Hash || j.Head().Seq != 4 {
		t.Errorf("they do not follow each other: %v %v %v", first, second, third)
	}
	if got := types(t, &log.MemoryLog); got != "a b c d" || fmt.Sprint(log.batches) != "[4]" {
		t.Errorf("it holds %s in %v", got, log.batches)
	}
	if !bytes.Contains(first[1].Data, []byte("xxx")) {
		t.Error("a staged record lost its data")
	}
	_, err = j.Stage(t.Context(), named("e"))
	log.gate <- nil
	must(t, err, j.Close())
	if got := types(t, &log.MemoryLog); got != "a b c d e" {
		t.Errorf("after it was closed it holds %s", got)
	}
}

// Staging costs as much however much is staged, and none of it is kept once it
// was written.
func TestStagedIsNotKept(t *testing.T) {
	log, err := filelog.Open(t.Context(), filepath.Join(t.TempDir(), "log"))
	must(t, err)
	j, err := checkpoint.OpenJournal(t.Context(), log, "run", nil, nil)
	must(t, err)
	defer j.Close()
	memory := func() (m runtime.MemStats) {
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m
	}
	stage := func(n int, f record.Fact) {
		for range n {
			_, err := j.Stage(t.Context(), f)
			must(t, err)
		}
	}
	before := memory()
	stage(4000, named("x"))
	if each := (memory().TotalAlloc - before.TotalAlloc) / 4000; each > 8<<10 {
		t.Errorf("staging one of many facts allocated %d bytes", each)
	}
	stage(50, record.Fact{Type: "x", Data: json.RawMessage(`"` + strings.Repeat("x", 1<<19) + `"`)})
	_, err = j.Append(t.Context(), named("y"))
	must(t, err)
	if kept := int64(memory().HeapAlloc) - int64(before.HeapAlloc); kept > 10<<20 {
		t.Errorf("%d bytes are kept of what was written", kept)
	}
}
