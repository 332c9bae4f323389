package life

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/plan"
)

// layer is where a new run works.
func (l *Life) layer() plan.Layer {
	if l.InPlace() {
		return plan.InPlace
	}
	return plan.Clone
}

// CloneDir is the folder of a run's clone.
func CloneDir(s *session.Session) string {
	return filepath.Join(s.Home.RunDir(s.Rec.Run.Started.Run), home.CloneName)
}

// enter makes the clone in which a run works, and has it hold the tree that was
// accepted. It can be repeated: what there was is made anew.
func (l *Life) enter(ctx context.Context) error {
	if !l.Rec.Run.Started.Layered() {
		return nil
	}
	dir := CloneDir(l.Session)
	l.Work.Dir = dir
	l.Work.Disturb()
	if err := layer.Discard(ctx, dir); err != nil {
		return fmt.Errorf("exec: %w", err)
	}
	if err := l.Work.DiscardLayers(ctx); err != nil {
		return fmt.Errorf("exec: %w", err)
	}
	if err := layer.Clone(ctx, l.Work.Root, dir); err != nil {
		return fmt.Errorf("exec: %w", err)
	}
	if err := l.layers(ctx); err != nil {
		return err
	}
	return l.Work.Enter(ctx, dir)
}

// layers has commands write in overlays of the clone, where this machine can show
// them such and the plan does not ask for the clone itself. What an attempt wrote
// whose controller died is put into the clone, to be kept and undone as such.
func (l *Life) layers(ctx context.Context) (err error) {
	l.Work.Layers = nil
	at, can := l.Overlays()
	if !can.Can {
		return l.Work.Reuse(ctx)
	}
	dir := filepath.Join(l.Work.RunDir(), home.LayersName)
	if err = disk.From(ctx).Anywhere().MkdirAll(dir, 0o700); err == nil {
		l.Work.Layers, err = layer.Over(CloneDir(l.Session), at, dir, can.Trusted)
	}
	if err == nil {
		err = l.Work.Reuse(ctx)
	}
	if err == nil {
		err = l.salvage(ctx, l.Work.Layers)
	}
	if err != nil {
		return fmt.Errorf("exec: %w", err)
	}
	return nil
}

// overlaid refuses a plan that asks for what this machine does not have.
func (l *Life) overlaid() error {
	if l.Plan.Sandbox.Layer != plan.Overlay {
		return nil
	}
	if _, can := l.Overlays(); can.Can {
		return nil
	}
	return &session.Refusal{Hint: "leave layer out of [sandbox], or say \"clone\": then each step costs a look through the whole copy",
		Reasons: []string{"the plan asks for layer \"overlay\", and commands of this user cannot be shown overlays whose folders lie in .planlock, on this machine and file system"}}
}

// salvage puts into the clone what an attempt left, and removes all layers. What
// cannot be read of it, since folders were closed, must not keep the run from
// going on.
func (l *Life) salvage(ctx context.Context, layers *layer.Overlays) error {
	left, err := layers.Left(home.AttemptName)
	if left == nil || err != nil {
		return errors.Join(err, layers.Sweep())
	}
	if err := l.Work.Salvage(ctx, left); err != nil {
		l.Work.Disturb()
		l.Warn(fmt.Sprintf("what an attempt wrote that was cut off cannot be kept: %v", err))
	}
	return errors.Join(left.Drop(), layers.Close(), layers.Sweep())
}

// rehearsable refuses a trial of which the first step would leave traces
// outside of the clone. Where a later one would, the trial ends before it.
func (l *Life) rehearsable(format plan.Format) error {
	if steps := l.outline(format); len(steps) > 0 && !steps[0].Rollback.Outside() {
		return nil
	}
	return l.harmless(format)
}

// harmless refuses a trial of steps that would leave traces outside of the
// clone.
func (l *Life) harmless(format plan.Format) error {
	if !l.Shadow {
		return nil
	}
	refused := &session.Refusal{Hint: "try a plan of the other steps; or run this one for real, not as a trial"}
	for _, o := range l.outline(format) {
		if o.Rollback.Outside() {
			refused.Reasons = append(refused.Reasons, fmt.Sprintf("step %s is %s: what it does outside of the workspace would be no trial", o.Address, o.Rollback))
		}
	}
	if len(refused.Reasons) == 0 {
		return nil
	}
	return refused
}
