package exec_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan"
)

// reviewing is a gate of the host that looks at plans.
func reviewing(name string, level gate.Level, phase gate.Phase, judge func(*gate.Pass) error) gate.Gate {
	return gate.New(gate.Info{Name: name, Doc: "Looks at it.", Level: level, Phases: []gate.Phase{phase}},
		func(_ context.Context, pass *gate.Pass) error { return judge(pass) })
}

// TestPlanningGatesStopTheLock has a gate of the host object to a plan: it is
// not locked, and a lock that was made without asking does not run.
func TestPlanningGatesStopTheLock(t *testing.T) {
	no := func(pass *gate.Pass) error {
		pass.Reportf("", "the design scores 61 of 100, 70 are needed")
		return nil
	}
	unsure := func(*gate.Pass) error { return errors.New("the model is not there") }
	tests := map[string]struct {
		level gate.Level
		judge func(*gate.Pass) error
		says  string // "": it is locked, and runs
	}{
		"level 2 says no":       {gate.BlocksApproval, no, "scores 61"},
		"level 2 cannot decide": {gate.BlocksApproval, unsure, "not there"},
		"level 1 says no":       {gate.BlocksStep, no, "scores 61"},
		"level 1 cannot decide": {gate.BlocksStep, unsure, "not there"},
		"level 0 says no":       {gate.Informs, no, ""},
		"level 0 cannot decide": {gate.Informs, unsure, ""},
		"level 2 is all for it": {gate.BlocksApproval, func(*gate.Pass) error { return nil }, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, twoSteps(), workspace, goodScript)
			b.Controller.Gates = append(builtin.Gates(), reviewing("design", tt.level, gate.Planning, tt.judge))
			_, err := b.Controller.Lock(context.Background(), b.Draft)
			unasked, other := plan.Lock(b.Draft, plan.LockOptions{})
			must(t, other)
			report, ran := b.Controller.Run(context.Background(), unasked)
			if tt.says == "" {
				if err != nil || ran != nil {
					t.Errorf("locked: %v, ran: %v; want both", err, ran)
				} else if n := len(report.Run.Started.Planning); n != 4 {
					t.Errorf("%d judgements of the plan are in the journal, want 4", n)
				}
				return
			}
			for _, err := range []error{err, ran} {
				var refused *exec.RefusedError
				if !errors.As(err, &refused) || !strings.Contains(err.Error(), tt.says) || refused.Hint == "" {
					t.Errorf("got %v, want a refusal that says %q", err, tt.says)
				}
			}
			if ids, err := (exec.Workspace{Dir: b.Dir}).IDs(t.Context()); err != nil || len(ids) != 0 {
				t.Errorf("runs %q, %v; want none", ids, err)
			}
		})
	}
}

// TestAPlanningGateMayStopAtAWarning has a gate of the host that lets no warning
// pass judge a lock that was made without it.
func TestAPlanningGateMayStopAtAWarning(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, goodScript)
	b.Draft.Found = append(b.Draft.Found, plan.Diagnostic{Code: "task-field-missing", Severity: plan.Warning, Message: "task 1 has no priority"})
	strict := reviewing("no-warnings", gate.BlocksApproval, gate.Planning, func(pass *gate.Pass) error {
		for _, d := range pass.Draft.Check(pass.Options) {
			if d.Severity == plan.Warning {
				pass.Reportf("", "%s", d.Message)
			}
		}
		return nil
	})
	b.Controller.Gates = append(builtin.Gates(), strict)
	unasked, err := plan.Lock(b.Draft, plan.LockOptions{})
	must(t, err)
	_, locked := b.Controller.Lock(t.Context(), b.Draft)
	_, ran := b.Controller.Run(t.Context(), unasked)
	for _, err := range []error{locked, ran} {
		var refused *exec.RefusedError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), "task 1 has no priority") {
			t.Errorf("got %v, want a refusal that names the warning", err)
		}
	}
}

func TestPlanningGatesAreAskedByLevel(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, goodScript)
	yes := func(*gate.Pass) error { return nil }
	b.Controller.Gates = append(builtin.Gates(), reviewing("zero", 0, gate.Planning, yes),
		reviewing("one", 1, gate.Planning, yes), reviewing("two", 2, gate.Planning, yes))
	run := b.Run(t)
	run.Want(t, history.Achieved)
	var got []string
	for _, j := range run.Report.Run.Started.Planning {
		got = append(got, j.Gate)
	}
	want := []string{"completeness", "declared-non-goals", "two", "classification", "one", "zero"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// TestAssumptionsAreLookedAt decides what a plan takes for granted before its
// first step, and not once something was done.
func TestAssumptionsAreLookedAt(t *testing.T) {
	assume := func(check string) string {
		return strings.Replace(twoSteps(), "invariants = []", "invariants = []\nassumptions = [{ id = \"A1\", text = \"It is so\", check = "+check+" }]", 1)
	}
	t.Run("they hold", func(t *testing.T) {
		// The first step makes it false, as it may.
		exectest.Run(t, assume(`{ kind = "file_absent", path = "a.txt" }`), workspace, goodScript).Want(t,
			history.Achieved)
	})
	t.Run("they do not", func(t *testing.T) {
		var record exectest.Record
		b := exectest.New(t, assume(`{ kind = "file_exists", path = "never" }`), workspace, record.Of(goodScript))
		p := &person{}
		b.Controller.Escalator = p
		b.Run(t).Want(t, history.NotAchieved)
		if len(record.Attempts()) != 0 || len(p.asked) != 1 || p.asked[0].Kind != ask.Precondition ||
			!strings.Contains(strings.Join(p.asked[0].Evidence, "\n"), "A1") {
			t.Errorf("attempts %q, asked %+v; want nothing attempted, and one question that names A1",
				record.Attempts(), p.asked)
		}
	})
}

// TestCompletionDecides has all steps succeed, and something else object at the
// end.
func TestCompletionDecides(t *testing.T) {
	no := func(pass *gate.Pass) error { pass.Reportf("", "the goal is not reached"); return nil }
	tests := map[string]struct {
		text  string
		gates []gate.Gate
		says  string
		ended history.Status // "" for NOT_ACHIEVED
	}{
		"a criterion": {strings.Replace(twoSteps(), "[defaults]",
			"[completion_criteria]\nchecks = [{ kind = \"file_contains\", path = \"a.txt\", text = \"three\" }]\n\n[defaults]", 1), nil, "three", ""},
		"one criterion of two": {strings.Replace(twoSteps(), "[defaults]",
			"[completion_criteria]\nchecks = [{ kind = \"file_contains\", path = \"a.txt\", text = \"three\" }, "+
				"{ kind = \"file_exists\", path = \"a.txt\" }]\n\n[defaults]", 1), nil, "three", history.Partial},
		"a gate of the host": {twoSteps(), []gate.Gate{reviewing("goal", gate.BlocksStep, gate.Final, no)}, "the goal is not reached", ""},
		"an invariant": {strings.Replace(twoSteps(), "invariants = []",
			`invariants = [{ id = "I1", text = "there is no second line", critical = false, check = { kind = "file_absent", path = "a.txt" } }]`, 1), nil, "I1", history.Partial},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, tt.text, workspace, goodScript)
			b.Controller.Gates = append(builtin.Gates(), tt.gates...)
			run := b.Run(t)
			if tt.ended == "" {
				tt.ended = history.NotAchieved
			}
			run.Want(t, tt.ended)
			if n := run.Report.Run.Count(history.Completed); n != 2 {
				t.Errorf("%d steps are complete, want both", n)
			}
			if got := strings.Join(run.Report.Run.Ended.Reasons, "\n"); !strings.Contains(got, tt.says) {
				t.Errorf("the reasons do not say %q:\n%s", tt.says, got)
			}
			if _, err := os.Stat(b.Dir + "/a.txt"); err != nil {
				t.Errorf("what was completed does not stay: %v", err)
			}
		})
	}
}
