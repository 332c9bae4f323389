package exec_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// A failingSync is a log of which one sync fails that an append did not wait
// for. Afterwards it may be that nothing of it can be read.
type failingSync struct {
	*filelog.Log
	left       int // syncs until then
	unreadable bool
	failed     bool
}

func (l *failingSync) die() error { return fmt.Errorf("%w: %w", checkpoint.ErrDead, syscall.EIO) }

func (l *failingSync) Append(ctx context.Context, batch [][]byte) error {
	if l.failed {
		return l.die()
	}
	return l.Log.Append(ctx, batch)
}

func (l *failingSync) Write(ctx context.Context, batch [][]byte) error {
	if l.failed {
		return l.die()
	}
	return l.Log.Write(ctx, batch)
}

func (l *failingSync) Sync(ctx context.Context) error {
	if l.left--; l.left < 0 {
		l.failed = true
		return l.die()
	}
	return l.Log.Sync(ctx)
}

func (l *failingSync) Replay(ctx context.Context) iter.Seq2[[]byte, error] {
	if l.failed && l.unreadable {
		return func(yield func([]byte, error) bool) { yield(nil, syscall.EIO) }
	}
	return l.Log.Replay(ctx)
}

// TestCompletionThatIsNotSynced lets the sync of a completed step fail after
// the next one was made ready. Then the step was not complete: nothing says so,
// the tree before it is there again, and the next one was not attempted. The
// run goes on from there.
func TestCompletionThatIsNotSynced(t *testing.T) {
	const steps = 5
	text := emptySteps(steps)
	for i := range steps {
		of := fmt.Sprintf("id = %d\ndescription = \"nothing\"\n", i+1)
		text = strings.Replace(text, of, of+fmt.Sprintf("semantic_change = \"extending\"\nlimits = { max_files = 1, max_lines = 9 }\nartifacts = { create = [\"%d.new\"] }\n", i+1), 1)
	}
	for failing := range steps - 1 {
		for _, unreadable := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d, unreadable %v", failing+1, unreadable), func(t *testing.T) {
				calls, script := 0, exectest.Script{}
				for i := range steps {
					write := exectest.Write(fmt.Sprintf("%d.new", i+1), "new\n")
					script[plan.Address(fmt.Sprintf("1.%d", i+1))] = func(ctx context.Context,
						w exec.Work) (exec.Outcome, error) {
						calls++
						return write(ctx, w)
					}
				}
				b := exectest.New(t, text, exectest.Files{"0.txt": "text\n"}, script)
				locked := b.Lock(t)
				var log *failingSync
				b.Controller.Runs = exectest.Logs(b.Controller.Dir, func(ctx context.Context, run string) (checkpoint.Log, error) {
					l, err := filelog.Open(ctx, filepath.Join(exec.Workspace{Dir: b.Dir}.RunDir(run), "journal"))
					log = &failingSync{Log: l, left: failing, unreadable: unreadable}
					return log, err
				})
				report, err := b.Controller.Run(t.Context(), locked)
				if !errors.Is(err, syscall.EIO) || !log.failed {
					t.Fatalf("the disk failed: %v; the run: %v\n%s", log.failed, err, report)
				}
				if want := failing + 1; calls != want {
					t.Errorf("%d steps were attempted, want %d", calls, want)
				}
				if got, want := report.Run.Count(history.Completed), failing; got != want && !(unreadable && got == 0) {
					t.Errorf("%d steps are complete by the report, want %d\n%s", got, want, report)
				}
				if got := b.Tree(t).Digest(); !unreadable && got != report.Run.Tree.Tree {
					t.Errorf("the tree is not the one that was accepted before")
				}
				b.Controller.Runs = nil
				ids, err := exec.Workspace{Dir: b.Dir}.IDs(t.Context())
				if err != nil || len(ids) != 1 {
					t.Fatalf("runs %q, %v", ids, err)
				}
				if report, err = b.Controller.Resume(t.Context(), locked, ids[0]); carried(report, err) != nil {
					t.Fatalf("resume: %v\n%s", err, report)
				}
				if calls > steps+1 {
					t.Errorf("%d attempts for %d steps", calls, steps)
				}
			})
		}
	}
}

// A lateFailure is a log that fails when it appends a type of record, which
// reaches the disk all the same. It counts what is durable.
type lateFailure struct {
	*filelog.Log
	at               string
	failed           bool
	written, durable uint64
}

func (l *lateFailure) Append(ctx context.Context, batch [][]byte) error {
	if l.failed {
		return checkpoint.ErrDead
	}
	if err := l.Log.Append(ctx, batch); err != nil {
		return err
	}
	if l.at != "" && slices.ContainsFunc(batch, func(rec []byte) bool { return bytes.Contains(rec, []byte(l.at)) }) {
		l.failed = true
		return fmt.Errorf("%w: %w", checkpoint.ErrDead, syscall.EIO)
	}
	l.written += uint64(len(batch))
	l.durable = l.written
	return nil
}

func (l *lateFailure) Write(ctx context.Context, batch [][]byte) error {
	if l.failed {
		return checkpoint.ErrDead
	}
	l.written += uint64(len(batch))
	return l.Log.Write(ctx, batch)
}

func (l *lateFailure) Sync(ctx context.Context) error {
	if l.failed {
		return checkpoint.ErrDead
	}
	l.durable = l.written
	return l.Log.Sync(ctx)
}

// openedBy has a controller keep its journal in l.
func openedBy(b *exectest.Bench, l *lateFailure) {
	b.Controller.Runs = exectest.Logs(b.Controller.Dir, func(ctx context.Context, run string) (_ checkpoint.Log, err error) {
		l.Log, err = filelog.Open(ctx, filepath.Join(exec.Workspace{Dir: b.Dir}.RunDir(run), "journal"))
		return l, err
	})
}

// TestRecordBehindCompletion lets a record fail that follows the completion of
// a step, and reach the disk all the same. The step is complete then, also for
// who takes the run up: its tree was not taken back.
func TestRecordBehindCompletion(t *testing.T) {
	text := strings.Replace(emptySteps(4), "id = 2\ndescription = \"nothing\"\n", "id = 2\ndescription = \"nothing\"\nsemantic_change = \"extending\"\n"+
		"limits = { max_files = 1, max_lines = 9 }\nartifacts = { create = [\"2.new\"] }\n", 1)
	write, script := exectest.Write("2.new", "new\n"), exectest.Script{}
	for i := range 4 {
		script[plan.Address(fmt.Sprintf("1.%d", i+1))] = exectest.Nothing()
	}
	script["1.2"] = func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		out, err := write(ctx, w)
		out.Usage.InputTokens = 75
		return out, err
	}
	b := exectest.New(t, text, exectest.Files{"0.txt": "text\n"}, script)
	b.Controller.TokenBudget = 100
	log := &lateFailure{at: "\x06budget"}
	openedBy(b, log)
	locked := b.Lock(t)
	report, err := b.Controller.Run(t.Context(), locked)
	if !errors.Is(err, syscall.EIO) || !log.failed {
		t.Fatalf("the disk failed: %v; the run: %v\n%s", log.failed, err, report)
	}
	if got := report.Run.Count(history.Completed); got != 2 || report.Run.Step("1.2").EndedAt > log.durable {
		t.Errorf("%d steps are complete by the report of %d records, and %d records are durable\n%s", got,
			report.Run.Head.Seq, log.durable, report)
	}
	if b.Tree(t).Digest() != report.Run.Tree.Tree {
		t.Error("the tree is not the one that was accepted")
	}
	b.Controller.Runs = nil
	if report, err = b.Controller.Resume(t.Context(), locked, report.Run.Started.Run); carried(report, err) != nil {
		t.Errorf("resume: %v\n%s", err, report)
	}
}

// A tellingHandler is a log handler that tells of each record that it is told
// of.
type tellingHandler struct {
	slog.Handler
	tell func(kind string, seq uint64)
}

func (h tellingHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h tellingHandler) Handle(_ context.Context, r slog.Record) error {
	attrs := map[string]slog.Value{}
	r.Attrs(func(a slog.Attr) bool { attrs[a.Key] = a.Value; return true })
	if r.Message == "recorded" {
		h.tell(attrs["type"].String(), attrs["seq"].Uint64())
	}
	return nil
}

// TestLogIsToldOfDurableCompletions: a host that logs each record hears that a
// step is complete once that is durable.
func TestLogIsToldOfDurableCompletions(t *testing.T) {
	script := exectest.Script{}
	for i := range 3 {
		script[plan.Address(fmt.Sprintf("1.%d", i+1))] = exectest.Nothing()
	}
	b := exectest.New(t, emptySteps(3), exectest.Files{"0.txt": "text\n"}, script)
	log, told := &lateFailure{}, 0
	openedBy(b, log)
	b.Controller.Log = slog.New(tellingHandler{slog.DiscardHandler, func(kind string, seq uint64) {
		if kind != "step-completed" {
			return
		}
		if told++; seq > log.durable {
			t.Errorf("record %d is told of, and %d are durable", seq, log.durable)
		}
	}})
	if report, err := b.Controller.Run(t.Context(), b.Lock(t)); carried(report, err) != nil || told != 3 {
		t.Errorf("%d completions are told of, %v\n%s", told, err, report)
	}
}
