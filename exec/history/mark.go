package history

import (
	"fmt"
	"slices"
	"time"

	"github.com/planlock/planlock/exec/ask"
)

// A MarkReason is why there is a checkpoint document of a point of a run.
type MarkReason string

// Why there is one.
const (
	MarkStarting     MarkReason = "starting"       // the first phase begins
	MarkPhase        MarkReason = "phase_complete" // a phase is over
	MarkSwitch       MarkReason = "mode_switch"    // the work turned out to be harder
	MarkHandoff      MarkReason = "handoff"        // the tokens of the session are used up
	MarkStuck        MarkReason = "stuck"          // something went wrong, and a person is asked
	MarkQuestion     MarkReason = "question"       // a person is asked for another reason
	MarkRolledBack   MarkReason = "rolled_back"    // somebody set the run back
	MarkInterrupted  MarkReason = "interrupted"    // the controller let go of the run for another reason
	MarkError        MarkReason = "error"          // a phase or the run failed, or the controller died
	MarkTaskComplete MarkReason = "task_complete"  // the run has ended, and nothing failed
)

// A Mark is a point of a run of which there is a checkpoint document, so that
// whoever goes on finds how it stood then.
type Mark struct {
	ID     string // "chk-20260120-103000", with a number behind it where that is taken
	Seq    uint64 // of the record that it follows
	At     time.Time
	Reason MarkReason
	Phase  int // that is just over, which is why; 0: that is not why
}

// Mark is the point at which the run stands, where there is a document of it;
// else nil: the run went on since.
func (r *Run) Mark() *Mark {
	if !r.marked || len(r.Marks) == 0 {
		return nil
	}
	return &r.Marks[len(r.Marks)-1]
}

// markID is the id that a further mark would have at a time.
func (r *Run) markID(at time.Time) string {
	first := "chk-" + at.UTC().Format("20060102-150405")
	id := first
	for n := 2; slices.ContainsFunc(r.Marks, func(m Mark) bool { return m.ID == id }); n++ {
		id = fmt.Sprintf("%s-%d", first, n)
	}
	return id
}

// mark has the run marked where it stands, unless it is.
func (r *Run) mark(at moment, why MarkReason) {
	if r.marked {
		return
	}
	r.Marks = append(r.Marks, Mark{ID: r.markID(at.time), Seq: at.seq, At: at.time, Reason: why})
	r.marked = true
}

// moveOn leaves the last mark behind with a fact that follows it; that a run is
// let go of, or taken up again after that, changes nothing of it.
func (r *Run) moveOn(f Fact) {
	switch f.(type) {
	case *Paused, *Resumed:
		return
	case *RolledBack:
		r.back = true
	case *RestoreBegun, *Restored, *Delivered: // that is how it is done
	default:
		r.back = false
	}
	r.marked = false
}

// waitingMark is why there is a mark where the run waits.
func (r *Run) waitingMark() MarkReason {
	switch {
	case len(r.open) == 0 && r.back:
		return MarkRolledBack
	case r.Flow.handed:
		return MarkHandoff
	case len(r.open) == 0:
		return MarkInterrupted
	}
	switch r.open[0].exchange.Question.Kind {
	case ask.StepFailed, ask.Precondition, ask.InFlight, ask.Compensation, ask.Repository, ask.Deviation, ask.Conflict,
		ask.Overlap, ask.Stage, ask.Rollback:
		return MarkStuck
	}
	return MarkQuestion
}

// endMark is why there is a mark at the end of the run.
func (r *Run) endMark() MarkReason {
	failed := r.Ended.Status == NotAchieved || r.Abandoned != nil || slices.ContainsFunc(r.Steps, (*Step).wentWrong) ||
		slices.ContainsFunc(r.Outcomes, func(o TaskOutcome) bool {
			return !o.Undone && (o.Status == Failed || o.Status == FailedFinal)
		})
	if failed && r.Ended.Status != Achieved {
		return MarkError
	}
	return MarkTaskComplete
}

// phaseMark is why there is a mark at the end of a phase.
func (r *Run) phaseMark(f *PhaseOver) MarkReason {
	if s := r.Flow.Strategy; s != nil && f.Number >= 1 && f.Number <= len(s.Phases) {
		for _, a := range s.Phases[f.Number-1].Steps {
			if step := r.index[a]; step != nil && step.wentWrong() {
				return MarkError
			}
		}
	}
	return MarkPhase
}

// wentWrong reports whether the step failed, or is blocked: also one that somebody
// left out once it had failed.
func (s *Step) wentWrong() bool {
	return s.Status == Failed || s.Status == Blocked || s.FailedAndLeftOut()
}
