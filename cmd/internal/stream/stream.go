// Package stream writes the journal of a run while the run goes on.
package stream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"path/filepath"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
)

// Records writes the records of a run's journal as they become durable, one
// JSON object a line.
type Records struct {
	Out       io.Writer
	Workspace exec.Workspace
	Resumed   string // id of the run that is resumed, "" for a new one
	Err       error  // of writing, once the run is over; the run does not fail because of it
}

// Open opens the log of a run. The records of the run under way are written as
// they are appended; logs of other runs are only read.
func (s *Records) Open(ctx context.Context, run string) (checkpoint.Log, error) {
	path := filepath.Join(s.Workspace.RunDir(run), "journal")
	if run != s.Resumed {
		log, err := s.Workspace.Witness.Read(ctx, path)
		if !errors.Is(err, fs.ErrNotExist) {
			return log, err
		}
	}
	inner, err := s.Workspace.Witness.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	t := &teeLog{Log: inner, live: make(chan []byte, 64), done: make(chan struct{})}
	for rec, err := range inner.Replay(ctx) {
		if err != nil {
			return nil, errors.Join(err, inner.Close())
		}
		t.old = append(t.old, bytes.Clone(rec))
	}
	go s.follow(run, t)
	return t, nil
}

// follow decodes and writes what is appended, until the log is closed.
func (s *Records) follow(run string, t *teeLog) {
	defer close(t.done)
	lines := json.NewEncoder(s.Out)
	lines.SetEscapeHTML(false)
	journal, err := checkpoint.OpenJournal(context.Background(), (*liveLog)(t), run, nil)
	if err == nil {
		t.opened = true
		for rec, recErr := range journal.Records(context.Background()) {
			if recErr != nil {
				err = recErr
				break
			}
			if rec.Seq > uint64(len(t.old)) && err == nil {
				err = lines.Encode(rec) // a reader that went away does not stop the run
			}
		}
	}
	s.Err = err
	for range t.live {
	}
}

// A teeLog is a log that also hands on what was appended to it.
type teeLog struct {
	checkpoint.Log
	old    [][]byte
	live   chan []byte
	done   chan struct{}
	opened bool
	closed bool
}

// Append hands records on once they are durable.
func (t *teeLog) Append(ctx context.Context, batch [][]byte) error {
	if err := t.Log.Append(ctx, batch); err != nil {
		return err
	}
	for _, rec := range batch {
		t.live <- bytes.Clone(rec)
	}
	return nil
}

// Close returns when everything that was appended has been written.
func (t *teeLog) Close() error {
	if !t.closed {
		t.closed = true
		close(t.live)
		<-t.done
	}
	return t.Log.Close()
}

// A liveLog is the other side: a log whose records are still to come.
type liveLog teeLog

func (l *liveLog) Append(context.Context, [][]byte) error { return fs.ErrPermission }

func (l *liveLog) Close() error { return nil }

// Replay yields nothing while the journal is opened, and afterwards all
// records, those too that are still to be appended.
func (l *liveLog) Replay(context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if !l.opened {
			return
		}
		for _, rec := range l.old {
			if !yield(rec, nil) {
				return
			}
		}
		for rec := range l.live {
			if !yield(rec, nil) {
				return
			}
		}
	}
}
