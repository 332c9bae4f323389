package exec_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/hold"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

const careless = "the host is careless"

// rude panics, whichever port it is.
type rude struct{}

func (rude) Execute(context.Context, exec.Work) (exec.Outcome, error)   { panic(careless) }
func (rude) Ask(context.Context, ask.Question) (ask.Answer, error)      { panic(careless) }
func (rude) Advise(context.Context, advice.Case) (advice.Advice, error) { panic(careless) }
func (rude) Name() string                                               { return "rude" }
func (rude) Look(*guard.Case) guard.Verdict                             { panic(careless) }
func (rude) Open(context.Context, ledger.Digest) (io.ReadCloser, error) { panic(careless) }
func (rude) Append(context.Context, [][]byte) error                     { panic(careless) }
func (rude) Replay(context.Context) iter.Seq2[[]byte, error]            { panic(careless) }
func (rude) Close() error                                               { panic(careless) }

// rudeAt panics when it is asked who it is.
type rudeName struct{ exec.Executor }

func (rudeName) Name() string { panic(careless) }

type rudeGuard struct{ rude }

func (rudeGuard) Name() string { panic(careless) }

type rudeRung struct{ rude }

func (rudeRung) Try(recovery.Situation) (recovery.Next, bool) { panic(careless) }

type rudeVersion struct{ exec.Executor }

func (rudeVersion) Version(context.Context) (string, error) { panic(careless) }

type rudeReviewer struct{}

func (rudeReviewer) Name() string { return "rude" }
func (rudeReviewer) Review(context.Context, review.Request) (review.Review, error) {
	panic(careless)
}

type rudeReader struct{}

func (rudeReader) Read([]byte) (int, error) { panic(careless) }

type rudeBlobs struct{ checkpoint.Blobs }

func (rudeBlobs) Put(context.Context, ledger.Digest, io.Reader) error { panic(careless) }

type rudeLog struct{ rude }

func (rudeLog) Replay(context.Context) iter.Seq2[[]byte, error] {
	return func(func([]byte, error) bool) {}
}

// TestNothingGiven: nil and zero values in place of plans and reports are
// refused, or are what nothing is; none of them panics.
func TestNothingGiven(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, goodScript)
	c, ctx := b.Controller, t.Context()
	for name, locked := range map[string]*plan.Locked{"nil": nil, "zero": {}} {
		var refused *exec.RefusedError
		if report, err := c.Run(ctx, locked); !errors.As(err, &refused) || report.Status() != "" ||
			!strings.Contains(err.Error(), "not locked") {
			t.Errorf("a lock that is %s: %v", name, err)
		}
		if _, err := c.Resume(ctx, locked, "01"); !errors.As(err, &refused) {
			t.Errorf("resumed with a lock that is %s: %v", name, err)
		}
	}
	if (&plan.Locked{}).Plan() != nil {
		t.Error("the zero lock has a plan")
	}
	if _, err := c.Lock(ctx, nil); !errors.Is(err, plan.ErrNoDraft) {
		t.Errorf("locking nothing: %v", err)
	}
	if _, err := c.Already(ctx, nil); !errors.Is(err, plan.ErrNoDraft) {
		t.Errorf("looking for nothing: %v", err)
	}
	if _, err := plan.Lock(nil, plan.LockOptions{}); !errors.Is(err, plan.ErrNoDraft) {
		t.Errorf("locking nothing without a controller: %v", err)
	}
	none := &exec.Report{}
	if none.Status() != "" || none.Next() != nil || !strings.Contains(none.String(), "nothing was done") {
		t.Errorf("the zero report is %q: %v, %s", none.Status(), none.Next(), none)
	}
	if s := (&exec.Report{Plan: &b.Draft.Plan}).String(); !strings.Contains(s, "nothing was done") {
		t.Errorf("a report of a plan alone: %s", s)
	}
	report := b.Run(t).Report
	ws := exec.Workspace{Dir: b.Dir, Documents: []document.Document{{}}}
	if err := ws.DrawViews(ctx, report.Run); err == nil || !strings.Contains(err.Error(), "has no name") {
		t.Errorf("drawing nothing: %v", err)
	}
	if _, err := ws.Verify(ctx, report.Run.Started.Run); err == nil || !strings.Contains(err.Error(), "has no name") {
		t.Errorf("proving nothing: %v", err)
	}
}

// TestEveryPort: whatever a host does not give, or gives and it panics, is an
// error or none at all, never a panic; and the workspace is let go, so that a
// controller that is whole goes on.
func TestEveryPort(t *testing.T) {
	rudeGate := gate.New(gate.Info{Name: "rude", Doc: "is rude", Level: gate.BlocksStep,
		Phases: []gate.Phase{gate.After}}, func(context.Context, *gate.Pass) error { panic(careless) })
	fails := func(c *exec.Controller, ladder recovery.Ladder) {
		c.Executors, c.Ladder = exec.Default(exectest.Script{"1.1": exectest.Fail("no")}), ladder
	}
	// says is part of the error, "" where the run is achieved all the same.
	for name, port := range map[string]struct {
		set  func(c *exec.Controller)
		says string
	}{
		"executors nil": {func(c *exec.Controller) { c.Executors = nil }, "executor"},
		"executor nil": {func(c *exec.Controller) {
			c.Executors = exec.Executors{"": nil, "script": nil}
		}, "executor"},
		"executor panics": {func(c *exec.Controller) {
			c.Executors = exec.Default(rude{})
		}, "1.1 failed"},
		"executor's name": {func(c *exec.Controller) {
			c.Executors = exec.Default(rudeName{goodScript})
		}, "the name of an executor panicked: " + careless},
		"executor's version": {func(c *exec.Controller) {
			c.Executors = exec.Default(rudeVersion{goodScript})
		}, "executor default panicked: " + careless},
		"gates nil": {func(c *exec.Controller) { c.Gates = nil }, "no gates"},
		"gate nil": {func(c *exec.Controller) {
			c.Gates = append(builtin.Gates(), nil)
		}, "nil"},
		"gate panics": {func(c *exec.Controller) {
			c.Gates = append(builtin.Gates(), rudeGate)
		}, "1.1 failed"},
		"check nil": {func(c *exec.Controller) { c.Checks = []gate.Check{nil} }, "nil"},
		"reviewer nil": {func(c *exec.Controller) {
			c.Reviewers = []review.Reviewer{nil}
		}, "nil"},
		"reviewer panics": {func(c *exec.Controller) {
			c.Reviewers = []review.Reviewer{rudeReviewer{}}
		}, "1.1"},
		"escalator nil": {func(c *exec.Controller) {
			fails(c, recovery.Ladder{recovery.Ask{}})
		}, "1.1 failed"},
		"escalator panics": {func(c *exec.Controller) {
			fails(c, recovery.Ladder{recovery.Ask{}})
			c.Escalator = rude{}
		}, careless},
		"advisor nil": {func(c *exec.Controller) {
			fails(c, recovery.Ladder{recovery.Reflect{}})
			c.Advisors = exec.Advisors{advice.Reflection: nil}
		}, "1.1 failed"},
		"advisor panics": {func(c *exec.Controller) {
			fails(c, recovery.Ladder{recovery.Reflect{}})
			c.Advisors = exec.Advisors{advice.Reflection: rude{}}
		}, "1.1 failed"},
		"observer nil": {func(c *exec.Controller) { c.Observe = nil }, ""},
		"observer panics": {func(c *exec.Controller) {
			c.Observe = func(context.Context, event.Event) { panic(careless) }
		}, ""},
		"guard nil": {func(c *exec.Controller) {
			c.Guards = []guard.Guard{nil}
		}, "guard 1 is nil"},
		"guard's name": {func(c *exec.Controller) {
			c.Guards = []guard.Guard{rudeGuard{}}
		}, "guard 1 panicked: " + careless},
		"rung panics": {func(c *exec.Controller) {
			fails(c, recovery.Ladder{rudeRung{}})
		}, `rung "rude" panicked in run`},
		"guard panics": {func(c *exec.Controller) { c.Guards = []guard.Guard{rude{}} }, `guard "rude" panicked in run`},
		"rung nil": {func(c *exec.Controller) {
			c.Ladder = recovery.Ladder{nil}
		}, "rung 1 of the ladder is nil"},
		"documents empty": {func(c *exec.Controller) { c.Documents = []document.Document{} }, ""},
		"document zero": {func(c *exec.Controller) {
			c.Documents = []document.Document{{}}
		}, "document 1 has no name"},
		"document draws nothing": {func(c *exec.Controller) {
			c.Documents = []document.Document{{Name: "x"}}
		}, `"x" has no Draw`},
		"document elsewhere": {func(c *exec.Controller) {
			c.Documents = []document.Document{{Name: "../x", Draw: document.Text}}
		}, `"../x" is no name of a file`},
		"documents of one name": {func(c *exec.Controller) {
			c.Documents = append(document.All(), document.Document{Name: "report.txt", Draw: document.Text})
		}, `two documents are called "report.txt"`},
		"document panics": {func(c *exec.Controller) {
			draw := func(io.Writer, *document.Model) error { panic(careless) }
			c.Documents = []document.Document{{Name: "x", Draw: draw}}
		}, `document "x" panicked in run`},
		"store panics": {func(c *exec.Controller) {
			c.Blobs = rudeBlobs{&checkpoint.Memory{}}
		}, "the store of contents panicked"},
		"log panics at once": {func(c *exec.Controller) {
			c.Runs = exectest.Logs(c.Dir, func(context.Context, string) (checkpoint.Log, error) { return rude{}, nil })
		}, "the log panicked"},
		"log panics": {func(c *exec.Controller) {
			c.Runs = exectest.Logs(c.Dir, func(context.Context, string) (checkpoint.Log, error) { return rudeLog{}, nil })
		}, "the log panicked"},
		"log nil": {func(c *exec.Controller) {
			c.Runs = exectest.Logs(c.Dir, func(context.Context, string) (checkpoint.Log, error) { return nil, nil })
		}, "nil"},
		"opening a log": {func(c *exec.Controller) {
			c.Runs = exectest.Logs(c.Dir, func(context.Context, string) (checkpoint.Log, error) { panic(careless) })
		}, "the log panicked"},
		"clock nil": {func(c *exec.Controller) { c.Now = nil }, ""},
		"clock panics": {func(c *exec.Controller) {
			c.Now = func() time.Time { panic(careless) }
		}, "the clock panicked"},
		"clock stands at 0": {func(c *exec.Controller) {
			c.Now = func() time.Time { return time.Time{} }
		}, "id"},
		"randomness ends": {func(c *exec.Controller) { c.Random = bytes.NewReader(nil) }, "EOF"},
		"randomness panics": {func(c *exec.Controller) {
			c.Random = rudeReader{}
		}, "the source of randomness panicked"},
		"host's log nil": {func(c *exec.Controller) { c.Log = nil }, ""},
		"tools panic": {func(c *exec.Controller) {
			c.Tools = func(context.Context, string) error { panic(careless) }
		}, ""},
		"all zero but needed": {func(c *exec.Controller) {
			*c = exec.Controller{Dir: c.Dir, Executors: c.Executors, Gates: c.Gates}
		}, ""},
		"all zero": {func(c *exec.Controller) {
			*c = exec.Controller{Dir: c.Dir}
		}, "no gates"},
	} {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, strings.ReplaceAll(twoSteps(), "executor = \"script\"\n", ""), workspace, goodScript)
			b.Controller.Log = slog.New(slog.DiscardHandler)
			locked, err := plan.Lock(b.Draft, plan.LockOptions{})
			must(t, err)
			own := *b.Controller
			port.set(&own)
			report, err := own.Run(t.Context(), locked)
			if report == nil || (err == nil) != (port.says == "") ||
				err != nil && !strings.Contains(err.Error(), port.says) {
				t.Fatalf("%v (report %v), want an error that says %q", err, report != nil, port.says)
			}
			var panicked *exec.PanicError
			if errors.As(err, &panicked) &&
				(panicked.Port == "" || !strings.Contains(panicked.Stack, "ports_test.go")) {
				t.Errorf("%v does not say who, or the stack does not say where: %s", panicked, panicked.Stack)
			}
			held, err := hold.Workspace(t.Context(), b.Dir)
			if err != nil {
				t.Fatalf("the workspace is held still: %v", err)
			}
			if err := held.Release(); err != nil {
				t.Error(err)
			}
			if report.Run.Status == history.Achieved {
				return
			}
			if _, err := own.Lock(t.Context(), b.Draft); err != nil && strings.Contains(fmt.Sprint(err),
				"runtime error") {
				t.Errorf("locking: %v", err)
			}
		})
	}
}
