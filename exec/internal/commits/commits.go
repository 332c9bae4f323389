// Package commits has the accepted work of a run committed to the repository of
// its workspace, once it lies there. What git does is behind the port of package
// commit; what it may be asked for, and what became of it, is decided here.
package commits

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/commit"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/binding"
	"github.com/planlock/planlock/exec/internal/deliveries"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/git"
)

// Commits are those of one run.
type Commits struct {
	*session.Session
	Deliveries *deliveries.Deliveries
	Committer  commit.Committer // nil: nobody commits
}

// hint is what a person can do about a commit that is refused, besides what is
// wrong with it.
const hint = "mend that, or go on without commits; what was accepted stays in the workspace"

// settled is among the settings of every run that commits, so that there are some.
const settled = "commits"

// Settings are what decides about commits, for a run that begins; nil where it
// makes none.
func (c *Commits) Settings(ctx context.Context, unit commit.Unit) (ledger.GitState, error) {
	if unit == "" {
		return nil, nil
	}
	if c.Committer == nil {
		return nil, c.Refuse("", "nobody is there who commits")
	}
	now, err := c.Committer.Settings(ctx, c.Work.Root)
	if err != nil {
		return nil, c.refused(err)
	}
	if git.Head(c.Work.Root) == "" {
		return nil, c.Refuse("make a first commit", "%s has no commit that can be followed", c.Work.Root)
	}
	now = maps.Clone(now)
	if now == nil {
		now = ledger.GitState{}
	}
	now[settled] = ledger.Sum(nil)
	return now, nil
}

// moved are the settings as they are now, and the names of those that are not as
// they were when the run began, or were accepted since.
func (c *Commits) moved(ctx context.Context) (now ledger.GitState, names []string, err error) {
	if now, err = c.Committer.Settings(ctx, c.Work.Root); err != nil {
		return nil, nil, c.refused(err)
	}
	names = slices.DeleteFunc(c.Rec.Run.Started.Committing.Moved(now), func(name string) bool { return name == settled })
	return now, names, nil
}

// Accept are the settings of a run that goes on, where a person accepts by name some
// that moved, and which these are; nil where it commits nothing, or none is named.
func (c *Commits) Accept(ctx context.Context, unit commit.Unit, names []string) (ledger.GitState, []string, error) {
	run := c.Rec.Run
	if c.Committer == nil || run.Started.Committing == nil || run.Policy.Commits == "" || unit == commit.Off {
		return nil, nil, nil
	}
	now, moved, err := c.moved(ctx)
	if err != nil {
		return nil, nil, err
	}
	var accepted []string
	state := maps.Clone(run.Started.Committing)
	for _, name := range moved {
		if !slices.Contains(names, name) {
			continue
		}
		accepted = append(accepted, name)
		if digest, is := now[name]; is {
			state[name] = digest
		} else {
			delete(state, name)
		}
	}
	if accepted == nil {
		return nil, nil, nil
	}
	return state, accepted, nil
}

// refused is what a committer says as the run says it. accept are the names of what
// moved, by which a person may let it commit all the same.
func (c *Commits) refused(err error, accept ...string) error {
	said := (*commit.RefusedError)(nil)
	if !errors.As(err, &said) {
		return err
	}
	refused := &session.Refusal{Run: c.Rec.Run.Started.Run, Reasons: said.Reasons, Hint: said.Hint, Err: err}
	if run := refused.Run; run != "" {
		refused.Hint = strings.TrimPrefix(said.Hint+"; "+hint, "; ")
		refused.Actions = []action.Action{{Kind: action.Resume, Run: run}}
		if len(accept) > 0 {
			refused.Actions = append(refused.Actions, action.Action{Kind: action.Resume, Run: run, Accept: accept})
		}
	}
	return refused
}

// Commit commits the work that is next. A refusal lets the run go, and resuming
// it tries that again; a run that has ended waits for that unsealed.
func (c *Commits) Commit(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	fact, err := c.commit(ctx)
	if err != nil {
		if c.Rec.Run.Ended != nil {
			return err
		}
		return c.LetGo(ctx, err)
	}
	if err := c.Rec.Record(ctx, history.Where{}, fact); err != nil {
		return err
	}
	return c.renew(ctx)
}

// commit makes the commit, in a repository that is as the run knows it.
func (c *Commits) commit(ctx context.Context) (*history.Committed, error) {
	if err := c.Rec.Await(ctx); err != nil {
		return nil, err // what is not durable was not accepted
	}
	if err := c.asTheyWere(ctx); err != nil {
		return nil, err
	}
	steps := c.Rec.Run.Uncommitted()
	w, left, err := c.work(ctx, steps)
	if err != nil {
		return nil, err
	}
	var changed []commit.LeftOut
	if w.Changes, changed, err = c.held(ctx, w.Changes); err != nil {
		return nil, err
	}
	left = append(left, changed...)
	made := &commit.Made{}
	if len(w.Changes) > 0 {
		if made, err = c.Committer.Commit(ctx, w); err != nil {
			return nil, c.refused(err)
		}
	}
	return c.fact(steps, made, append(left, made.Left...))
}

// asTheyWere refuses a repository, or what commits there obey, that is not as
// the run knows it.
func (c *Commits) asTheyWere(ctx context.Context) error {
	run := c.Rec.Run
	if c.Committer == nil {
		return c.refused(&commit.RefusedError{Reasons: []string{"the run commits its work, and nobody is there who does"}})
	}
	_, accept, err := c.moved(ctx)
	if err != nil {
		return err
	}
	refused := &commit.RefusedError{Hint: "put back what is named above"}
	for _, name := range accept {
		refused.Reasons = append(refused.Reasons, "nothing is committed: "+name+" is not as it was when the run began")
	}
	now, err := git.Read(c.Work.Root)
	if err != nil {
		return err
	}
	if moved := run.Git.Moved(now); len(moved) > 0 {
		refused.Reasons = append(refused.Reasons, "nothing is committed: the repository moved: "+strings.Join(moved, ", "))
		names, ok := binding.Acceptable(moved)
		for _, name := range names {
			if !slices.Contains(accept, name) {
				accept = append(accept, name)
			}
		}
		if !ok {
			accept = nil
		}
	}
	if len(refused.Reasons) > 0 {
		return c.refused(refused, accept...)
	}
	return nil
}

// fact is what the journal says of a commit. Of the repository, a commit moves
// what is checked out and its branch: whatever else moved meanwhile is somebody
// else's, and noticed as ever.
func (c *Commits) fact(steps []*history.Step, made *commit.Made, left []commit.LeftOut) (*history.Committed, error) {
	fact := &history.Committed{Commit: made.Hash, Branch: made.Branch, Left: left}
	for _, s := range steps {
		fact.Steps = append(fact.Steps, s.Address)
	}
	if made.Hash == "" || git.Head(c.Work.Root) != made.Hash {
		return fact, nil
	}
	now, err := git.Read(c.Work.Root)
	if err != nil {
		return nil, err
	}
	fact.Git = renewed(c.Rec.Run.Git, now, made)
	return fact, nil
}

// renewed is what is known of a repository with what a commit moved in it, as that
// is now.
func renewed(known, now ledger.GitState, made *commit.Made) ledger.GitState {
	known = maps.Clone(known)
	name := "HEAD"
	if made.Branch != "" {
		name = made.Branch
	}
	if now[name] == "" { // of very many refs there is one digest for a folder
		name = path.Dir(name)
	}
	moved := []string{name}
	if made.Staged {
		moved = append(moved, "index")
	}
	for _, name := range moved {
		if digest, ok := now[name]; ok {
			known[name] = digest
		}
	}
	return known
}

// renew has the layer in which steps work hold the repository as it is now.
func (c *Commits) renew(ctx context.Context) error {
	if !c.Work.Layered() || c.Rec.Run.Ended != nil {
		return nil
	}
	_, err := worktree.RenewRepository(ctx, c.Work)
	return err
}

// Recall finds, before anything else is done with a run whose controller died,
// the commit that it made and did not record.
func (c *Commits) Recall(ctx context.Context) error {
	run := c.Rec.Run
	steps := run.Uncommitted()
	if run.Paused != nil || c.Committer == nil || len(steps) == 0 || git.Head(c.Work.Root) == run.Commit {
		return nil
	}
	w, left, err := c.work(ctx, steps)
	if err != nil {
		return err
	}
	made, err := c.Committer.Find(ctx, w)
	if err != nil || made == nil {
		return c.refused(err)
	}
	fact, err := c.fact(steps, made, append(left, made.Left...))
	if err != nil {
		return err
	}
	return c.Rec.Record(ctx, history.Where{}, fact)
}

// work is what a commit of steps is to hold, as far as nobody else was there.
func (c *Commits) work(ctx context.Context, steps []*history.Step) (w commit.Work, foreign []commit.LeftOut, err error) {
	run := c.Rec.Run
	w = commit.Work{Dir: c.Work.Root, Parent: run.Commit, Run: run.Started.Run, Plan: run.Started.Plan,
		Goal: run.Started.Goal, Unit: run.Policy.Commits, Content: c.Work.Content(c.Work.Root)}
	for _, s := range steps {
		w.Steps = append(w.Steps, commit.Done{Address: s.Address, Title: s.Title})
	}
	if !slices.ContainsFunc(steps, func(s *history.Step) bool { return s.Task != steps[0].Task }) {
		w.Task, _ = c.Shown.At(steps[0].Address)
	}
	paths, err := c.paths(ctx, steps)
	if err != nil {
		return w, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		switch p := paths[name]; {
		case same(p.before, p.after), folder(p.before) && folder(p.after):
		case p.foreign:
			foreign = append(foreign, commit.LeftOut{Path: name, Why: byOthers})
		default:
			w.Changes = append(w.Changes, ledger.Change{Path: name, Op: op(p), Before: p.before, After: p.after})
		}
	}
	return w, foreign, nil
}

// byOthers is why a path is left out that somebody else changed since a step did.
const byOthers = "somebody else changed it meanwhile"

// held are those of changes that the workspace still holds as they were
// delivered, and the others.
func (c *Commits) held(ctx context.Context, changes []ledger.Change) (held []ledger.Change, foreign []commit.LeftOut, err error) {
	now, placed, err := c.Deliveries.Holding(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, change := range changes {
		if holdsAlike(now, placed, change.Path) {
			held = append(held, change)
		} else {
			foreign = append(foreign, commit.LeftOut{Path: change.Path, Why: byOthers})
		}
	}
	return held, foreign, nil
}

// A pathState is what is known of a path that steps changed.
type pathState struct {
	base          *ledger.Entry // before the first of them
	before, after *ledger.Entry // what the repository holds, and is to hold
	foreign       bool          // what a step found is not what the one before left
	touched       bool          // by work that stands
}

// paths are those that a commit of steps is about: what they changed, and what
// earlier commits hold of steps that were set back since.
func (c *Commits) paths(ctx context.Context, steps []*history.Step) (map[string]*pathState, error) {
	run, all := c.Rec.Run, map[string]*pathState{}
	at := func(change ledger.Change) *pathState {
		if all[change.Path] == nil {
			all[change.Path] = &pathState{base: change.Before, before: change.Before}
		}
		return all[change.Path]
	}
	for _, made := range run.Commits {
		for _, work := range made.Works {
			changes, err := c.changes(ctx, work)
			if err != nil {
				return nil, err
			}
			for _, change := range changes {
				if made.Commit != "" && !slices.ContainsFunc(made.Left, func(l commit.LeftOut) bool { return l.Path == change.Path }) {
					at(change).before = change.After
				}
			}
		}
	}
	mine := map[string]bool{}
	for _, s := range c.standing(steps) {
		changes, err := c.changes(ctx, s.Account())
		if err != nil {
			return nil, err
		}
		for _, change := range changes {
			p := at(change)
			p.foreign = p.touched && !same(p.after, change.Before)
			p.after, p.touched = change.After, true
			if slices.Contains(steps, s) {
				mine[change.Path] = true
			}
		}
	}
	for name, p := range all {
		switch {
		case !p.touched:
			p.after = p.base
		case !mine[name]:
			delete(all, name)
		}
	}
	return all, nil
}

// standing are the steps whose work stands, and is committed or is to be, in the
// order in which they ended.
func (c *Commits) standing(steps []*history.Step) []*history.Step {
	var all []*history.Step
	for _, s := range c.Rec.Run.Steps {
		if s.Committed() != nil || slices.Contains(steps, s) {
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b *history.Step) int { return int(a.EndedAt) - int(b.EndedAt) })
	return all
}

// changes are all that an account names, also where the journal has no more than
// the beginning of it.
func (c *Commits) changes(ctx context.Context, of *history.Accounted) ([]ledger.Change, error) {
	if of.Whole == "" {
		return of.Changes, nil
	}
	text, err := c.Rec.Store.Get(ctx, of.Whole)
	whole := history.Accounted{}
	if err == nil {
		err = json.Unmarshal(text, &whole)
	}
	if err != nil {
		return nil, fmt.Errorf("exec: what a step changed: %w", err)
	}
	return whole.Changes, nil
}

// op is what becomes of a path.
func op(p *pathState) ledger.Op {
	switch {
	case p.before == nil:
		return ledger.Created
	case p.after == nil:
		return ledger.Deleted
	}
	return ledger.Modified
}

// same reports whether two entries, or none, are the same.
func same(a, b *ledger.Entry) bool {
	return (a == nil) == (b == nil) && (a == nil || a.Same(*b))
}

// folder reports whether nothing or a folder is there: git knows none of these.
func folder(e *ledger.Entry) bool { return e == nil || e.Kind == ledger.Dir }

// holdsAlike reports whether two trees hold the same at a path.
func holdsAlike(a, b *ledger.Tree, path string) bool {
	x, ok := a.Lookup(path)
	y, also := b.Lookup(path)
	return ok == also && (!ok || x.Same(y))
}
