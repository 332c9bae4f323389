package home

import (
	"context"
	"errors"
	"iter"

	"github.com/planlock/planlock/checkpoint"
)

// logPort is what a panic of the host's log names.
const logPort = "the log"

// hostLog opens the log of a run that the host keeps.
func (h Home) hostLog(ctx context.Context, run string) (checkpoint.Log, error) {
	defer InPort(logPort)
	log, err := h.OpenLog(ctx, run)
	if err != nil {
		return nil, err
	}
	switch log := log.(type) {
	case nil:
		return nil, errors.New("exec: OpenLog returned nil")
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
