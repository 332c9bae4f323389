package simulate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/choice"
	"github.com/planlock/planlock/exec/internal/engine"
	"github.com/planlock/planlock/exec/internal/lane"
	"github.com/planlock/planlock/plan"
)

// A judge knows the laws, and says of each thing that is wanted whether it is
// lawful. It reads the history by itself: it shares no code with the guards.
type judge struct {
	err error
	put map[string]bool // questions as they were put since the run was taken up or set back, and answered for good
	// carried are the steps that the run took over of another one
	carried []plan.Address
}

// broken notes the first law that was broken: what follows is a consequence.
func (j *judge) broken(format string, args ...any) {
	if j.err == nil {
		j.err = fmt.Errorf(format, args...)
	}
}

// setBack and takenUp allow questions to be put again.
func (j *judge) setBack() { j.put = nil }
func (j *judge) takenUp() { j.put = nil }

// attempted counts.
func (j *judge) attempted(s *history.Step) {
	if s.Completed != nil {
		j.broken("completed step %s is attempted again", s.Address)
	}
}

// asked looks at a question that is asked.
func (j *judge) asked(run *history.Run, q ask.Question) {
	if lane.Pending(run) != nil {
		j.broken("a question is asked while another one is open")
	}
	if j.put[text(q)] {
		j.broken("question about %s (%s: %s) is asked twice", q.Step, q.Kind, q.What)
	}
	if len(q.Choices) == 0 {
		j.broken("question %s offers no choice", q.ID)
	}
}

// answered remembers what was answered for good.
func (j *judge) answered(_ *history.Run, q ask.Question, a ask.Answer) {
	switch a.Choice {
	case choice.Stop, choice.Details, choice.Back, choice.Issues, choice.Replan, choice.Theirs, choice.Ours, "e":
		return // it may be asked again
	}
	if j.put == nil {
		j.put = map[string]bool{}
	}
	j.put[text(q)] = true
}

// text is what a person reads of a question.
func text(q ask.Question) string {
	return fmt.Sprint(q.Step, q.Attempt, q.Kind, q.What, q.Why, strings.Join(q.Evidence, "|"))
}

// look looks at what is wanted.
func (j *judge) look(c *guard.Case, w engine.Wanted) {
	run := c.Run
	if run.Sealed != nil {
		j.broken("%T is wanted of a sealed run", w.Action)
	}
	for _, a := range j.carried {
		if of := run.Step(a); of.Carried == nil || !of.Status.Over() || of.Tried() > 0 {
			j.broken("step %s was carried over, and is %s after %d attempts", a, of.Status, of.Tried())
		}
	}
	s := run.Step(w.Step)
	switch w.Action.(type) {
	case engine.Begin, engine.Attempt, engine.Group, engine.End:
		if _, ok := run.Undelivered(); ok || run.Foreign != nil {
			j.broken("%T is wanted while the workspace is not what was accepted", w.Action)
		}
	}
	j.back(c, w)
	switch a := w.Action.(type) {
	case engine.Begin:
		j.mayBegin(c.About(s))
	case engine.Attempt:
		j.mayAttempt(c.About(s))
		j.alone(c.About(s), a.Method)
	case engine.Look:
		if _, ok := run.Undelivered(); ok && a.What == guard.Workspace {
			j.broken("somebody looks for changes of others before the run's own are delivered")
		}
	case engine.Group:
		j.mayGroup(c, a.Members)
	case engine.Restore:
		if run.Restoring == nil {
			j.broken("a restore is wanted that nobody announced")
		}
	case engine.Refuse:
		j.broken("guard %s wants what cannot be: %s", w.Guard, a.Why)
	case engine.Put:
		if q := lane.Pending(run); q == nil || q.ID != a.Question.ID {
			j.broken("question %s is put, which is not open", a.Question.ID)
		}
	case engine.End:
		for _, s := range run.Steps {
			if s.Status == history.InFlight {
				j.broken("the run ends while step %s is under way", s.Address)
			}
		}
		if lane.Pending(run) != nil || run.Restoring != nil {
			j.broken("the run ends while a question is open or a restore is under way")
		}
		if lane.Next(run) != nil {
			j.broken("the run ends before step %s", lane.Next(run).Address)
		}
	case engine.Seal:
		if run.Ended == nil {
			j.broken("a run is sealed that has not ended")
		}
	case engine.Record:
		for _, l := range a.Facts {
			j.mayRecord(c, l)
		}
	}
}

// mayRecord looks at a fact that is wanted.
func (j *judge) mayRecord(c *guard.Case, l history.Located) {
	s := c.Run.Step(l.Where.Step)
	if s != nil {
		j.afterAside(c, s, l.Fact)
	}
	switch l.Fact.(type) {
	case *history.StepFailed, *history.StepSkipped, *history.StepBlocked, *history.Recovery:
		if s.Status.Over() {
			j.broken("%s of step %s, which is %s", l.Fact.Type(), s.Address, s.Status)
		}
	}
}

// mayBegin are the laws of a step that begins.
func (j *judge) mayBegin(c *guard.Case) {
	s, run := c.Step, c.Run
	if !c.Seen.Holds(guard.Bindings) && s.Status == history.Pending {
		j.broken("step %s begins, and nobody looked whether something moved", s.Address)
	}
	if s.Status != history.Pending {
		return
	}
	j.needs(c)
	task, _ := c.Place()
	reviewed := run.Task(s.Task).Approval()
	switch {
	case run.Flow.Strategy == nil:
		j.broken("step %s begins before it is said how the run is carried out", s.Address)
	case slices.Contains(run.Started.Acknowledged, s.Address.DoneCode()):
		j.broken("step %s begins, and the lock says that it is done", s.Address)
	case len(run.Roles.Reviewers) > 0 && (reviewed == nil || !reviewed.Status.Runs()):
		j.broken("step %s begins, and its task is not approved", s.Address)
	case strings.HasPrefix(task.Kind, "checkpoint") && run.Mode != plan.Silent &&
		!s.Chosen(ask.Checkpoint, choice.GoOn):
		j.broken("step %s begins, and its checkpoint is not passed", s.Address)
	case s.Rollback == plan.Irreversible && len(s.Undone) > 0 && s.Rungs("ask") == 0:
		j.broken("irreversible step %s begins again without a word", s.Address)
	case task.ResearchEnabled && c.Advised(s.Task, "research") == nil:
		j.broken("step %s begins, and its task was not researched", s.Address)
	case run.Policy.Compliance && run.Task(s.Task).Compliance() == nil:
		j.broken("step %s begins, and nobody looked at its task's articles", s.Address)
	case run.Mode == plan.Education && s.Critical && len(s.Attempts) == 0 && run.Started.ModeBy != "plan" &&
		!slices.ContainsFunc(s.Questions, func(x history.Exchange) bool {
			return x.Question.Kind == ask.Education
		}) && pace(c.Plan) != "fast":
		j.broken("critical step %s begins in education mode, and was not explained", s.Address)
	case run.Policy.Mode == plan.Collaborative && run.Mode == plan.Collaborative && s.Critical &&
		len(s.Attempts) == 0 &&
		!slices.ContainsFunc(s.Questions, func(x history.Exchange) bool {
			return x.Question.Kind == ask.Confirmation
		}) && !strings.HasPrefix(task.Kind, "checkpoint"):
		j.broken("critical step %s begins in collaborative mode, and nobody was asked", s.Address)
	case run.Policy.TokenBudget > 0 && run.Flow.Used*10 >= run.Policy.TokenBudget*8 && !run.Flow.Warned:
		j.broken("step %s begins, and the tokens are used up", s.Address)
	}
}

// pace is the learning pace that the plan asks for, "" where it does not.
func pace(p *plan.Plan) string {
	for _, s := range p.Settings {
		if s.Key == "education.learning_pace" {
			return s.Value.Text
		}
	}
	return ""
}

// needs are the laws about what a step needs.
func (j *judge) needs(c *guard.Case) {
	s, run := c.Step, c.Run
	if s.Chosen(ask.Dependency, choice.GoOn) {
		return
	}
	before := true
	for _, other := range run.Steps {
		if other == s {
			before = false
		}
		if !before || other.Task != s.Task && !c.Needs(s.Task, other.Task) {
			continue
		}
		if !other.Status.Over() {
			j.broken("step %s begins before %s, which it needs", s.Address, other.Address)
		}
		leftOut := other.Status == history.Skipped && !other.Skipped.Done && other.Task != s.Task && other.Critical
		failed := (other.Status == history.Failed || other.FailedAndLeftOut()) &&
			(other.Critical || !run.Policy.Lenient)
		if leftOut || failed || other.Status == history.Blocked {
			j.broken("step %s begins, and %s, which it needs, is %s", s.Address, other.Address, other.Status)
		}
		if other.Failed != nil && other.Failed.Halts {
			j.broken("step %s begins, and %s has halted the run", s.Address, other.Address)
		}
	}
	for i := range run.Outcomes {
		if o := &run.Outcomes[i]; !o.Undone && o.Status != history.Completed && c.Needs(s.Task, o.Task) {
			j.broken("step %s begins, and task %s has not come to its end", s.Address, o.Task)
		}
	}
}

// mayAttempt are the laws of an attempt.
func (j *judge) mayAttempt(c *guard.Case) {
	s, run := c.Step, c.Run
	switch {
	case s.Status != history.InFlight:
		j.broken("step %s is attempted, and it is %s", s.Address, s.Status)
	case s.Refusal != nil:
		j.broken("step %s is attempted, and it may not begin", s.Address)
	case s.InFlight() != nil:
		j.broken("step %s is attempted while an attempt is under way", s.Address)
	case run.Restoring != nil:
		j.broken("step %s is attempted before the last attempt is undone", s.Address)
	case lane.Pending(run) != nil:
		j.broken("step %s is attempted while a question is open", s.Address)
	case s.At < run.ResumedAt:
		j.broken("step %s is attempted on the preconditions of an earlier session", s.Address)
	}
	if last := s.Last(); last != nil && s.Next == nil && s.Rollback == plan.Irreversible {
		j.broken("irreversible step %s is attempted again by itself", s.Address)
	}
	if run.Flow.HandedOver() {
		j.broken("step %s is attempted after the session was handed over", s.Address)
	}
}

// over are the laws of the end.
func (j *judge) over(run *history.Run, left bool) {
	if run.Sealed == nil && !left {
		j.broken("nothing is wanted of a run that is not sealed")
	}
	if run.Sealed != nil && run.Ended == nil {
		j.broken("the run is sealed without an end")
	}
}
