package tasks

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/counsel"
	"github.com/planlock/planlock/exec/internal/disturbance"
	"github.com/planlock/planlock/exec/internal/engine"
	"github.com/planlock/planlock/exec/internal/rewind"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/gate/evidence/search"
	"github.com/planlock/planlock/plan"
)

// Evidence is what the tasks of a run were to leave behind. Policy says how it
// is looked for.
type Evidence struct {
	*session.Session
	// Counsel may know another method for the step that left nothing.
	Counsel *counsel.Counsel
	// Rewind sets the run back, so that the step is carried out again.
	Rewind *rewind.Rewind
	Policy *search.Policy
}

// Look looks for the evidence of a task, and records what was found. Looking
// may ask servers and run commands, so the tree is looked at afterwards;
// whoever changed it has found nothing.
func (v *Evidence) Look(ctx context.Context, a engine.Verify) error {
	task, found := v.Contract.Task(a.Task), &history.Evidence{Task: a.Task, Retry: a.Retry, Action: a.Action}
	if _, err := v.Work.Known(ctx); err != nil {
		return err
	}
	policy, shown := v.Policy, v.ShownTask(task)
	found.Kind = policy.Type(shown)
	runs, artifacts := engine.Claimed(v.Rec.Run, task)
	needs := policy.Needs(shown, runs, artifacts)
	if len(needs) == 0 {
		needs = v.missed(a.Task)
	}
	found.Items = policy.Look(ctx, v.Work.Dir, v.Runner(nil), needs)
	v.withoutOld(task, found.Items)
	if session.Interrupted(ctx) {
		return nil // nothing was recorded; the loop stops
	}
	found.Pass = len(found.Items) > 0 && allFound(found.Items)
	listFirst(found)
	v.Rec.Seen.Forget(disturbance.StrangersRan...)
	facts := []history.Located{{Fact: found}}
	undo, changed, err := v.Work.UntouchedBy(ctx, "while evidence was looked for")
	if err != nil {
		return err
	}
	if changed != nil {
		found.Pass = false
		found.Items = append(found.Items, evidence.Item{Need: evidence.Need{Kind: evidence.Command},
			State: evidence.Unverifiable, Why: strings.Join(changed, "; ")})
		facts = append(facts, history.Located{Fact: undo})
	}
	return v.Rec.RecordAll(ctx, facts...)
}

// missed is what the look before did not find. Where nothing is claimed any more,
// since another method says nothing of it, it is owed all the same.
func (v *Evidence) missed(task string) (needs []evidence.Need) {
	before := v.Rec.Run.Task(task).Evidence()
	if before == nil {
		return nil
	}
	for _, item := range before.Items {
		if item.State != evidence.Found && item.Name != "" {
			needs = append(needs, item.Need)
		}
	}
	return needs
}

// withoutOld takes from what was found what is older than the task: a file that
// none of its steps wrote, and a run of an experiment that began before it. Of a
// task that was done in part by an earlier run nobody can say that here.
func (v *Evidence) withoutOld(task *plan.Task, items []evidence.Item) {
	var began time.Time
	var written []string
	for i := range task.Steps {
		s := v.Rec.Run.Step(task.Steps[i].Address)
		if s.Carried != nil {
			return
		}
		for _, a := range s.Attempts {
			if began.IsZero() || a.Started.Before(began) {
				began = a.Started
			}
			if a.Failure != nil || a.Accounted == nil {
				continue
			}
			for _, c := range a.Accounted.Changes {
				written = append(written, c.Path)
			}
		}
	}
	for n := range items {
		i, name := &items[n], path.Clean(items[n].Name)
		switch {
		case i.State != evidence.Found || began.IsZero():
		case i.Kind == evidence.Run && !i.Started.IsZero() && i.Started.Before(began.Add(-skew)):
			*i = i.Missing("run %q began at %s, before the task did", i.Name, i.Started.UTC().Format(time.RFC3339))
		case i.Kind == evidence.File && !within(written, name) && !v.newer(name, began):
			*i = i.Missing("%q was there before the task, and none of its steps wrote it", i.Name)
		}
	}
}

// skew is how far the clock of a tracking server may be behind ours.
const skew = time.Minute

// within reports whether a path, or something below it, is among some.
func within(paths []string, name string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return p == name || strings.HasPrefix(p, name+"/") })
}

// newer reports whether a file of the workspace was written since a time.
func (v *Evidence) newer(name string, began time.Time) bool {
	info, err := os.Stat(filepath.Join(v.Work.Dir, filepath.FromSlash(name)))
	return err == nil && !info.ModTime().Before(began)
}

// allFound reports whether all that was asked for was found. What nobody could
// verify was not found.
func allFound(items []evidence.Item) bool {
	return !slices.ContainsFunc(items, func(i evidence.Item) bool { return i.State != evidence.Found })
}

// listFirst leaves as many items as a journal takes, those that were not found
// first, and counts the others.
func listFirst(f *history.Evidence) {
	if len(f.Items) <= bound.Lines {
		return
	}
	slices.SortStableFunc(f.Items, func(a, b evidence.Item) int { return rank(a) - rank(b) })
	missing := f.Missing()
	f.More, f.Items = len(f.Items)-bound.Lines, f.Items[:bound.Lines]
	f.Lost = missing - f.Missing()
}

func rank(i evidence.Item) int {
	if i.State == evidence.Found {
		return 1
	}
	return 0
}
