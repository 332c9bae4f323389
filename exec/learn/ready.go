package learn

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/plan"
)

// jobs learns from a completed step that did what reviewers approved: these jobs
// work at once. It is no lesson where nobody looked at the work, or where the file
// that a job begins with was made after it was approved.
func (h *harvest) jobs(p *plan.Plan, a *history.Approval, s *history.Step, standings *history.Standings) {
	task, step, found := p.Step(s.Address)
	if !found || len(s.Attempts) != 1 {
		return
	}
	exclude := func(why string) { h.excluded = append(h.excluded, exclusion{Step: s.Address, Why: why}) }
	basis, _ := standings.Of(s)
	if !basis.Counts() {
		exclude(fmt.Sprintf("nobody looked at what its jobs did: it is %s", basis))
		return
	}
	ready, err := history.NewReadyJob(method.Does(task, step), a.Jobs, a.Entries)
	if err != nil {
		exclude(err.Error())
		return
	}
	for _, j := range ready.Jobs {
		begins := func(e history.ApprovedEntry) bool { return e.Path == path.Clean(j.Entry) }
		if !slices.ContainsFunc(ready.Entries, begins) {
			exclude(fmt.Sprintf("%q, with which job %q begins, was not there when it was approved", j.Entry, j.ID))
			return
		}
	}
	h.candidates = append(h.candidates, candidate{Kind: Procedural, Pattern: ready.Does, Does: ready.Does,
		Remedy: strings.Join(ready.Commands(), " && "), Run: h.run, Step: s.Address, Ready: ready,
		Basis: basis}.named())
}

// lostJobs are the ready jobs of a run that did not do their step: they failed, or
// the task is not complete although they did not.
func lostJobs(r *history.Run) (all []lost) {
	for i := range r.Approvals {
		a := &r.Approvals[i]
		at := slices.IndexFunc(r.Steps, func(s *history.Step) bool { return s.Address == a.RunBy })
		if a.FromMemory == "" || at < 0 ||
			slices.ContainsFunc(all, func(l lost) bool { return l.job == a.FromMemory }) {
			continue
		}
		if why := lostBy(r, a, r.Steps[at]); why != "" {
			all = append(all, lost{a.FromMemory, a.RunBy, why})
		}
	}
	return all
}

// lostBy is why approved jobs of a step did not do it; "" if they did, or if it was
// through no fault of theirs.
func lostBy(r *history.Run, a *history.Approval, s *history.Step) string {
	tried := s.Attempts
	if a.Undone {
		tried = s.Undone
	}
	for _, t := range tried {
		if f := t.Failure; f != nil && t.Method.Method == recovery.Primary && theirs(f.Class) {
			return strings.Join(append([]string{string(f.Class)}, f.Reasons[:min(1, len(f.Reasons))]...), ": ")
		}
	}
	if word := r.Task(s.Task).Word(); !a.Undone && s.Status == history.Completed && word != nil &&
		word.Status != history.Completed {
		return fmt.Sprintf("its task is %s: %s", word.Status, word.Reason)
	}
	return ""
}

// theirs reports whether a failure of a class says something of the jobs that ran.
func theirs(c history.Class) bool {
	return !c.ThroughNoFault() && c != history.NoSpace && c != history.Undecided
}

// lostBy are the trials that an entry lost because its jobs ran and failed.
func (h harvest) lostBy(e *Entry) (trials []trial) {
	for _, l := range h.lost {
		if e.Job != nil && e.Job.Digest == l.job {
			trials = append(trials, trial{Entry: e.ID, Run: h.run, Why: l.why, Step: l.step})
		}
	}
	return trials
}

// confidence is the share of its trials and confirmations that an entry won, with
// one more counted as lost, so that nothing is ever certain.
func (e Entry) confidence() float64 {
	won := e.Confirmed + e.Right
	return float64(won) / float64(won+e.Wrong+1)
}

// maxRuns is how many runs a ready job names, the latest.
const maxRuns = 10

// readyJob is an entry's ready job with the runs that stand behind it, in the order
// of their names, which is that of time; nil where it has none. It is withheld where the confidence is too
// small to act on.
func (b *Book) readyJob(e *Entry) *history.ReadyJob {
	if e.Job == nil {
		return nil
	}
	r := *e.Job // a copy
	r.Confidence, r.Runs = e.confidence(), nil
	for run, of := range b.runs {
		for _, step := range of.taught[e.ID] {
			r.Runs = append(r.Runs, history.ReadyRun{Run: run, Step: step, Basis: of.basis[e.ID]})
		}
	}
	slices.SortFunc(r.Runs, func(a, b history.ReadyRun) int {
		return strings.Compare(a.Run+"\x00"+string(a.Step), b.Run+"\x00"+string(b.Step))
	})
	r.Runs = r.Runs[max(0, len(r.Runs)-maxRuns):]
	if r.Confidence < advice.Threshold {
		r.Withheld = fmt.Sprintf("its confidence is %s, and %s is needed: %d of its runs stand, and %d failed",
			advice.Hundredths(r.Confidence), advice.Hundredths(advice.Threshold), e.Confirmed, e.Wrong)
	}
	return &r
}

// ReadyJobs are the ready jobs of all entries that have one, promoted or not, by the
// id of the entry.
func (b *Book) ReadyJobs() map[string]*history.ReadyJob {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := map[string]*history.ReadyJob{}
	for _, e := range b.entries {
		if r := b.readyJob(e); r != nil {
			all[e.ID] = r
		}
	}
	return all
}

// ready is the ready job of an entry of the memory; nil where it has none.
func (m Memory) ready(e Entry) *history.ReadyJob {
	for i := range m.Ready {
		if e.Job != nil && m.Ready[i].Digest == e.Job.Digest && m.Ready[i].Does == e.Does {
			return &m.Ready[i]
		}
	}
	return nil
}
