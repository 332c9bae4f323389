package history

import (
	"slices"

	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/plan"
)

// Evidence is the latest look for the task's evidence that stands, or nil.
func (t Task) Evidence() *Evidence {
	return latest(t.run.Evidence, func(e *Evidence) bool { return e.Task == t.id && !e.Undone })
}

// Producer is the step that should have left an item of evidence behind: the one
// of the task's completed steps that declares it, whose jobs are to leave it, or
// that said it did, else the last of them; nil where none is completed.
func (r *Run) Producer(task *plan.Task, item evidence.Item) (last *Step) {
	approval := r.Task(task.ID).Approval()
	for i := range task.Steps {
		s := r.Step(task.Steps[i].Address)
		if s == nil || s.Status != Completed {
			continue
		}
		_, said := s.Claimed()
		if last = s; slices.Contains(task.Steps[i].Expected(), item.Name) || slices.Contains(said, item.Name) ||
			approval != nil && approval.RunBy == s.Address && approval.owes(item.Name) {
			return s
		}
	}
	return last
}

// LackEvidence are the tasks that were carried out, and are not completed because
// their evidence was not found.
func (r *Run) LackEvidence() (tasks []string) {
	for i := range r.Outcomes {
		if o := &r.Outcomes[i]; !o.Undone && o.Verification == evidenceMissing && o.Status != Completed {
			tasks = append(tasks, o.Task)
		}
	}
	return tasks
}

// owes reports whether an approved job is to leave an artifact.
func (f *Approval) owes(artifact string) bool {
	return slices.ContainsFunc(f.Jobs, func(j review.Job) bool { return slices.Contains(j.Artifacts, artifact) })
}

// EvidenceRetry is the latest decision about the task's missing evidence that
// stands, or nil.
func (t Task) EvidenceRetry() *EvidenceRetry {
	return latest(t.run.EvidenceRetries, func(e *EvidenceRetry) bool { return e.Task == t.id && !e.Undone })
}

// Outcome is the last word about the task, or nil while there is none.
func (t Task) Outcome() *TaskOutcome {
	return latest(t.run.Outcomes, func(o *TaskOutcome) bool { return o.Task == t.id && !o.Undone })
}

// Word is the last word about the task as it counts, or nil while there is none.
// One that nothing was carried out says less than the end of the task, which
// knows whether it was blocked or left out; then that is what it says. The
// caller owns it.
func (t Task) Word() *TaskOutcome {
	said := t.Outcome()
	if said == nil {
		return nil
	}
	word := *said
	over := t.run.Flow.Task(t.id)
	if !word.final() || over != nil && over.Status != Completed && word.idle() {
		word.Status = t.byItsSteps()
		if over != nil && over.Reason != "" {
			word.Reason = over.Reason
		}
	}
	return &word
}

// Execution is how the task went: as well as the worst of its steps that its
// end depends on. Steps that were left out on somebody's word without an
// attempt, and those that failed without being critical, do not count, unless
// nothing else was done. A critical step that was attempted, and left out then,
// went as its attempts did.
func (t Task) Execution() ExecutionStatus {
	result, retried := notExecuted, false
	for _, s := range t.run.OfTask(t.id) {
		got := s.Execution()
		retried = retried || s.Retried() > 0
		switch {
		case s.Status == Completed:
			result = succeeded
		case s.Status == Failed && s.Critical,
			(s.Status == Blocked || s.Status == Skipped) && s.Critical && got != notExecuted:
			return got
		case (s.Status == Failed || s.Status == Skipped) && result == notExecuted:
			result = got
		case s.Status == Blocked && s.Critical && result != notExecuted, s.Status == Pending && result != notExecuted:
			return failed // it stopped half-way
		}
	}
	if retried && result == succeeded {
		return retrySucceeded
	}
	return result
}

// Status is how the task stands, for whoever asks: by the last word about it,
// else by how it ended, else by its steps.
func (t Task) Status() StepStatus {
	if word := t.Word(); word != nil {
		return word.Status
	}
	return t.byItsSteps()
}

// byItsSteps is how the task stands if there is no last word about it.
func (t Task) byItsSteps() StepStatus {
	if over := t.run.Flow.Task(t.id); over != nil {
		return over.Status
	}
	open := t.underWay()
	if status, _ := t.End(); open == "" || open == InFlight && (status == Failed || status == Blocked) {
		return status
	}
	return open
}

// End is how the task ends if nothing more happens to its steps, and the steps
// because of which it is not completed. A step that is not critical and was left
// out before it failed is no lack; nor is one whose work was there already.
func (t Task) End() (StepStatus, []plan.Address) {
	var by []plan.Address
	done, halting, failed, blocked := 0, false, false, false
	for _, s := range t.run.OfTask(t.id) {
		switch {
		case s.Status == Skipped && !s.Critical && !s.Skipped.Done && !s.FailedAndLeftOut():
			continue
		case s.Status == Completed, s.Status == Skipped && s.Skipped.Done:
			done++
			continue
		case s.Status == Failed:
			failed, halting = true, halting || s.Critical
		case s.Status == Blocked:
			blocked = true
		}
		by = append(by, s.Address)
	}
	switch {
	case len(by) == 0 && done > 0:
		return Completed, nil
	case halting:
		return Failed, by
	case done > 0:
		return PartlyDone, by
	case failed:
		return Failed, by
	case blocked:
		return Blocked, by
	}
	return Skipped, by
}

// underWay is how the task stands while some of its steps are not over, or its
// evidence was missing and is asked for again; "" where nothing of it is to come.
// Of a run that has ended nothing is under way.
func (t Task) underWay() StepStatus {
	steps, open, running := t.run.OfTask(t.id), 0, false
	for _, s := range steps {
		if !s.Status.Over() {
			open++
			running = running || s.Status == InFlight || len(s.Attempts) > 0
		}
	}
	switch {
	case open == len(steps) && !running:
		return Pending
	case t.run.Ended == nil && (open > 0 || t.Evidence() != nil && !t.Evidence().Pass && t.Outcome() == nil):
		return InFlight
	}
	return ""
}

// Conclude is the last word about the task as it stands, once its end was seen.
func (t Task) Conclude() *TaskOutcome {
	o := &TaskOutcome{Task: t.id, Execution: t.Execution(), Verification: notLooked, Retries: t.Retries()}
	if a := t.Approval(); a != nil {
		o.Approval = a.Status
	}
	seen := t.Evidence()
	switch {
	case seen != nil && seen.Pass:
		o.Verification = evidenceFound
	case seen != nil && seen.Lacks():
		o.Verification = evidenceMissing
	case seen != nil && o.Execution.Succeeded():
		o.Verification = evidenceWaived
	case !t.run.Roles.Evidence && o.Execution.Succeeded():
		o.Verification = evidenceWaived
	}
	for _, s := range t.run.OfTask(t.id) {
		o.Attempts += s.Tried()
	}
	retry := t.EvidenceRetry()
	o.conclude(grounds{Looked: seen != nil, Stopped: retry != nil && retry.Terminal != "",
		Held: latest(t.run.Approvals, func(a *Approval) bool { return a.Task == t.id && !a.Undone && len(a.Reviews) > 0 }).Held()})
	return o
}

// Retries counts what was tried anew at the three points of the task.
func (t Task) Retries() Retries {
	var n Retries
	if a := t.Approval(); a != nil {
		n.Approval = a.Retry
	}
	for _, s := range t.run.OfTask(t.id) {
		n.Execution += s.Retried()
	}
	for i := range t.run.EvidenceRetries {
		if e := &t.run.EvidenceRetries[i]; e.Task == t.id && !e.Undone && e.Terminal == "" {
			n.Verification++
		}
	}
	return n
}

// Compliance is the latest look at the task that stands, or nil.
func (t Task) Compliance() *Compliance {
	return latest(t.run.Compliance, func(c *Compliance) bool { return c.Task == t.id && !c.Undone })
}

// Approval is the latest decision of the reviewers about the task that stands,
// or nil.
func (t Task) Approval() *Approval {
	return latest(t.run.Approvals, func(a *Approval) bool { return a.Task == t.id && !a.Undone })
}

// A Task of a run, as the journal knows it. It is a view of the run, and shows
// what the run knows when it is asked.
type Task struct {
	run *Run
	id  string
}

// Task is the task with an id. Of one that the plan does not have nothing is
// known.
func (r *Run) Task(id string) Task { return Task{r, id} }

// latest is the last one of a list that is so, or nil.
func latest[T any](list []T, is func(*T) bool) *T {
	for i := len(list) - 1; i >= 0; i-- {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

func (f *TaskOver) ofRun(r *Run, at moment) error {
	f.At = at.time
	r.Flow.Tasks = append(r.Flow.Tasks, *f)
	r.standing.tells(f.Task)
	return nil
}

func (f *Compliance) ofRun(r *Run, at moment) error {
	f.At = at.time
	r.Compliance = append(r.Compliance, *f)
	return nil
}

func (f *Approval) ofRun(r *Run, at moment) error {
	f.Decided = at.time
	r.Approvals = append(r.Approvals, *f)
	return nil
}

func (f *Evidence) ofRun(r *Run, _ moment) error {
	r.Evidence = append(r.Evidence, *f)
	return nil
}

func (f *EvidenceRetry) ofRun(r *Run, at moment) error {
	f.At = at.time
	r.EvidenceRetries = append(r.EvidenceRetries, *f)
	return nil
}

func (f *TaskOutcome) ofRun(r *Run, _ moment) error {
	r.Outcomes = append(r.Outcomes, *f)
	return nil
}

// undoTasks forgets what was decided about tasks of which a step was set back.
// A step that is set back to find missing evidence keeps its task's approval
// and its retries: they would be endless else.
func undoTasks(r *Run, tasks map[string]bool, by string) {
	for i := range r.Outcomes {
		r.Outcomes[i].Undone = r.Outcomes[i].Undone || tasks[r.Outcomes[i].Task]
	}
	if by == ByEvidenceRetry {
		return
	}
	for i := range r.Approvals {
		r.Approvals[i].Undone = r.Approvals[i].Undone || tasks[r.Approvals[i].Task]
	}
	for i := range r.Evidence {
		r.Evidence[i].Undone = r.Evidence[i].Undone || tasks[r.Evidence[i].Task]
	}
	for i := range r.EvidenceRetries {
		r.EvidenceRetries[i].Undone = r.EvidenceRetries[i].Undone || tasks[r.EvidenceRetries[i].Task]
	}
}
