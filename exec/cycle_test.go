package exec_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// tddPlan has one step that writes its test first: the test is that work.go
// says "good".
var tddPlan = strings.Replace(steps("[execution]\ntest_first = true\n", "work.go\n---\ntdd = true\n"),
	`create = ["work.go"] }`, `create = ["work.go", "work_test.sh"] }`, 1) + "\n"

func tddSteps(test string) string {
	return strings.Replace(tddPlan, `postconditions = [`,
		`postconditions = [{ kind = "command", run = "`+test+`" }, `, 1)
}

// phased does something else in each phase, and notes which it was asked for.
func phased(asked *[]string, byPhase map[history.CyclePhase]exec.Func) exec.Func {
	return func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		if asked != nil {
			*asked = append(*asked, fmt.Sprintf("%d %s", w.Attempt, w.Phase))
		}
		return byPhase[w.Phase](ctx, w)
	}
}

const grep = "sh work_test.sh"

var goodPhases = map[history.CyclePhase]exec.Func{
	history.Red:      exectest.Write("work_test.sh", "grep -q good work.go\n"),
	history.Green:    exectest.Write("work.go", "package good\n"),
	history.Refactor: exectest.Write("work.go", "package good // tidy\n"),
}

func with(phase history.CyclePhase, a exec.Func) map[history.CyclePhase]exec.Func {
	all := map[history.CyclePhase]exec.Func{phase: a}
	for p, good := range goodPhases {
		if p != phase {
			all[p] = good
		}
	}
	return all
}

// cycles are the phases that ended, of all attempts of the only step.
func cycles(run *history.Run) []string {
	var list []string
	for _, a := range run.Steps[0].Attempts {
		for _, c := range a.Cycles {
			list = append(list, fmt.Sprintf("%s %s", c.Phase, c.Did))
		}
	}
	return list
}

func TestTestFirst(t *testing.T) {
	tests := map[string]struct {
		phases map[history.CyclePhase]exec.Func
		test   string
		want   history.Status
		cycles []string // of the first attempt
		file   string
		says   string
	}{
		"red green refactor": {goodPhases, grep, history.Achieved,
			[]string{"red kept", "green kept", "refactor kept"}, "package good // tidy\n", ""},
		"the test passes at once": {with(history.Red,
			exectest.All(goodPhases[history.Red], goodPhases[history.Green])), grep, history.NotAchieved,
			[]string{"red refused"}, "", "passes before anything was implemented"},
		"no test was written": {with(history.Red, exectest.Write("work.go", "package bad\n")), "grep -q good work_test.sh",
			history.NotAchieved, []string{"red refused"}, "", "no test was written"},
		"it fails for want of a folder": {goodPhases, "cd nowhere && make", history.NotAchieved,
			[]string{"red refused"}, "", "fails, but not in what was written"},
		"the implementation does not do it": {with(history.Green, exectest.Write("work.go", "package bad\n")), grep,
			history.NotAchieved,
			[]string{"red kept", "green refused"}, "", "fails after the implementation"},
		"the refactoring breaks it": {with(history.Refactor,
			exectest.All(exectest.Write("work.go", "package broken\n"), exectest.Write("junk", "j"))), grep,
			history.Achieved,
			[]string{"red kept", "green kept", "refactor reverted"}, "package good\n", ""},
		"the refactoring ends with an error": {with(history.Refactor,
			exectest.All(exectest.Write("junk", "j"), exectest.Fail("I give up"))), grep, history.Achieved,
			[]string{"red kept", "green kept", "refactor reverted"}, "package good\n", ""},
		"the executor fails in green":  {with(history.Green, exectest.Fail("no")), grep, history.NotAchieved, []string{"red kept"}, "", "no"},
		"a test that is not there":     {goodPhases, "no-such-command-anywhere", history.NotAchieved, nil, "", "not found"},
		"a test that changes the tree": {goodPhases, "echo x > made-by-test; " + grep, history.NotAchieved, nil, "", "tests must not"},
		"what was not declared is still refused": {with(history.Refactor,
			exectest.Write("other.go", "package other\n")), grep, history.NotAchieved,
			[]string{"red kept", "green kept", "refactor kept"}, "", "other.go"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			run := exectest.Run(t, tddSteps(tt.test), nil, exectest.Script{"1.1": phased(nil, tt.phases)})
			run.Want(t, tt.want)
			if got := run.Read(t, "work.go"); got != tt.file {
				t.Errorf("work.go holds %q, want %q", got, tt.file)
			}
			first := run.Report.Run.Steps[0].Attempts[0]
			var did []string
			for _, c := range first.Cycles {
				did = append(did, fmt.Sprintf("%s %s", c.Phase, c.Did))
			}
			if diff := cmp.Diff(tt.cycles, did); diff != "" {
				t.Errorf("phases (-want +got):\n%s", diff)
			}
			if tt.says != "" && (first.Failure == nil ||
				!strings.Contains(strings.Join(first.Failure.Reasons, "\n"), tt.says)) {
				t.Errorf("the failure is %+v, want one that says %q", first.Failure, tt.says)
			}
		})
	}
}

// TestTestFirstIsAsked: off unless the plan or the host asks, and never for
// prose.
func TestTestFirstIsAsked(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(string) string
		host   bool
		phases []string
	}{
		"nobody asks": {func(s string) string {
			return strings.Replace(s, "test_first = true", "test_first = false",
				1)
		}, false, []string{"1 "}},
		"the host asks": {func(s string) string {
			return strings.Replace(s, "test_first = true", "test_first = false",
				1)
		}, true, []string{"1 red", "1 green", "1 refactor"}},
		"the plan asks": {func(s string) string { return s }, false, []string{"1 red", "1 green", "1 refactor"}},
		"prose has none": {func(s string) string {
			return strings.ReplaceAll(strings.ReplaceAll(s, "work.go", "work.md"), "work_test.sh", "work.json")
		}, false, []string{"1 "}},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			all := map[history.CyclePhase]exec.Func{"": exectest.Fail("in one go")}
			for p, a := range goodPhases {
				all[p] = a
			}
			b := exectest.New(t, strings.Replace(tt.change(tddSteps(grep)), "max_retries = 2", "max_retries = 0", 1),
				nil, exectest.Script{"1.1": phased(&asked, all)})
			b.Controller.TestFirst = tt.host
			b.Run(t)
			if diff := cmp.Diff(tt.phases, asked); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestTestFirstOverTwoSteps: one step brings the test, the next sees it red
// before it makes it pass.
func TestTestFirstOverTwoSteps(t *testing.T) {
	text := strings.Replace(twoSteps(`test_intent = { behavior = "two lines", test = "grep -q two a.txt", fixed_by = "1.2" }`), "[goal]", "[execution]\ntest_first = true\ncomplexity = 3\n\n[goal]", 1)
	text = strings.ReplaceAll(text, "a.txt", "a.py")
	var asked []string
	run := exectest.Run(t, text, workspace, exectest.Script{
		"1.1": phased(&asked, map[history.CyclePhase]exec.Func{history.Red: exectest.Write("a.py", "# one\n")}),
		"1.2": phased(&asked, map[history.CyclePhase]exec.Func{
			history.Green: exectest.Write("a.py", "# one\n# two\n"), history.Refactor: exectest.Nothing()}),
	})
	if diff := cmp.Diff([]string{"1 red", "1 green", "1 refactor"}, asked); diff != "" {
		t.Errorf("phases (-want +got):\n%s\n%s", diff, run.Report)
	}
	var did []string
	for _, c := range run.Report.Run.Step("1.2").Last().Cycles {
		did = append(did, fmt.Sprintf("%s %v %s", c.Phase, c.Passed, c.Did))
	}
	if diff := cmp.Diff([]string{"red false kept", "green true kept", "refactor true kept"}, did); diff != "" {
		t.Errorf("phases of the fix (-want +got):\n%s", diff)
	}
}

// TestTestFirstAtEveryRecord cuts a cycle whose refactoring breaks after every
// record. What a phase did is not done again once it was recorded.
func TestTestFirstAtEveryRecord(t *testing.T) {
	everyCut(t, func(t *testing.T) *exectest.Bench {
		done := map[string]bool{}
		return exectest.New(t, tddSteps(grep), nil,
			exectest.Script{"1.1": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
				if w.Phase == history.Green && !done["red"] {
					return exec.Outcome{}, errors.New("green before red")
				}
				done[string(w.Phase)] = true
				return with(history.Refactor, exectest.Write("work.go", "package broken\n"))[w.Phase](ctx, w)
			}})
	}, func(t *testing.T, run *history.Run) any {
		list := cycles(run)
		if !slices.IsSortedFunc(list, func(a, b string) int { return order[a] - order[b] }) {
			t.Errorf("a phase was repeated or left out: %q", list)
		}
		return []any{run.Status, list}
	})
}

var order = map[string]int{"red kept": 1, "green kept": 2, "refactor reverted": 3}

// TestInterruptedInGreen goes on with green, from the tree that red left.
func TestInterruptedInGreen(t *testing.T) {
	ctx, stop := context.WithCancelCause(context.Background())
	var asked []string
	stopped := errors.New("enough for today")
	phases := with(history.Green, func(c context.Context, w exec.Work) (exec.Outcome, error) {
		if w.Attempt == 1 {
			stop(stopped)
			return exec.Outcome{}, context.Cause(c)
		}
		if _, err := os.Stat(filepath.Join(w.Dir, "work_test.sh")); err != nil {
			return exec.Outcome{}, fmt.Errorf("the test that red wrote is gone: %w", err)
		}
		return goodPhases[history.Green](c, w)
	})
	b := exectest.New(t, tddSteps(grep), nil, exectest.Script{"1.1": phased(&asked, phases)})
	locked := b.Lock(t)
	base := b.Tree(t).Digest()
	report, err := b.Controller.Run(ctx, locked)
	if !errors.Is(err, stopped) {
		t.Fatalf("Run returned %v", err)
	}
	if b.Tree(t).Digest() != base {
		t.Error("the tree is not what it was before the step")
	}
	report, err = b.Controller.Resume(context.Background(), locked, report.Run.Started.Run)
	if err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
	if diff := cmp.Diff([]string{"1 red", "1 green", "2 green", "2 refactor"}, asked); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := report.Run.Steps[0].Last().Method.Phase; got != history.Green {
		t.Errorf("the second attempt begins with %q, want green", got)
	}
}
