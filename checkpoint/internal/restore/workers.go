package restore

import (
	"context"
	"maps"
	"sync"

	"github.com/planlock/planlock/checkpoint/internal/walk"
)

// fewMendings are not worth a second worker.
const fewMendings = 64

// mendRest mends what is no folder, when all folders are there: two workers
// take one half each, in the order of the paths, so that they seldom meet in a
// folder. Before a test's disk there is one, so that operations have an order.
func (r *restorer) mendRest(ctx context.Context, todo []mending) {
	if len(todo) < fewMendings || !r.w.Root.Plain() {
		r.mendThese(ctx, todo)
		return
	}
	second, err := r.fork(ctx)
	if err != nil {
		r.mendThese(ctx, todo)
		return
	}
	var wait sync.WaitGroup
	// Two halves, and not turns: neighbours lie in one folder, which one worker
	// then keeps open.
	half := len(todo) / 2
	wait.Go(func() { second.mendThese(ctx, todo[half:]) })
	r.mendThese(ctx, todo[:half])
	wait.Wait()
	r.join(second)
}

// mendThese mends in order. A cancelled restore stops between two entries: what
// it did is whole, and the next one goes on from a new scan.
func (r *restorer) mendThese(ctx context.Context, todo []mending) {
	for _, m := range todo {
		if ctx.Err() != nil {
			return
		}
		r.mendOne(ctx, m)
	}
}

// mendOne mends m, if its folder could be mended.
func (r *restorer) mendOne(ctx context.Context, m mending) {
	if parent, _ := cutPath(m.Path); r.failed[parent] {
		r.failed[m.Path] = true // its folder's error says it all
		return
	}
	r.note(m.Path, r.mendEntry(ctx, m))
}

// fork makes a restorer with folders, notes and memory of its own.
func (r *restorer) fork(ctx context.Context) (*restorer, error) {
	w, err := walk.Open(ctx, r.dir)
	if err != nil {
		return nil, err
	}
	second := *r
	// It shares the plan, which does not change any more, and nothing that is
	// written to.
	second.w, second.buf, second.errs, second.rootWas = w, nil, nil, 0
	second.touched, second.failed = map[string]bool{}, maps.Clone(r.failed)
	return &second, nil
}

// join takes over what a fork noted, and closes it.
func (r *restorer) join(second *restorer) {
	// Both may have touched one folder; its mode and time are set once, after
	// both.
	maps.Copy(r.touched, second.touched)
	maps.Copy(r.failed, second.failed)
	r.errs = append(r.errs, second.errs...)
	if r.rootWas == 0 {
		r.rootWas = second.rootWas
	}
	r.note(".", second.w.Close())
}
