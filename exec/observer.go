package exec

import (
	"time"

	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// An Event tells a host what happens. Which fields are set depends on the
// function that gets it; what it points to must not be changed.
type Event struct {
	Run     string
	Step    plan.Address
	Attempt int
	Time    time.Time
	// why it did not succeed; nil if it did, and for a step that somebody left
	// out: State and History tell these apart
	Err error

	State    *history.Run      // as of now; valid only during the call
	History  *history.Step     // of the step, as of now; valid only during the call
	Gate     *gate.Judgement   // GateJudged
	Next     string            // Recovering: the method that is tried next
	Question *ask.Question     // Asked, Answered
	Answer   *ask.Answer       // Answered
	Lesson   *history.Lesson   // Taught
	Advice   *history.Advised  // Advised
	Output   []byte            // Output: valid only during the call
	Cycle    *history.Cycle    // PhaseDone
	Task     *history.TaskOver // TaskDone
	Budget   *history.Budget   // BudgetReached
	Text     string            // a remark in plain words
	Actions  []action.Action   // Warning: what can be done about it
}

// An Observer is told what happens, as it happens. Nil functions are skipped.
//
// They are called one at a time for a step, and for several steps at once when
// steps run beside each other. They must return soon, because the run waits for
// them, and must not call the controller. One that panics does not hurt the
// run: the first time is told to Controller.Log, with its stack.
type Observer struct {
	RunStarted     func(Event)
	RunResumed     func(Event)
	StepStarted    func(Event)
	AttemptStarted func(Event)
	Output         func(Event) // live output of an attempt
	GateAsked      func(Event) // the gates of a phase, which Text names, are about to be asked
	GateJudged     func(Event)
	AttemptFailed  func(Event)
	Restored       func(Event)
	Advised        func(Event) // Text says what was wanted; Err why there is no advice
	Recovering     func(Event)
	Asked          func(Event) // a question is put; its answer may be there already
	Answered       func(Event) // an answer counts, and is part of the record
	ModeSwitched   func(Event) // Text says from which to which, and why
	Taught         func(Event) // education mode: what a step that is over has taught
	StrategySet    func(Event) // Text says why
	PhaseDone      func(Event) // a phase of writing a test first ended
	TaskDone       func(Event) // a task is over
	BudgetReached  func(Event) // a level of the token budget
	StepDone       func(Event) // completed, failed, skipped or blocked
	RunEnded       func(Event)
	Warning        func(Event) // Text says of what
}

// of is the function that is told of a kind of events; nil if nobody is.
func (o *Observer) of(kind session.Kind) func(Event) {
	switch kind {
	case session.RunStarted:
		return o.RunStarted
	case session.RunResumed:
		return o.RunResumed
	case session.StepStarted:
		return o.StepStarted
	case session.AttemptStarted:
		return o.AttemptStarted
	case session.Output:
		return o.Output
	case session.GateAsked:
		return o.GateAsked
	case session.GateJudged:
		return o.GateJudged
	case session.AttemptFailed:
		return o.AttemptFailed
	case session.Restored:
		return o.Restored
	case session.Advised:
		return o.Advised
	case session.Recovering:
		return o.Recovering
	case session.Asked:
		return o.Asked
	case session.Answered:
		return o.Answered
	case session.ModeSwitched:
		return o.ModeSwitched
	case session.Taught:
		return o.Taught
	case session.StrategySet:
		return o.StrategySet
	case session.PhaseDone:
		return o.PhaseDone
	case session.TaskDone:
		return o.TaskDone
	case session.BudgetReached:
		return o.BudgetReached
	case session.StepDone:
		return o.StepDone
	case session.RunEnded:
		return o.RunEnded
	case session.Warning:
		return o.Warning
	}
	return nil
}

func (o *Observer) call(f func(Event), e Event) {
	if f != nil {
		f(e)
	}
}

// Tee calls the functions of all observers, in order.
func Tee(observers ...Observer) Observer {
	all := func(pick func(*Observer) func(Event)) func(Event) {
		return func(e Event) {
			for i := range observers {
				observers[i].call(pick(&observers[i]), e)
			}
		}
	}
	return Observer{
		RunStarted:     all(func(o *Observer) func(Event) { return o.RunStarted }),
		RunResumed:     all(func(o *Observer) func(Event) { return o.RunResumed }),
		StepStarted:    all(func(o *Observer) func(Event) { return o.StepStarted }),
		AttemptStarted: all(func(o *Observer) func(Event) { return o.AttemptStarted }),
		Output:         all(func(o *Observer) func(Event) { return o.Output }),
		GateAsked:      all(func(o *Observer) func(Event) { return o.GateAsked }),
		GateJudged:     all(func(o *Observer) func(Event) { return o.GateJudged }),
		AttemptFailed:  all(func(o *Observer) func(Event) { return o.AttemptFailed }),
		Restored:       all(func(o *Observer) func(Event) { return o.Restored }),
		Advised:        all(func(o *Observer) func(Event) { return o.Advised }),
		Recovering:     all(func(o *Observer) func(Event) { return o.Recovering }),
		Asked:          all(func(o *Observer) func(Event) { return o.Asked }),
		Answered:       all(func(o *Observer) func(Event) { return o.Answered }),
		ModeSwitched:   all(func(o *Observer) func(Event) { return o.ModeSwitched }),
		Taught:         all(func(o *Observer) func(Event) { return o.Taught }),
		StrategySet:    all(func(o *Observer) func(Event) { return o.StrategySet }),
		PhaseDone:      all(func(o *Observer) func(Event) { return o.PhaseDone }),
		TaskDone:       all(func(o *Observer) func(Event) { return o.TaskDone }),
		BudgetReached:  all(func(o *Observer) func(Event) { return o.BudgetReached }),
		StepDone:       all(func(o *Observer) func(Event) { return o.StepDone }),
		RunEnded:       all(func(o *Observer) func(Event) { return o.RunEnded }),
		Warning:        all(func(o *Observer) func(Event) { return o.Warning }),
	}
}
