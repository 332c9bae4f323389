package history

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// What a controller asks between any two steps must not take longer the more
// steps a run has. So the fold keeps what the answers need as it goes.
type standing struct {
	first  int             // the steps before this one are over
	apart  []*Step         // ended and were not completed, in the order of execution
	ended  []*Step         // completed or failed, in the order in which they ended
	left   map[string]int  // steps of each task that are not over
	silent map[string]bool // tasks that are over, which nobody has said
	told   map[string]bool // tasks of which a record says how they ended
	of     map[string][]*Step
	phase  map[plan.Address]int // the number of its phase, from 1
	unover []int                // steps of each phase that are not over
	unsaid map[int]bool         // numbers of phases that are over, which nobody has said
	files  map[string]bool      // that attempts touched
	over   int                  // steps that are over
	latest int                  // no step behind this one is
	heard  []*Step              // for which there was advice, in the order of execution
	asked  []*Step              // about which a person was asked, in the order of execution
	most   int                  // files that one attempt touched, of those that touched the most
	took   time.Duration        // by what the executors said
	errors int                  // attempts that failed for a fault of their own
}

// Measures are what the run took so far, all attempts of all steps included:
// the files that were touched, the minutes that executors worked, by what they
// said, and the attempts that failed for a fault of their own.
func (r *Run) Measures() Measures {
	k := r.stands()
	return Measures{Files: max(k.most, len(k.files)), Minutes: int(k.took / time.Minute), Errors: k.errors}
}

// Open are the steps from the first one that is not over, in the order of
// execution; those behind it may be over. None are once the run has ended. The
// caller must not change the list.
func (r *Run) Open() []*Step {
	if r.Ended != nil {
		return nil
	}
	return r.Steps[r.stands().first:]
}

// NotCompleted are the steps that ended and were not completed, in the order of
// execution. The caller must not change the list.
func (r *Run) NotCompleted() []*Step { return r.stands().apart }

// Concluded are the steps that were completed or failed in this run, in the order
// in which they ended. The caller must not change the list.
func (r *Run) Concluded() []*Step { return r.stands().ended }

// Advised are the steps for which advice was recorded, in the order of
// execution, also where the run was set back to before them. The caller must
// not change the list.
func (r *Run) Advised() []*Step { return r.stands().heard }

// Past are the last steps that are over, at most so many, in the order of
// execution, but for one; more are before them.
func (r *Run) Past(most int, but *Step) (list []*Step, more int) {
	k := r.stands()
	more = k.over
	if but.Status.Over() {
		more--
	}
	for i := k.latest; len(list) < min(most, more); i-- {
		if s := r.Steps[i]; s != but && s.Status.Over() {
			list = append(list, s)
		}
	}
	slices.Reverse(list)
	return list, more - len(list)
}

// Consulted are the steps about which a person was asked anything, in the order
// of execution, also where the run was set back to before them, or they were
// taken over from another run. The caller must not change the list.
func (r *Run) Consulted() []*Step { return r.stands().asked }

// OfTask are the steps of a task, in the order of execution. The caller must not
// change the list.
func (r *Run) OfTask(task string) []*Step { return r.stands().of[task] }

// UnsaidTasks are the tasks of which all steps are over, and no record says how they
// ended, in no order.
func (r *Run) UnsaidTasks() []string { return slices.Collect(maps.Keys(r.stands().silent)) }

// UnsaidPhase is the number of the first phase of the strategy of which all steps are
// over, and no record says so; 0 where there is none.
func (r *Run) UnsaidPhase() (first int) {
	for n := range r.stands().unsaid { // in any order: the least is taken
		if first == 0 || n < first {
			first = n
		}
	}
	return first
}

// stands is what the fold keeps. A run that was put together by hand is counted
// each time.
func (r *Run) stands() *standing {
	if r.standing.left != nil {
		return &r.standing
	}
	k := counted(r)
	k.setBack(r)
	for _, s := range r.Steps {
		if len(s.Advised) > 0 {
			k.heard = append(k.heard, s)
		}
		if len(s.Questions)+len(s.Earlier) > 0 || s.Carried != nil && len(s.Carried.Answers) > 0 {
			k.asked = append(k.asked, s)
		}
		for _, a := range slices.Concat(s.Undone, s.Attempts) {
			if a.Said != nil {
				k.took += a.Said.Took
			}
			if a.Failure != nil {
				k.failed(a)
			}
			if a.Accounted != nil {
				k.touched(a.Accounted)
			}
		}
	}
	return &k
}

// Before is the step right before s in the order of execution, or nil.
func (r *Run) Before(s *Step) *Step {
	if s.at == 0 {
		return nil
	}
	return r.Steps[s.at-1]
}

// counted is what the fold keeps of a run that starts.
func counted(r *Run) standing {
	k := standing{left: map[string]int{}, silent: map[string]bool{}, told: map[string]bool{}, files: map[string]bool{},
		of: map[string][]*Step{}}
	for i, s := range r.Steps {
		s.at = i
		k.left[s.Task]++
		k.of[s.Task] = append(k.of[s.Task], s)
	}
	return k
}

// phased counts anew what the phases of the strategy lack.
func (k *standing) phased(r *Run) {
	k.phase, k.unover, k.unsaid = map[plan.Address]int{}, nil, map[int]bool{}
	if r.Flow.Strategy == nil {
		return
	}
	said := map[int]bool{}
	for i := range r.Flow.Phases {
		said[r.Flow.Phases[i].Number] = true
	}
	for i, p := range r.Flow.Strategy.Phases {
		k.unover = append(k.unover, 0)
		for _, a := range p.Steps {
			k.phase[a] = i + 1
			if s := r.Step(a); s == nil || !s.Status.Over() {
				k.unover[i]++
			}
		}
		if k.unover[i] == 0 && !said[i+1] {
			k.unsaid[i+1] = true
		}
	}
}

// ends notes that a step is over.
func (k *standing) ends(r *Run, s *Step) {
	k.over++
	k.latest = max(k.latest, s.at)
	if s.Carried == nil && (s.Status == Completed || s.Status == Failed) {
		k.ended = append(k.ended, s)
	}
	if s.Status != Completed {
		k.apart = insert(k.apart, s)
	}
	if k.left[s.Task]--; k.left[s.Task] == 0 && !k.told[s.Task] {
		k.silent[s.Task] = true
	}
	for k.first < len(r.Steps) && r.Steps[k.first].Status.Over() {
		k.first++
	}
	if n := k.phase[s.Address]; n > 0 {
		if k.unover[n-1]--; k.unover[n-1] == 0 {
			k.unsaid[n] = true // its steps are over now, so nobody can have said so
		}
	}
}

// tells notes that a record says how a task ended.
func (k *standing) tells(task string) {
	delete(k.silent, task)
	if k.told != nil { // else it is counted each time
		k.told[task] = true
	}
}

// insert puts a step where it belongs in the order of execution, unless it is
// there.
func insert(list []*Step, s *Step) []*Step {
	i, found := slices.BinarySearchFunc(list, s, func(a, b *Step) int { return cmp.Compare(a.at, b.at) })
	if found {
		return list
	}
	return slices.Insert(list, i, s)
}

// failed counts an attempt that failed.
func (k *standing) failed(a *Attempt) {
	if a.Faulty() {
		k.errors++
	}
}

// touched counts what an attempt changed. Folders are no files.
func (k *standing) touched(f *Accounted) {
	for i := range f.Changes {
		if f.Changes[i].Kind() != ledger.Dir {
			k.files[f.Changes[i].Path] = true
		}
	}
	k.most = max(k.most, f.Files())
}

// setBack counts anew what changed when a run was set back.
func (k *standing) setBack(r *Run) {
	k.first, k.over, k.latest, k.apart, k.ended, k.left, k.phase = 0, 0, 0, nil, nil, map[string]int{}, nil
	k.told = map[string]bool{}
	for i := range r.Flow.Tasks {
		k.told[r.Flow.Tasks[i].Task] = true
	}
	clear(k.silent)
	clear(k.of)
	for _, s := range r.Steps {
		k.of[s.Task] = append(k.of[s.Task], s)
		if !s.Status.Over() {
			k.left[s.Task]++
		}
	}
	for _, s := range r.Steps {
		if s.Status.Over() {
			k.left[s.Task]++ // ends takes it off again
			k.ends(r, s)
		}
	}
	slices.SortStableFunc(k.ended, func(a, b *Step) int { return cmp.Compare(a.EndedAt, b.EndedAt) })
	k.phased(r)
}

// judged is a list of judgements with further ones behind them. Most steps of a
// long run are judged like the one that ended before them, and what is the same
// is held once: in a run of 10,000 steps that is half of the memory. Nobody
// changes a judgement, and whoever adds to a list copies it.
func judged(list, more, before []gate.Judgement) []gate.Judgement {
	all := append(list[:len(list):len(list)], more...)
	if slices.EqualFunc(all, before, sameJudgement) {
		return before
	}
	return slices.Clip(all)
}

// judgedBefore are the judgements of the step that ended last: those before it
// began, and those of its last attempt.
func (k *standing) judgedBefore() (begun, attempt []gate.Judgement) {
	if n := len(k.ended); n > 0 {
		s := k.ended[n-1]
		if begun = s.Gates; s.Last() != nil {
			attempt = s.Last().Gates
		}
	}
	return begun, attempt
}

// sameJudgement reports whether two judgements say the same, and are of the
// kind that is said again and again: with a verdict, and nothing found.
func sameJudgement(a, b gate.Judgement) bool {
	v, w := a.Verdict, b.Verdict
	a.Verdict, b.Verdict = nil, nil
	if v == nil || w == nil || v.Review != nil || w.Review != nil || a.Err != nil || b.Err != nil || a != b {
		return false
	}
	return v == w || v.Result == w.Result && v.Idle == w.Idle && slices.Equal(v.Evidence, w.Evidence) &&
		len(v.Findings)+len(w.Findings)+len(v.Citations)+len(w.Citations) == 0
}

// known is a snapshot in the words in which the run has it, if that is its tree.
func (r *Run) known(s record.Snapshot) record.Snapshot {
	if s == r.Tree {
		return r.Tree
	}
	return s
}
