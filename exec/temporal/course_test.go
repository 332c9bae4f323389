package temporal

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	sdkactivity "go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/history"
)

// A turn is what comes of one owner's work on a run.
type turn struct {
	state State
	err   error
}

func sampleTask() Task { return Task{Key: "k", Plan: "sha256:plan"} }

func sampleCourse() course {
	return course{Task: sampleTask(), Queue: "owners", Silence: time.Second}
}

// A course of a test: the runs of owners, one after another, and what they were given.
type played struct {
	*testsuite.TestWorkflowEnvironment
	turns   []turn
	given   []Task
	at      []time.Duration // since it began
	answers []ask.Answer
	refuse  error
	begun   time.Time

	meanwhile func() // what is done while an owner has it
}

func play(t *testing.T, turns ...turn) *played {
	t.Helper()
	p := &played{TestWorkflowEnvironment: (&testsuite.WorkflowTestSuite{}).NewTestWorkflowEnvironment(), turns: turns}
	p.begun = p.Now()
	registerRun(p)
	p.RegisterActivityWithOptions(func(_ context.Context, t Task) (State, error) {
		p.given, p.at = append(p.given, t), append(p.at, p.Now().Sub(p.begun))
		if p.meanwhile != nil {
			p.meanwhile()
		}
		if n := len(p.given); n <= len(p.turns) {
			return p.turns[n-1].state, p.turns[n-1].err
		}
		return State{}, errors.New("nobody was to go on with it")
	}, sdkactivity.RegisterOptions{Name: advancing})
	p.RegisterActivityWithOptions(func(_ context.Context, a ask.Answer) error {
		p.answers = append(p.answers, a)
		return p.refuse
	}, sdkactivity.RegisterOptions{Name: answering})
	return p
}

// later does something at a time after the beginning.
func (p *played) later(after time.Duration, do func()) { p.RegisterDelayedCallback(do, after) }

// update gives an answer, and is what came of it, once it is over.
func (p *played) update(a ask.Answer) *error {
	came := errors.New("nothing came of it")
	p.UpdateWorkflow(answering, "", &testsuite.TestUpdateCallback{
		OnReject:   func(err error) { came = err },
		OnAccept:   func() {},
		OnComplete: func(_ any, err error) { came = err },
	}, a)
	return &came
}

// ends runs it, and is how the run stands in the end.
func (p *played) ends(t *testing.T) (s State, err error) {
	t.Helper()
	p.ExecuteWorkflow(runV1, sampleCourse())
	if !p.IsWorkflowCompleted() {
		t.Fatal("it does not end")
	}
	if err := p.GetWorkflowError(); err != nil {
		return s, err
	}
	return s, p.GetWorkflowResult(&s)
}

var (
	fresh   = State{Run: "r", Status: history.Running, Steps: 3}
	further = State{Run: "r", Status: history.Running, Done: 1, Steps: 3}
	waits   = State{Run: "r", Status: history.Waiting, Done: 1, Steps: 3, Questions: []string{"q1"}}
	done    = State{Run: "r", Status: history.Achieved, Done: 3, Steps: 3, Over: true}
)

func gone(s State) error {
	return temporal.NewHeartbeatTimeoutError(s)
}

// TestCourse: another owner goes on where one is gone or lets go, with the id of the
// run, at once where that was brought further and else after a while; a run that
// has ended ends it.
func TestCourse(t *testing.T) {
	lets := temporal.NewNonRetryableApplicationError("no space", letGo, nil, fresh)
	for name, c := range map[string]struct {
		turns []turn
		runs  []string        // what owners were told that was begun
		at    []time.Duration // when they were
	}{
		"ends": {[]turn{{done, nil}}, []string{""}, []time.Duration{0}},
		"gone": {[]turn{{err: gone(fresh)}, {err: gone(further)}, {done, nil}}, []string{"", "r", "r"},
			[]time.Duration{0, 0, 0}},
		"early": {[]turn{{err: temporal.NewHeartbeatTimeoutError()}, {done, nil}}, []string{"", ""}, []time.Duration{0, 1}},
		"stuck": {[]turn{{err: lets}, {err: lets}, {err: lets}, {further, nil}, {further, nil}, {done, nil}},
			[]string{"", "r", "r", "r", "r", "r"}, []time.Duration{0, 0, 1, 3, 3, 4}},
		"unreadable": {[]turn{{err: temporal.NewNonRetryableApplicationError("cannot read", notReadable, nil)}, {done, nil}},
			[]string{"", ""}, []time.Duration{0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t, c.turns...)
			s, err := p.ends(t)
			if err != nil || !reflect.DeepEqual(s, done) {
				t.Errorf("%+v, %v", s, err)
			}
			var runs []string
			for i, given := range p.given {
				runs = append(runs, given.Run)
				p.at[i] = p.at[i].Round(time.Second) / time.Second
			}
			if !reflect.DeepEqual(runs, c.runs) || !reflect.DeepEqual(p.at, c.at) {
				t.Errorf("given %q at %d, want %q at %d", runs, p.at, c.runs, c.at)
			}
		})
	}
}

// TestAnswered: a run that waits goes on when an answer was kept, and not where it
// was refused; what is for another run does not even reach an owner.
func TestAnswered(t *testing.T) {
	p := play(t, turn{waits, nil}, turn{done, nil})
	answer := ask.Answer{Run: "r", Question: "q1", Choice: "r", By: "anna"}
	var other, no, yes *error
	p.later(time.Minute, func() {
		other = p.update(ask.Answer{Run: "another", Question: "q1"})
		p.refuse = temporal.NewNonRetryableApplicationError("no", refused, nil, ask.RefusedError{Why: "no"})
		no = p.update(answer)
	})
	p.later(time.Hour, func() {
		if value, err := p.QueryWorkflow(standing); err != nil {
			t.Error(err)
		} else {
			var s State
			if err := value.Get(&s); err != nil || !reflect.DeepEqual(s, waits) {
				t.Errorf("stands %+v, %v", s, err)
			}
		}
		p.refuse = nil
		yes = p.update(answer)
	})
	s, err := p.ends(t)
	if err != nil || !s.Over || len(p.given) != 2 || p.at[1] < time.Hour {
		t.Errorf("%+v, %v; at %v", s, err, p.at)
	}
	if *other == nil || !strings.Contains((*other).Error(), "another") || *no == nil || *yes != nil {
		t.Errorf("answered: %v; %v; %v", *other, *no, *yes)
	}
	if !reflect.DeepEqual(p.answers, []ask.Answer{answer, answer}) {
		t.Errorf("kept %+v", p.answers)
	}
}

// TestAnsweredMeanwhile: an answer that is given while an owner has the run in hand,
// who does not see it any more, has another one look.
func TestAnsweredMeanwhile(t *testing.T) {
	p := play(t, turn{waits, nil}, turn{done, nil})
	var came *error
	p.meanwhile = func() {
		p.meanwhile = nil
		came = p.update(ask.Answer{Run: "r", Question: "q1"})
	}
	if s, err := p.ends(t); err != nil || !s.Over || len(p.given) != 2 || *came != nil {
		t.Errorf("%+v, %v after %d; answered: %v", s, err, len(p.given), *came)
	}
}

// TestDeadline: a run whose question has a deadline goes on then, and one is told to
// go on at any time.
func TestDeadline(t *testing.T) {
	late := waits
	p := play(t)
	late.Until = p.begun.Add(time.Hour)
	p.turns = []turn{{late, nil}, {waits, nil}, {done, nil}}
	p.later(2*time.Hour, func() { p.SignalWorkflow(goingOn, nil) })
	if s, err := p.ends(t); err != nil || !s.Over {
		t.Errorf("%+v, %v", s, err)
	}
	if len(p.at) != 3 || p.at[1].Round(time.Minute) != time.Hour || p.at[2].Round(time.Minute) != 2*time.Hour {
		t.Errorf("at %v", p.at)
	}
}

// TestCancelled: a run that is cancelled, by the signal or at the service, is as its
// owner left it, and says who did it; one that ended all the same has ended.
func TestCancelled(t *testing.T) {
	for name, c := range map[string]struct {
		left turn
		by   string
		says string
	}{
		"waits":   {turn{waits, nil}, "signal", "it was cancelled by anna: enough"},
		"service": {turn{waits, nil}, "service", "it was cancelled"},
		"begins":  {turn{}, "signal", "it was cancelled by anna: enough"},
		"ended":   {turn{done, nil}, "signal", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t, c.left)
			at := time.Minute
			if name == "begins" {
				at = 0 // before it is begun
				p.turns = nil
			}
			p.later(at, func() {
				if c.by == "service" {
					p.CancelWorkflow()
				} else {
					p.SignalWorkflow(cancelling, Stop{By: "anna", Why: "enough"})
				}
			})
			s, err := p.ends(t)
			var cancelled *temporal.CanceledError
			if errors.As(err, &cancelled) {
				err = cancelled.Details(&s)
			}
			if err != nil || s.Says != c.says || s.Over != (c.says == "") {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
}

// TestLong: a history that is long is gone on with by another, from the same state.
func TestLong(t *testing.T) {
	p := play(t, turn{waits, nil})
	p.later(time.Minute, func() {
		p.SetCurrentHistoryLength(longV1)
		p.update(ask.Answer{Run: "r", Question: "q1"})
	})
	_, err := p.ends(t)
	var next *workflow.ContinueAsNewError
	if !errors.As(err, &next) {
		t.Fatal(err)
	}
	var c course
	if err := converter.GetDefaultDataConverter().FromPayloads(next.Input, &c); err != nil {
		t.Fatal(err)
	}
	want := sampleCourse()
	want.State, want.Task.Run = waits, ""
	if c.Task.Run = ""; !reflect.DeepEqual(c, want) {
		t.Errorf("goes on with %+v, want %+v", c, want)
	}
}
