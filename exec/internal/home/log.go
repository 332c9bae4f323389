package home

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
)

// logPort is what a panic of the host's runs, or of a log, names.
const logPort = "the log"

// runs is where journals are kept: by the host, or in the default folder.
func (h Home) runs() checkpoint.Runs {
	if h.Runs == nil {
		return filelog.Runs{Dir: h.Path("runs")}
	}
	return h.Runs
}

// Files are the files of journals; ok is false where they are in none.
func (h Home) Files() (files filelog.Runs, ok bool) {
	files, ok = h.runs().(filelog.Runs)
	return files, ok
}

// List yields the runs of the workspace; see [checkpoint.Runs].
func (h Home) List(ctx context.Context, which checkpoint.Which) iter.Seq2[checkpoint.Listed, error] {
	return func(yield func(checkpoint.Listed, error) bool) {
		defer InPort(logPort)
		n := 0
		for l, err := range h.runs().List(ctx, which) {
			if n++; err == nil && !isRun(l.Run) {
				err = fmt.Errorf("exec: runs: %q is no id of a run", l.Run)
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
		if n > 0 {
			return
		}
		if _, err := os.Stat(h.folder()); err != nil {
			yield(checkpoint.Listed{}, fmt.Errorf("exec: workspace: %w", err))
		}
	}
}

// Note keeps what becomes of a run, where whoever lists runs looks for it. That
// it could not be is no reason to stop: then the run itself is looked at.
func (h Home) Note(ctx context.Context, run string, state checkpoint.State) error {
	defer InPort(logPort)
	return h.runs().Note(ctx, run, state)
}

// Claim has a lock serve a run that is to begin, or to go on by it. The error is
// a *ClaimedError where it has served another one, unless that was cut off
// before it began.
func (h Home) Claim(ctx context.Context, lock, run string) error {
	holder, err := h.claim(ctx, lock, run, "")
	if err != nil || holder == run {
		return err
	}
	// Whoever claimed it and did not begin must not begin any more.
	log, err := h.Open(ctx, holder)
	if err != nil {
		return err
	}
	void := true
	for _, err = range log.Replay(ctx) {
		void = false
		break
	}
	if err = errors.Join(err, log.Close()); err != nil || !void {
		return errors.Join(err, &ClaimedError{Lock: lock, Run: holder})
	}
	if holder, err = h.claim(ctx, lock, run, holder); err == nil && holder != run {
		err = &ClaimedError{Lock: lock, Run: holder}
	}
	return err
}

func (h Home) claim(ctx context.Context, lock, run, instead string) (string, error) {
	defer InPort(logPort)
	return h.runs().Claim(ctx, lock, run, instead)
}

// A ClaimedError says that a lock has served a run.
type ClaimedError struct{ Lock, Run string }

func (e *ClaimedError) Error() string {
	return fmt.Sprintf("lock %s has served run %s, and a lock serves one run", e.Lock, e.Run)
}

// Open opens the log of a run, or the one beside it, for more.
func (h Home) Open(ctx context.Context, name string) (checkpoint.Log, error) {
	defer InPort(logPort)
	log, err := h.runs().Open(ctx, name)
	return h.named(log, err)
}

// readLog opens the log of a run, or the one beside it, without the means to
// change it. [ErrNoRun].
func (h Home) readLog(ctx context.Context, name string) (checkpoint.Log, error) {
	if run := strings.TrimSuffix(name, checkpoint.AfterRun); !isRun(run) {
		return nil, fmt.Errorf("%w %q in %s", ErrNoRun, run, h.folder())
	}
	defer InPort(logPort)
	log, err := h.runs().Read(ctx, name)
	if errors.Is(err, checkpoint.ErrNotFound) {
		return nil, fmt.Errorf("%w %q in %s", ErrNoRun, name, h.folder())
	}
	return h.named(log, err)
}

// isRun reports whether a name is the id of a run, so that it leads nowhere else.
func isRun(name string) bool {
	_, err := ulid.ParseStrict(name)
	return err == nil
}

// named is a log whose panics say so, where it is the host's.
func (h Home) named(log checkpoint.Log, err error) (checkpoint.Log, error) {
	if _, files := h.runs().(filelog.Runs); err != nil || files {
		return log, err
	}
	switch log := log.(type) {
	case nil:
		return nil, errors.New("exec: Runs returned nil for a log")
	case checkpoint.LogWriter:
		return namedWriter{namedLog{log}, log}, nil
	}
	return namedLog{log}, nil
}

// A namedLog is a log of the host whose panics say so.
type namedLog struct{ inner checkpoint.Log }

func (l namedLog) Append(ctx context.Context, batch [][]byte) error {
	defer InPort(logPort)
	return l.inner.Append(ctx, batch)
}

func (l namedLog) Replay(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		defer InPort(logPort)
		l.inner.Replay(ctx)(yield)
	}
}

func (l namedLog) Close() error {
	defer InPort(logPort)
	return l.inner.Close()
}

// A namedWriter is one that can write without waiting for the disk.
type namedWriter struct {
	namedLog
	writer checkpoint.LogWriter
}

func (l namedWriter) Write(ctx context.Context, batch [][]byte) error {
	defer InPort(logPort)
	return l.writer.Write(ctx, batch)
}

func (l namedWriter) Hasten() {
	defer InPort(logPort)
	l.writer.Hasten()
}

func (l namedWriter) Sync(ctx context.Context) error {
	defer InPort(logPort)
	return l.writer.Sync(ctx)
}
