package exectest_test

import (
	"context"
	"sync"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/plan"
)

// TestAroundOwnController: a bench takes a controller of the host, with all that
// it brings, and leaves the host's own where it is.
func TestAroundOwnController(t *testing.T) {
	own := exec.Controller{Dir: "elsewhere", Gates: []gate.Gate{},
		Executors: exec.Default(exectest.Script{"1.1": exectest.Write("a.txt", "a\n")})}
	b := exectest.Around(t, "../../examples/presets/contract.toml", nil, own)
	if b.Controller.Dir != b.Dir || own.Dir != "elsewhere" || len(b.Controller.Gates) != 0 || b.Draft == nil {
		t.Errorf("the bench has %+v", b.Controller)
	}
}

type rung func(recovery.Situation) (recovery.Next, bool)

func (rung) Name() string                                     { return "rung" }
func (r rung) Try(s recovery.Situation) (recovery.Next, bool) { return r(s) }

// TestRungSuite finds each thing that a rung may do wrong.
func TestRungSuite(t *testing.T) {
	s := recovery.Situation{Step: &plan.Step{Address: "1.1", Description: "Do it"}, History: &history.Step{},
		Failure: &history.AttemptFailed{Class: history.Crashed, Reasons: []string{"no"}}}
	exectest.RunRung(t, recovery.Retry{}, s)
	calls := 0
	var one sync.Mutex // suites ask twice at one time
	for want, r := range map[string]rung{
		"another thing each time": func(recovery.Situation) (recovery.Next, bool) {
			one.Lock()
			defer one.Unlock()
			calls++
			return recovery.Next{}, calls%2 == 0 || calls > 3
		},
		"changed what it looked at": func(s recovery.Situation) (recovery.Next, bool) {
			one.Lock()
			defer one.Unlock()
			s.Step.Description += "!"
			return recovery.Next{}, false
		},
		"a method tried and a person asked": func(recovery.Situation) (recovery.Next, bool) {
			return recovery.Next{Method: "primary", Ask: true}, true
		},
	} {
		broken(t, want, func(t testing.TB) { exectest.RunRung(t, r, s) })
	}
}

type reviewer func(context.Context, review.Request) (review.Review, error)

func (reviewer) Name() string { return "anna" }
func (r reviewer) Review(ctx context.Context, q review.Request) (review.Review, error) {
	return r(ctx, q)
}

// TestReviewerSuite finds each thing that a reviewer may do wrong.
func TestReviewerSuite(t *testing.T) {
	fresh := func() review.Request { return review.Request{Goal: "Try", Steps: []review.Step{{}}} }
	exectest.RunReviewer(t, reviewer(func(ctx context.Context, _ review.Request) (review.Review, error) {
		return review.Review{}, context.Cause(ctx)
	}), fresh)
	for want, r := range map[string]reviewer{
		"as if it had not been stopped": func(context.Context, review.Request) (review.Review, error) {
			return review.Review{}, nil
		},
		"changed the request": func(ctx context.Context, q review.Request) (review.Review, error) {
			q.Steps[0].Executor = "me"
			return review.Review{}, context.Cause(ctx)
		},
	} {
		broken(t, want, func(t testing.TB) { exectest.RunReviewer(t, r, fresh) })
	}
}
