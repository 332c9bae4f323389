package session

import (
	"fmt"
	"strings"

	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/exec/internal/question"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/gate"
)

// A Kind is what an [Event] tells of.
type Kind string

// What a host is told of.
const (
	RunStarted     Kind = "run started"
	RunResumed     Kind = "run resumed"
	StepStarted    Kind = "step started"
	AttemptStarted Kind = "attempt started"
	Output         Kind = "output"      // of an executor, as it comes
	GateAsked      Kind = "gate asked"  // the gates of a phase, which Text names, are about to be asked
	GateJudged     Kind = "gate judged" //
	AttemptFailed  Kind = "attempt failed"
	Restored       Kind = "restored"   //
	Advised        Kind = "advised"    // Text says what was wanted
	Recovering     Kind = "recovering" //
	Asked          Kind = "asked"      // a question is put; its answer may be there already
	Answered       Kind = "answered"   // an answer counts, and is part of the record
	ModeSwitched   Kind = "mode switched"
	Taught         Kind = "taught" // what a step that is over has taught
	StrategySet    Kind = "strategy set"
	PhaseDone      Kind = "phase done" // of writing a test first
	TaskDone       Kind = "task done"  //
	BudgetReached  Kind = "budget reached"
	StepDone       Kind = "step done" // completed, failed, skipped or blocked
	RunEnded       Kind = "run ended" //
	Warning        Kind = "warning"
)

// An Event tells the host what happens. Besides Kind, which fields are set
// depends on it.
type Event struct {
	Kind    Kind
	Step    *history.Step
	Attempt int
	Text    string                 // a remark in plain words
	Failed  *history.AttemptFailed // why a step or an attempt did not succeed; nil if it did

	Gate     *gate.Judgement
	Next     string // the method that is tried next
	Question *ask.Question
	Answer   *ask.Answer
	Lesson   *history.Lesson
	Advice   *history.Advised
	Output   []byte // valid only during the call
	Cycle    *history.Cycle
	Task     *history.TaskOver
	Budget   *history.Budget
	Actions  []action.Action // what can be done about a warning
}

// Warn tells of what went wrong without consequences for the run, and what can
// be done about it.
func (s *Session) Warn(text string, actions ...action.Action) {
	s.Rec.Log.Warn(text, "run", s.Rec.Run.Started.Run)
	s.Tell(Event{Kind: Warning, Text: text, Actions: actions})
}

// TellOf tells of facts that were recorded.
func (s *Session) TellOf(facts []history.Located) {
	for _, l := range facts {
		step := s.Rec.Run.Step(l.Where.Step)
		switch f := l.Fact.(type) {
		case *history.ModeSwitched:
			s.Tell(Event{Kind: ModeSwitched, Step: step, Text: f.String()})
		case *history.Recovery:
			if f.Rung != recovery.AskRung && f.Rung != question.AcceptRung {
				s.Tell(Event{Kind: Recovering, Step: step, Next: f.Method, Text: f.Why})
			}
		case *history.Lesson:
			s.Tell(Event{Kind: Taught, Step: step, Lesson: f, Text: f.Lesson})
		case *history.StrategySet:
			s.Tell(Event{Kind: StrategySet, Text: string(f.Strategy) + ": " + f.Why})
		case *history.TaskOver:
			for _, line := range flow.Discrepancies(f) {
				s.Warn(line)
			}
			s.Tell(Event{Kind: TaskDone, Task: f, Text: strings.TrimSpace("task " + f.Task + " " + string(f.Status) +
				" " + f.Reason)})
		case *history.Budget:
			s.Tell(Event{Kind: BudgetReached, Budget: f, Text: fmt.Sprintf("%d of %d tokens are used", f.Used, f.Limit)})
		case *history.StepFailed, *history.StepSkipped, *history.StepBlocked:
			s.Tell(Event{Kind: StepDone, Step: step, Failed: failure(step)})
		}
	}
}

// failure is why a step did not succeed; nil for one that somebody left out.
func failure(s *history.Step) *history.AttemptFailed {
	switch {
	case s.Failed != nil:
		return &history.AttemptFailed{Class: s.Failed.Class, Reasons: s.Failed.Reasons}
	case s.Blocked != nil:
		return &history.AttemptFailed{Class: history.Refused, Reasons: []string{s.Blocked.Why}}
	}
	return nil
}
