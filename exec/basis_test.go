package exec_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/plan"
)

// basisPlan is a plan of one step, which writes work.txt and has a
// postcondition.
func basisPlan(check string, extra ...string) string {
	return strings.Replace(twoSteps(extra...)[:strings.Index(twoSteps(extra...), "[[tasks.steps]]\nid = 2")],
		`{ kind = "file_contains", path = "a.txt", text = "one" }`, check, 1)
}

// A check proves a step if it tells the work from its absence: from the tree
// before, and from empty files.
func TestBasis(t *testing.T) {
	tests := map[string]struct {
		check  string
		wrote  string
		basis  history.Basis
		status history.Status
	}{
		"what is in the file": {`{ kind = "file_contains", path = "a.txt", text = "one" }`, "one\n", history.Proved, history.Achieved},
		"a command":           {`{ kind = "command", run = "grep -q one a.txt" }`, "one\n", history.Proved, history.Achieved},
		"that it is there":    {`{ kind = "file_exists", path = "a.txt" }`, "one\n", history.Declared, history.Partial},
		"that it is there, by a command": {`{ kind = "command", run = "test -f a.txt" }`, "one\n", history.Declared,
			history.Partial},
		"what was there before": {`{ kind = "file_exists", path = "b.txt" }`, "one\n", history.Declared, history.Partial},
		"nothing":               {`{ kind = "command", run = "true" }`, "one\n", history.Declared, history.Partial},
		"what holds without it, and not when it is empty": {
			`{ kind = "command", run = "! test -e a.txt || test -s a.txt" }`, "one\n", history.Declared, history.Partial},
		"that it is well formed":  {`{ kind = "command", run = "gofmt a.txt" }`, "package a\n", history.Declared, history.Partial},
		"an empty file":           {`{ kind = "command", run = "test -f a.txt" }`, "", history.Declared, history.Partial},
		"a program that it wrote": {`{ kind = "command", run = "sh a.txt" }`, "test -s a.txt\n", history.Declared, history.Partial},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			run := exectest.Run(t, basisPlan(tt.check), workspace, exectest.Script{"1.1": exectest.Write("a.txt", tt.wrote)})
			run.Want(t, tt.status)
			if got, why := run.Report.Run.Standings().Of(run.Report.Run.Step("1.1")); got != tt.basis {
				t.Errorf("it is %q (%s), want %q", got, why, tt.basis)
			}
			if got := run.Read(t, "a.txt"); got != tt.wrote {
				t.Errorf("a.txt holds %q afterwards", got)
			}
		})
	}
}

// The check of a requirement must hold at the end, and speaks for the steps that
// serve it as long as it tells their work from its absence and runs nothing that
// they wrote.
func TestBasisOfARequirement(t *testing.T) {
	const text = `schema = 1
profile = "observe"
[goal]
description = "Write a"
[[requirements]]
id = "R1"
text = "a says one"
check = %s
[[tasks]]
id = 1
description = "Write a"
[[tasks.steps]]
id = 1
description = "Write a"
critical_flag = true
requirements = ["R1"]
artifacts = { create = ["a.txt"] }
[[tasks.steps]]
id = 2
description = "Write c"
artifacts = { create = ["c.txt"] }
critical_flag = false
`
	for name, tt := range map[string]struct {
		check  string
		wrote  string
		basis  history.Basis
		status history.Status
	}{
		"what is in the file":     {`{ kind = "file_contains", path = "a.txt", text = "one" }`, "one\n", history.Proved, history.Achieved},
		"that it is there":        {`{ kind = "file_exists", path = "a.txt" }`, "one\n", history.Declared, history.Partial},
		"nothing":                 {`{ kind = "command", run = "true" }`, "one\n", history.Declared, history.Partial},
		"a program that it wrote": {`{ kind = "command", run = "sh a.txt | grep -q ok" }`, "echo ok\n", history.Declared, history.Partial},
		"it does not hold":        {`{ kind = "file_contains", path = "a.txt", text = "two" }`, "one\n", history.Declared, history.NotAchieved},
	} {
		t.Run(name, func(t *testing.T) {
			run := exectest.Run(t, fmt.Sprintf(text, tt.check), workspace,
				exectest.Script{"1.1": exectest.Write("a.txt", tt.wrote), "1.2": exectest.Write("c.txt", "c\n")})
			run.Want(t, tt.status)
			standings := run.Report.Run.Standings()
			if got, why := standings.Of(run.Report.Run.Step("1.1")); got != tt.basis {
				t.Errorf("it is %q (%s), want %q", got, why, tt.basis)
			}
			if got, why := standings.Of(run.Report.Run.Step("1.2")); got != history.Declared {
				t.Errorf("who serves no requirement is %q (%s), want declared", got, why)
			}
		})
	}
}

// A test that the step wrote first speaks for it as long as nobody touched it
// after it had failed.
func TestBasisOfATestWrittenFirst(t *testing.T) {
	text := strings.ReplaceAll(tddSteps("sh work_test.sh"), `kind = "file_contains", path = "work.go", matches = "."`,
		`kind = "file_exists", path = "work.go"`)
	for name, tt := range map[string]struct {
		green exec.Func
		want  history.Basis
	}{
		"left alone": {goodPhases[history.Green], history.Proved},
		"weakened": {exectest.All(goodPhases[history.Green], exectest.Write("work_test.sh", "true\n")),
			history.SelfTested},
	} {
		t.Run(name, func(t *testing.T) {
			run := exectest.Run(t, text, nil, exectest.Script{"1.1": phased(nil, with(history.Green, tt.green))})
			if got, why := run.Report.Run.Standings().Of(run.Report.Run.Step("1.1")); got != tt.want {
				t.Errorf("it is %q (%s), want %q\n%s", got, why, tt.want, run.Report)
			}
		})
	}
}

// Work that changed nothing, and that nothing shows to be there, is none, unless
// the plan says that nothing is to change, or names the command that was run.
func TestWorkThatDidNothingFails(t *testing.T) {
	const head = "schema = 1\nprofile = \"observe\"\n[goal]\ndescription = \"Look\"\n[[tasks]]\nid = 1\n" +
		"description = \"Look\"\n[[tasks.steps]]\nid = 1\ndescription = \"Look\"\n"
	for step, want := range map[string]history.Status{
		"prompt = \"Write it\"\n":                   history.NotAchieved,
		"prompt = \"Look at it\"\nartifacts = {}\n": history.Partial,
		"run = \"true\"\n":                          history.Partial,
	} {
		run := exectest.Run(t, head+step, workspace, exectest.Script{"1.1": exectest.Nothing()})
		run.Want(t, want)
		if failed := run.Failed("1.1"); failed != nil && !strings.Contains(failed.Reasons[0], "the step did nothing") {
			t.Errorf("%q: %q", step, failed.Reasons)
		}
	}
}

// askedCheck is a check that looks whether a file contains something, and counts
// how often it is asked.
type askedCheck struct{ asked *int }

func (askedCheck) Kind() plan.CheckKind {
	return plan.CheckKind{Name: "mine", Needed: []string{"path", "text"}}
}

func (k askedCheck) Decide(ctx context.Context, pass *gate.Pass, c plan.Check) (gate.Verdict, error) {
	*k.asked++
	return pass.Decide(ctx, plan.Check{Kind: "file_contains", Path: c.Path, Text: c.Text})
}

// What the run knows of a check on a tree is not decided again: the second step
// begins with the tree on which the first one's check held, and the completion
// check is the first one's, on the tree that this began with. A check that held
// before is not asked about empty files, which could not make it tell.
func TestControlsAreKeptByCheckAndTree(t *testing.T) {
	const mine = `{ kind = "mine", path = "a.txt", text = "one" }`
	text := strings.ReplaceAll(twoSteps(), `{ kind = "file_contains", path = "a.txt", text = "one" }`, mine)
	text = strings.ReplaceAll(text, `[{ kind = "file_contains", path = "a.txt", text = "two" }]`,
		`[`+mine+`, { kind = "file_contains", path = "a.txt", text = "two" }]`) +
		"\n[completion_criteria]\nchecks = [" + mine + "]\n"
	asked := 0
	b := exectest.New(t, text, workspace, exectest.Script{
		"1.1": exectest.Write("a.txt", "one\n"), "1.2": exectest.Write("a.txt", "one\ntwo\n")})
	b.Controller.Checks = []gate.Check{askedCheck{&asked}}
	run := b.Run(t)
	run.Want(t, history.Achieved)
	// Step 1: after, before, emptied. Step 2: after. Completion: after, emptied.
	if want := 6; asked != want {
		t.Errorf("the check was decided %d times, want %d", asked, want)
	}
	second := run.Report.Run.Step("1.2").Controls()
	if c := second[0]; c.Before != history.ControlHolds || c.Emptied != "" || c.Tells() {
		t.Errorf("the first step's check says of the second one %+v", c)
	}
	if c := run.Report.Run.Controlled.Controls[0]; c.Before != history.ControlFailed || !c.Tells() {
		t.Errorf("the completion check says %+v", c)
	}
}

// TestCompilingIsNoCompletion holds that a completion check which merely has
// something compile is a condition beside others, and no completion alone.
func TestCompilingIsNoCompletion(t *testing.T) {
	const compiles, says = `{ kind = "command", run = "gofmt a.txt" }`, `{ kind = "file_contains", path = "a.txt", text = "package" }`
	for checks, want := range map[string]history.Status{
		compiles:               history.Partial,
		compiles + ", " + says: history.Achieved,
		says:                   history.Achieved,
	} {
		text := basisPlan(says) + "[completion_criteria]\nchecks = [" + checks + "]\n"
		exectest.Run(t, text, workspace, exectest.Script{"1.1": exectest.Write("a.txt", "package a\n")}).Want(t, want)
	}
}
