package attempt

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/disturbance"
	"github.com/planlock/planlock/exec/internal/engine"
	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/plan"
)

// A waiting attempt was carried out in a lane, and waits to be joined.
type waiting struct {
	*trial
	executor Executor
	lane     *worktree.Lane
	away     bool // elsewhere: it has no folder here
	made     *worktree.Made
	err      error // of the lane; nothing is known of what was done there
}

// Together carries out attempts of several steps at once, each in a lane that
// holds the accepted tree, and returns when none of them runs any more. What
// they did waits for [Attempts.Join]. Where two of them changed the same, the
// work of all is dropped: nothing is merged.
//
// All attempts are announced, in one batch, before the first executor is
// called. The state of the run stands still until the last one came back.
func (a *Attempts) Together(ctx context.Context, members []engine.Member) error {
	a.waiting, a.Rec.Seen.Back = map[plan.Address]*waiting{}, nil
	tree, err := a.Work.Known(ctx)
	if err != nil {
		return err
	}
	group := make([]*waiting, len(members))
	facts := history.Where{}.Locate(&history.GroupBegun{})
	began := facts[0].Fact.(*history.GroupBegun)
	if err := a.openLanes(ctx, group, members); err != nil {
		return err
	}
	for n, m := range members {
		s := a.Rec.Run.Step(m.Step)
		started, err := a.inLane(group[n], s, m.Method)
		if err != nil {
			return err
		}
		group[n].before = tree
		began.Steps = append(began.Steps, s.Address)
		facts = append(facts, s.Where(s.Tried()+1).Locate(started)...)
	}
	if err := a.Rec.BeginAll(ctx, a.Rec.UndoneByTree(group[0].s), facts...); err != nil {
		return err
	}
	var all sync.WaitGroup
	for _, w := range group {
		all.Go(func() {
			if w.fault = w.unapproved(w.before); w.fault == nil {
				w.execute(ctx, w.executor)
			}
			w.made, w.err = w.lane.Look(context.WithoutCancel(ctx), w.runner.Kept())
		})
	}
	all.Wait()
	a.Rec.Seen.Forget(disturbance.Attempted...)
	a.Rec.Seen.Saw(guard.Tree) // nobody worked there
	if session.Interrupted(ctx) {
		return a.drop(ctx, group, func(*waiting) *fault {
			return faultf(history.Interrupted, "the run was interrupted: %v", context.Cause(ctx))
		})
	}
	if found := meetings(ctx, group); len(found) > 0 {
		return a.drop(ctx, group, func(*waiting) *fault {
			f := faultf(history.Met, "%s", found[0])
			f.Reasons = append(f.Reasons, found[1:]...)
			return f
		})
	}
	for _, w := range group {
		a.waiting[w.s.Address] = w
		a.Rec.Seen.Back = append(a.Rec.Seen.Back, w.s.Address)
	}
	return nil
}

// openLanes finds who carries out the attempts of a group, and makes a lane for
// each: a layer where that is by commands alone and this machine has layers, and
// no folder where it is done elsewhere.
func (a *Attempts) openLanes(ctx context.Context, group []*waiting, members []engine.Member) (err error) {
	var apart []*waiting
	for n, m := range members {
		group[n] = &waiting{}
		s := a.Rec.Run.Step(m.Step)
		if group[n].executor, err = a.Executor(ctx, a.method(s, m.Method).Executor); err != nil {
			return err
		}
		_, step := a.Shown.At(s.Address)
		switch x := group[n].executor; {
		case x.Away != nil && x.Away(step):
			group[n].lane, group[n].away = worktree.Away(a.Work), true
		case x.ByCommands && a.Work.Layers != nil:
			group[n].lane = worktree.InLayer(a.Work)
		default:
			apart = append(apart, group[n])
		}
	}
	if err := a.lanes.Grow(ctx, a.Work, len(apart)); err != nil {
		return err
	}
	var all sync.WaitGroup
	for n, w := range apart {
		all.Go(func() { w.lane, w.err = a.lanes.Open(ctx, a.Work, n) })
	}
	all.Wait()
	for _, w := range apart {
		if w.err != nil {
			return w.err
		}
	}
	return nil
}

// method is a way to do a step, with the executor that carries it out.
func (a *Attempts) method(s *history.Step, id string) method.Method {
	m := a.Method(s, id)
	if m.Executor == "" {
		_, step := a.Contract.At(s.Address)
		m.Executor = step.Executor
	}
	return m
}

// inLane makes an attempt ready that is carried out in a lane.
func (a *Attempts) inLane(w *waiting, s *history.Step, method string) (*history.AttemptStarted, error) {
	there := *a.Session
	there.Work = w.lane.Worktree
	attempts := *a
	attempts.Session = &there
	task, step := a.Contract.At(s.Address)
	m := a.method(s, method)
	w.trial = &trial{Attempts: &attempts, s: s, task: task, step: s.Granted(step), number: s.Tried() + 1,
		method: m, runner: there.Runner(step), before: w.lane.Tree}
	if w.away {
		w.became = w.lane.Became
	} else if err := w.runner.Keep(""); err != nil { // in a lane of its own there are no layers
		return nil, fmt.Errorf("exec: %w", err)
	}
	_, err := w.prepare()
	w.inputs = "" // the tree that is accounted for has the work of other steps too
	return &history.AttemptStarted{Method: m.ID, Text: m.Description, Executor: m.Executor,
		Identity: w.executor.Identity}, err
}

// meetings says which steps of a group did not leave each other alone, a line
// each, and where.
func meetings(ctx context.Context, group []*waiting) (found []string) {
	read := make(map[*waiting][]string, len(group))
	for _, w := range group {
		if w.made == nil {
			continue
		}
		if patterns := reads(w.step); len(patterns) > 0 {
			read[w] = w.before.Behind(patterns)
		}
	}
	for i, w := range group {
		for _, o := range group[i+1:] {
			if w.made == nil || o.made == nil {
				continue
			}
			if paths := w.made.Meets(o.made); len(paths) > 0 {
				found = append(found,
					fmt.Sprintf("steps %s and %s both changed %s", w.s.Address, o.s.Address, some(paths)))
			}
			for _, r := range [][2]*waiting{{w, o}, {o, w}} {
				if paths := r[0].made.Wrote(read[r[1]]); len(paths) > 0 {
					found = append(found, fmt.Sprintf("step %s changed what step %s declares to read: %s",
						r[0].s.Address, r[1].s.Address, some(paths)))
				}
				if names := r[0].redeclared(ctx, owns(r[1].step)); len(names) > 0 {
					found = append(found, fmt.Sprintf("step %s changed what step %s owns: %s",
						r[0].s.Address, r[1].s.Address, some(names)))
				}
			}
		}
	}
	return bound.First(found, bound.Lines)
}

// some names a few paths.
func some(paths []string) string {
	const few = 5
	text := strings.Join(paths[:min(few, len(paths))], ", ")
	if more := len(paths) - few; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// redeclared are those of some symbols whose declarations are other ones in the
// source files that an attempt changed; none where these cannot be read.
func (w *waiting) redeclared(ctx context.Context, symbols []string) (names []string) {
	if len(symbols) == 0 {
		return nil
	}
	pairs, err := w.Sources.Changed(ctx, w.made.Changes, w.lane.Contents)
	if err != nil {
		w.Rec.Log.Warn("what a step changed of symbols that another owns cannot be read", "step", w.s.Address, "err", err)
	}
	for _, name := range symbols {
		var was, is []string
		for _, p := range pairs {
			was, is = append(was, declarations(p.Before, name)...), append(is, declarations(p.After, name)...)
		}
		slices.Sort(was)
		slices.Sort(is)
		if !slices.Equal(was, is) {
			names = append(names, name)
		}
	}
	return names
}

// declarations are the texts of those of a symbol in a file, and of what belongs
// to it, as the methods of a type.
func declarations(f *source.File, name string) (texts []string) {
	if f == nil {
		return nil
	}
	for _, s := range f.Symbols {
		if of, _, _ := source.Cut(s.Name); s.Name == name || of == name {
			texts = append(texts, s.Text)
		}
	}
	return texts
}

func owns(s *plan.Step) []string {
	if s.Access == nil {
		return nil
	}
	return s.Access.Symbols
}

func reads(s *plan.Step) []string {
	if s.Access == nil {
		return nil
	}
	return s.Access.Reads
}

// drop records why attempts of a group count for nothing. What they did is kept,
// and never was anywhere but in their lanes.
func (a *Attempts) drop(ctx context.Context, group []*waiting, why func(*waiting) *fault) error {
	var facts []history.Located
	for _, w := range group {
		begun := &history.RestoreBegun{To: a.Rec.Run.Tree}
		if w.made != nil {
			if snap, err := w.lane.Drop(ctx, w.made); err == nil {
				begun.Discarded = snap
			}
		}
		facts = append(facts, w.s.Where(w.number).Locate(w.said(), why(w).bounded(), begun, &history.Restored{})...)
	}
	return a.Rec.RecordAll(context.WithoutCancel(ctx), facts...)
}
