package life

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/ledger"
)

// How long somebody who writes is given to come to rest: pauses that double,
// from the first to the last.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 800 * time.Millisecond
)

// keepBase keeps the tree that the run begins with. Where somebody writes in the
// workspace meanwhile, it is read again after a pause; check is asked about each
// tree that was read anew.
func (l *Life) keepBase(ctx context.Context, base *ledger.Tree, check func(*ledger.Tree) error) (
	record.Snapshot, *ledger.Tree, error) {
	var moving []string
	for pause := firstPause; ; pause *= 2 {
		snap, err := l.Rec.Store.Snapshot(ctx, l.Work.Root, base, record.Snapshot{})
		var changed *checkpoint.ChangedError
		if !errors.As(err, &changed) {
			return snap, base, err
		}
		if path := ledger.Quote(changed.Path); !slices.Contains(moving, path) {
			moving = append(moving, path)
		}
		if pause > lastPause {
			return snap, base, &session.Refusal{Err: err,
				Reasons: []string{"somebody keeps writing in the workspace; while it was read, there changed: " +
					strings.Join(bound.First(moving, 5), ", ")},
				Hint: "stop what writes there, or leave these paths out with ignore, or watch them with stamps, in [ledger]"}
		}
		l.Warn(fmt.Sprintf("%s changed while the workspace was read: it is read again", ledger.Quote(changed.Path)))
		if err := rest(ctx, pause); err != nil {
			return snap, base, err
		}
		again, err := l.Work.Scanner.Scan(ctx, l.Work.Root, base)
		if err != nil {
			return snap, base, err
		}
		if base = again; base.Digest() != l.Work.Base.Digest() {
			if err := check(base); err != nil {
				return snap, base, err
			}
		}
		l.Work.Base, l.Work.Tree = base, base
	}
}

// rest waits, unless the run is to stop.
func rest(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
