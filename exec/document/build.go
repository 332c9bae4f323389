package document

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/analysis"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// New computes what the documents of a run show. What can be done next is said
// as say spells it, in plain English where it is nil. ErrNothing if there is
// nothing to draw. The model keeps plan and run, which must not change while it
// is used.
//
// What moves with the seal of a run is not among it: the seal
// itself, the head of the journal, and the time of its last record.
func New(p *plan.Plan, r *history.Run, say action.Speller) (*Model, error) {
	if p == nil || r == nil || r.Begun.IsZero() {
		return nil, ErrNothing
	}
	rep := &Model{
		Schema: reportSchema, Run: r.Started.Run, Name: r.Started.Name, Goal: r.Started.Goal,
		Status: statusOf(r), Reasons: []string{}, Started: newStamp(r.Begun),
		Profile: r.Started.Profile, Mode: r.Mode, FirstMode: r.Started.Mode,
		Executor: r.Started.Executor, Version: r.Started.Version, Isolated: r.Started.Isolated,
		Shadow:  r.Started.Shadow,
		Resumed: r.Resumptions, OwnStores: r.Started.OwnStores, of: r, plan: p, speller: say,
		Plan: boundPlan{Format: r.Started.Format, Digest: r.Started.Plan, Blob: r.Started.PlanBlob,
			Files: planFiles(r.Started.Files)},
		Lock: boundLock{r.Started.Lock, r.Started.LockFile, r.Started.LockDigest, list(r.Started.Acknowledged)},
		Base: newTree(r.Started.Base), Tree: newTree(r.Tree), Git: gitParts(r.Git),
		Warnings:     list(slices.Concat(r.Started.Warnings, unlike(r), without(r), unversioned(r), adopted(r))),
		judged:       map[*gate.Judgement][]judgement{},
		ModeSwitches: modeSwitches(r.Modes), Switched: strategySwitches(r.Flow.Switched), Groups: groups(r), RolledBack: rollbacks(r), Commits: commits(r),
		Amendments: amendments(r.Amendments), Moves: moves(r.Moves), From: newOrigin(r),
	}
	if e := r.Started.Envelope; e != nil {
		rep.Envelope = boundEnvelope{e.Digest(), slices.Clone(e.Components)}
	}
	rep.Envelope.Components = list(rep.Envelope.Components)
	rep.Planning, rep.Final = rep.judgements(r.Started.Planning), rep.judgements(r.Final)
	rep.buildTasks(p, r)
	rep.judged = nil
	rep.latest = latest(r)
	rep.Duration = between(rep.Started, rep.latest)
	if r.Ended != nil {
		rep.Reasons = list(r.Ended.Reasons)
		rep.Ended = rep.latest
		rep.Tree.Digest = r.Ended.Tree
		if rep.Tree.Digest != r.Tree.Tree {
			rep.Tree.Manifest = ""
		}
	} else if r.Paused != nil {
		rep.Paused = r.Paused.Why
	}
	if r.Delivered != nil && r.Started.Isolated {
		rep.Delivered = r.Delivered.Tree.Tree
	}
	rep.open(r)
	rep.Waiting = rep.waiting(r)
	rep.Questions = each(r.Exchanges, func(x *history.Exchange) question { return newQuestion(*x) })
	rep.Files, rep.Lines = netFiles(rep.steps)
	rep.Declarations = declarations(rep)
	rep.count()
	rep.Counts.Questions, rep.Counts.ModeSwitches, rep.Counts.RolledBack = r.Asked, len(r.Modes), len(rep.RolledBack)
	rep.Counts.Consecutive = r.Consecutive
	rep.Counts.Cost, rep.Counts.Budget = dollars(r.Flow.Cost), dollars(r.Policy.Budget)
	rep.stand(p, r)
	rep.Counts.Repeated = repeatsOf(r)
	a := analysis.Of(p, r)
	rep.analysis = &a
	rep.KPIs = newKPIs(a.KPIs, rep.Duration)
	rep.LastWords, rep.Evidence = lastWordsOf(rep, r), evidenceOf(r)
	for i := range r.Approvals {
		rep.Approvals = append(rep.Approvals, newApprovalLine(&r.Approvals[i]))
	}
	return rep, nil
}

// statusOf is the run's status; once it has ended nothing changes that.
func statusOf(r *history.Run) history.Status {
	if r.Ended != nil {
		return r.Ended.Status
	}
	return r.Status
}

// latest is the last time that belongs to the run and not to its seal. While a
// run goes on that is the time of the last record.
func latest(r *history.Run) stamp {
	if r.Ended == nil {
		return newStamp(r.Latest)
	}
	return newStamp(r.Over)
}

// open fills in what is known of the steps that are under way, or were when the run
// ended.
func (rep *Model) open(r *history.Run) {
	underWay := map[plan.Address]bool{}
	for _, s := range r.UnderWay() {
		underWay[s.Address] = true
	}
	for _, s := range rep.steps {
		switch {
		case s.Status == history.InFlight && r.Ended == nil:
			s.Duration = atWork(r, s.Started, rep.latest)
			s.restoring = r.Restoring != nil && underWay[s.Address]
		case r.Ended != nil && s.Ended.IsZero() && !s.Started.IsZero():
			s.Duration = atWork(r, s.Started, rep.latest)
		}
	}
}

// waiting describes the question that the run waits for: the oldest that nobody
// has answered. Nil if there is none, as once the run is over.
func (rep *Model) waiting(r *history.Run) *question {
	all := r.Questions()
	if len(all) == 0 {
		return nil
	}
	open := newQuestion(history.Exchange{Question: *all[0]})
	if added := r.Unnamed(all[0]); added != "" {
		open.Evidence = append(open.Evidence, added)
	}
	return &open
}

// count fills in the counts of steps, attempts and tasks, from what was described
// before. Steps that are under way and those that have not begun are counted
// apart.
func (rep *Model) count() {
	c := &rep.Counts
	c.Steps, c.Tasks = len(rep.steps), len(rep.Tasks)
	for _, s := range rep.steps {
		c.step(s.Status)
		c.Attempts += len(s.Attempts)
		c.Retries += s.Retries
		c.Backups += len(s.Backups)
		c.Patches += rep.of.Patches(rep.of.Step(s.Address))
		if s.Carried != nil {
			c.Carried++
		}
	}
	for _, t := range rep.Tasks {
		switch history.StepStatus(t.Status) {
		case history.Completed:
			c.TasksDone++
		case history.Failed, history.FailedFinal:
			c.TasksFailed++
		case history.Skipped:
			c.TasksSkipped++
		case history.Blocked:
			c.TasksBlocked++
		case history.PartlyDone:
			c.TasksPartly++
		case history.InFlight:
			c.TasksRunning++
		default:
			c.TasksPending++
		}
	}
}

// step counts a step by how it stands.
func (c *counts) step(status history.StepStatus) {
	switch status {
	case history.Completed:
		c.Completed++
	case history.Failed:
		c.Failed++
	case history.Skipped:
		c.Skipped++
	case history.Blocked:
		c.Blocked++
	case history.InFlight:
		c.Running++
	case history.Pending:
		c.Pending++
	}
}

// planFiles are the files that the plan was read from, with their digests.
func planFiles(files []plan.Source) []planFile {
	return each(files, func(s plan.Source) planFile { return planFile{newPath(s.Path), s.Digest} })
}

// gitParts are the parts of the repository that the run was bound to, by name,
// so that their order is always the same.
func gitParts(g ledger.GitState) []gitPart {
	var out []gitPart
	for name, d := range g {
		out = append(out, gitPart{name, d})
	}
	slices.SortFunc(out, func(a, b gitPart) int { return compare(a.Part, b.Part) })
	return out
}

// modeSwitches describes who was asked from when on, and why.
func modeSwitches(ms []history.ModeSwitched) []modeSwitch {
	return each(ms, func(m history.ModeSwitched) modeSwitch {
		return modeSwitch{m.From, m.To, m.Causes(), list(m.Measurements), newStamp(m.At), m.Step, list(m.Methods),
			m.Consecutive, m.Recommendation}
	})
}

// strategySwitches are those of the strategies that were set after the first which are
// other ones: steps that are added have phases cut anew.
func strategySwitches(set []history.StrategySet) []strategySwitch {
	return each(only(set, func(s history.StrategySet) bool { return s.From != "" && s.From != s.Strategy }),
		func(s history.StrategySet) strategySwitch { return strategySwitch{s.From, s.Strategy, s.Why} })
}

// amendments describes the steps that were added to the plan, in the order in
// which that happened.
func amendments(as []history.Amended) []amended {
	var list []amended
	for _, a := range as {
		list = append(list, amended{a.Added, a.Confirmed, a.By, a.Reason, a.Plan, a.Lock, a.Prev})
	}
	return list
}

// moves describes what moved, and was let go on with, in the order in which
// that happened.
func moves(ms []history.MovesAccepted) []movesAccepted {
	var list []movesAccepted
	for _, m := range ms {
		list = append(list, movesAccepted{m.By, m.Moved})
	}
	return list
}

// unlike says which steps made another tree than an earlier attempt did of the
// same inputs, and went on.
func unlike(run *history.Run) (all []string) {
	for _, s := range run.Steps {
		for _, a := range slices.Concat(s.Undone, s.Attempts) {
			for _, d := range a.Differs {
				if d.Refused {
					continue // why the attempt failed
				}
				text := fmt.Sprintf("step %s made another tree (%s) of the same inputs than attempt %d of step %s in run %s (%s)",
					s.Address, d.Tree.Short(), d.Attempt, d.Step, d.Run, d.Was.Short())
				if len(d.Paths) > 0 {
					text += ": it differs in " + strings.Join(d.Paths, ", ")
				}
				all = append(all, text)
			}
		}
	}
	return all
}

// rollbacks describes the times at which the run was set back, also once it had
// ended.
func rollbacks(run *history.Run) []rolledBack {
	all := each(run.RolledBack, func(r history.RolledBack) rolledBack {
		return rolledBack{To: r.To, Tree: newTree(r.Snapshot), By: r.By, Why: r.Reason}
	})
	if run.After == nil {
		return all
	}
	return append(all, each(run.After.Setbacks, func(b history.Setback) rolledBack {
		return rolledBack{To: b.To, Tree: newTree(b.Snapshot), By: b.By, Why: b.Reason, After: true,
			Steps: slices.DeleteFunc(slices.Clone(b.Steps), func(a plan.Address) bool {
				return run.Step(a).Completed == nil
			}),
			CutOff: !b.Done}
	})...)
}

// undecided is the result of a gate that could not say yes or no.
const undecided result = "undecided"

// without is the advice without which tasks of a run began.
func without(r *history.Run) (all []string) {
	for _, s := range r.Steps {
		for _, a := range s.Advised {
			if text := a.Without(s.Task); text != "" && !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	return all
}

// adopted says what others did that a person kept: what steps made there is not
// what is there now.
func adopted(r *history.Run) (all []string) {
	for _, a := range r.Adopted {
		if len(a.Changes) > 0 {
			all = append(all, "what somebody else changed was kept: "+strings.Join(a.Changes, ", "))
		}
	}
	return all
}

// unversioned says what steps did to files that no tree has: those that .gitignore
// names one by one, and those in a stash; and to their copies of the repository.
func unversioned(r *history.Run) (all []string) {
	for _, s := range r.Steps {
		if text := s.Stashed(); text != "" {
			all = append(all, text+"; a rollback brings it back")
		}
		if text := s.Unkept(); text != "" {
			all = append(all, text)
		}
	}
	var made []string
	for _, u := range r.Unversioned {
		if len(u.Changes) > 0 {
			all = append(all, u.Told()+"; a rollback brings back what they were")
		}
		made = append(made, u.New...)
	}
	if slices.Sort(made); len(made) > 0 {
		const few = 10
		made = slices.Compact(made)
		text := strings.Join(made[:min(len(made), few)], ", ")
		if len(made) > few {
			text += fmt.Sprintf(" and %d more", len(made)-few)
		}
		all = append(all, "steps left files that .gitignore names, and no gate looked at them: "+text)
	}
	return all
}

// ErrNothing says that there is nothing to draw: no plan, or a run whose
// journal is empty.
var ErrNothing = errors.New("document: nothing to draw: there is no plan, or no run has started")
