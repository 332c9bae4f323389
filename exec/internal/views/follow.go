package views

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/internal/disk"
)

// What is drawn while a run goes on is drawn at once so many times, while there is
// little to draw, and then for a twentieth of the time that the run is in hand.
const (
	liveAtOnce = 20
	liveShare  = 20
)

// Follow draws the progress log, and adds to the notepad, where the run went on
// since it did so last. It is called before each thing that is done. What would
// hold the run up is done later, beside what is done then.
func (v *Views) Follow(ctx context.Context) {
	run, now := v.Rec.Run, time.Now()
	if run.Head.Seq == 0 || run.Ended != nil || !v.wanted() {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.began = run.Started
	v.tellLate()
	if run.Head.Seq == v.followed {
		return
	}
	if v.since.IsZero() {
		v.since = now
	}
	if early := liveShare*v.spent - now.Sub(v.since); v.draws >= liveAtOnce && early > 0 {
		v.later(context.WithoutCancel(ctx), early)
		return
	}
	v.followed = run.Head.Seq
	v.draws++
	model, err := document.New(v.Plan, run, nil)
	if err == nil {
		v.follow(ctx, model)
		v.note(ctx, model)
	}
	v.spent += time.Since(now)
	v.tellLate()
}

// wanted reports whether anything is drawn while the run goes on.
func (v *Views) wanted() bool {
	_, log := session.RequestedLog(v.Plan)
	_, notepad := session.RequestedNotepad(v.Plan)
	return log || notepad || slices.ContainsFunc(v.Table, func(d document.Document) bool { return d.Live })
}

// later follows once some time has passed, whatever is done then: it reads the
// journal anew, as anybody could.
func (v *Views) later(ctx context.Context, wait time.Duration) {
	if v.timer != nil {
		return
	}
	v.timer = time.AfterFunc(wait, func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.timer == nil {
			return // it was stopped
		}
		v.timer = nil
		began := time.Now()
		run, err := v.Home.History(ctx, v.began.Run)
		if err != nil || run.Ended != nil {
			return
		}
		if model, err := document.New(v.Plan, run, nil); err == nil {
			v.follow(ctx, model)
		}
		v.spent += time.Since(began)
	})
}

// Stop has nothing follow the run any more.
func (v *Views) Stop() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.stop()
	if v.run != nil {
		_ = errors.Join(v.run.Close(), v.top.Close()) // only names were looked up in them
		v.run, v.top = nil, nil
	}
}

func (v *Views) stop() {
	if v.timer != nil {
		v.timer.Stop()
		v.timer = nil
	}
}

// follow draws the progress log of a run that goes on.
func (v *Views) follow(ctx context.Context, m *document.Model) {
	err := v.open(ctx)
	if err == nil {
		err = v.live(m)
	}
	if err == nil && !v.began.Isolated {
		err = v.writeRequested(ctx, m, false)
	}
	if err != nil {
		v.untold(fmt.Sprintf("the progress log cannot be kept up to date: %v", err))
	}
}

// open opens the folders that are written while the run goes on, once: what
// becomes of their names meanwhile leads nowhere else.
func (v *Views) open(ctx context.Context) error {
	if v.run != nil {
		return nil
	}
	d, dir := disk.From(ctx), v.Home.RunDir(v.began.Run)
	if err := d.Anywhere().MkdirAll(dir, 0o755); err != nil {
		return err
	}
	run, err := d.OpenRoot(dir)
	if err != nil {
		return err
	}
	top, err := d.OpenRoot(v.Work.Root)
	if err != nil {
		return errors.Join(err, run.Close())
	}
	v.run, v.top = run, top
	return nil
}
