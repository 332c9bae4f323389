package attempt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/bound"
	"github.com/planlock/planlock/exec/internal/jobs"
	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/ledger"
)

// jobKept is how much of a job's output stands in the journal for an attempt
// that takes it over, in bytes.
const jobKept = 16 << 10

// several are the jobs that reviewers approved for the step, where it has more
// than one; nil where it is carried out in one go.
func (t *trial) several() []string {
	if t.approval() == nil || t.method.Run == "" || len(t.method.Env) > 0 || len(t.cycle.Phases) > 0 {
		return nil
	}
	if all := method.Jobs(t.method.Run); len(all) > 1 {
		return all
	}
	return nil
}

// approval is what reviewers said of the jobs that the step carries out; nil where
// it carries out none.
func (t *trial) approval() *history.Approval {
	if a := t.Rec.Run.Task(t.s.Task).Approval(); a != nil && a.RunBy == t.s.Address {
		return a
	}
	return nil
}

// rewritten is the fault of several jobs that were carried out in one go, and of
// which one changed what another one begins with: nobody can say what ran.
func (t *trial) rewritten() *fault {
	a := t.approval()
	if a == nil || len(a.Jobs) < 2 || t.parts || t.method.Run == "" {
		return nil
	}
	f := t.unapproved(t.after)
	if f != nil {
		f.Reasons = append(f.Reasons, "its jobs were carried out in one go, so nobody can say what ran")
	}
	return f
}

// done are the first of some jobs that earlier attempts have carried out, on the
// tree that this one begins with: the most that any did since such work was
// refused. What is ignored in the tree is not kept, and a job that acts elsewhere
// is not known by its tree, so of those none is; nor is one of whose output the
// beginning was not kept.
func (t *trial) done() []history.JobDone {
	if len(t.Scope().Ignore) > 0 || !t.s.WithinTree() {
		return nil
	}
	var most []history.JobDone
	all := t.several()
	for _, a := range slices.Concat(t.s.Undone, t.s.Attempts) {
		if a.Base.Tree != t.before.Digest() {
			continue
		}
		if !remedied(a) {
			most = nil
			continue
		}
		n := 0
		for n < len(a.Jobs) && n < len(all) && a.Jobs[n].Run == all[n] && !strings.HasPrefix(a.Jobs[n].Output, "…") {
			n++
		}
		if n < len(most) || n == 0 {
			continue
		}
		most = slices.Clone(a.Jobs[:n])
		for i := range most {
			if most[i].Of == 0 {
				most[i].Of = a.Number
			}
		}
	}
	return most
}

// remedied reports whether what an attempt lacks may be mended behind the jobs
// that went well: it was not their work that was refused.
func remedied(a *history.Attempt) bool {
	if a.Failure == nil {
		return true // it was set back for its evidence
	}
	switch a.Failure.Class {
	case history.Crashed, history.TimedOut, history.OutOfMemory, history.Exhausted, history.Lost,
		history.Interrupted, history.OverBudget, history.NotServed:
		return true
	}
	return false
}

// doJobs carries out jobs one after another, and keeps what each leaves. Those
// that an earlier attempt has carried out are taken over with what they said.
func (t *trial) doJobs(ctx context.Context, x Executor, all []string) {
	done := t.done()
	for i := range done {
		d := &done[i]
		if t.err = t.Rec.Record(ctx, t.s.Where(t.number), d); t.err != nil {
			return
		}
		t.jobs.Add(jobs.Telemetry{Runs: d.Runs, Artifacts: d.Artifacts, Metrics: d.Metrics})
		t.outcome = t.outcome.and(Outcome{Output: d.Output, Stdout: t.outcome.Stdout + d.Output})
	}
	tree := t.before
	if n := len(done); n > 0 {
		var err error
		if _, err = t.Work.Restorer().Restore(ctx, t.Work.Dir, done[n-1].Snapshot); err == nil {
			tree, err = t.Rec.Store.Tree(ctx, done[n-1].Snapshot)
		}
		if err != nil {
			t.err = fmt.Errorf("exec: the tree after job %q cannot be brought back: %w", done[n-1].Run, err)
			return
		}
	}
	whole := t.method.Run
	defer func() { t.method.Run = whole }()
	for i, job := range all[len(done):] {
		if t.fault = t.unapproved(tree); t.fault != nil {
			return // the job before it changed what it begins with
		}
		t.method.Run = job
		if tree = t.doJob(ctx, x, len(done)+i+1 == len(all)); tree == nil {
			return
		}
	}
}

// doJob carries out a job, and keeps what it leaves unless it is the last: then
// that is what the attempt leaves. It returns the tree with which the next one
// begins; nil where none does.
func (t *trial) doJob(ctx context.Context, x Executor, last bool) *ledger.Tree {
	before, took := t.outcome, t.took
	t.job = new(jobs.Collector)
	t.execute(ctx, x)
	said := t.job.Telemetry()
	t.job = nil
	t.jobs.Add(said)
	own := t.outcome.Stdout
	t.outcome.Stdout = before.Stdout + own
	if t.err != nil || last {
		return nil
	}
	d := &history.JobDone{Run: t.method.Run, Took: t.took - took, Output: bound.End(own, jobKept), Runs: said.Runs,
		Artifacts: said.Artifacts, Metrics: said.Metrics}
	tree, err := t.Work.Scanner.Scan(ctx, t.Work.Dir, t.before)
	if err == nil {
		if d.Snapshot, err = t.Rec.Store.Snapshot(ctx, t.Work.Dir, tree, t.Rec.Run.Tree); err == nil {
			err = t.Rec.Record(ctx, t.s.Where(t.number), d)
		}
	}
	if t.err = err; err != nil {
		return nil
	}
	return tree
}
