package exec_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// steps is a plan of single steps, each of which may create one file, its name;
// head comes before the first table, and a step may bring more lines.
func steps(head string, list ...string) string {
	text := `schema = 1
requirements = [{ id = "R1", text = "files" }]
non_goals = []
invariants = []
` + head + `
[meta]
goal_descriptor = "flow"

[goal]
description = "Write files"

[defaults]
executor = "script"
requirements = ["R1"]
rollback = "reversible"
on_failure = "retry"
max_retries = 2
semantic_change = "extending"
limits = { max_files = 20, max_lines = 100 }
`
	for i, lines := range list {
		name, rest, _ := strings.Cut(lines, "\n")
		task, rest, found := strings.Cut(rest, "---\n")
		if !found {
			task, rest = "", task
		}
		text += fmt.Sprintf("\n[[tasks]]\nid = %d\ndescription = \"Task %d\"\n%s\n[[tasks.steps]]\nid = 1\ndescription = \"Write %s\"\nrun = \"true\"\nartifacts = { create = [%q] }\npostconditions = [{ kind = \"file_contains\", path = %q, matches = \".\" }]\n%s\n",
			i+1, i+1, task, name, name, name, rest)
	}
	return text
}

// spending writes a file and reports tokens.
func spending(name string, tokens int64) exec.Func {
	return func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		out, err := exectest.Write(name, name+"\n")(ctx, w)
		out.Usage = exec.Usage{InputTokens: tokens - tokens/3, OutputTokens: tokens / 3}
		return out, err
	}
}

// TestTokenBudget lets a first step use so many of 100 tokens.
func TestTokenBudget(t *testing.T) {
	for tokens, want := range map[int64]struct {
		levels   string
		compress bool
		handoff  bool
	}{69: {}, 70: {"warn", true, false}, 79: {"warn", true, false}, 80: {"handoff", false, true}} {
		t.Run(fmt.Sprint(tokens), func(t *testing.T) {
			compress := false
			b := exectest.New(t, steps("", "a", "b"), nil, exectest.Script{
				"1.1": spending("a", tokens),
				"2.1": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
					compress = w.Compress
					return exectest.Write("b", "b\n")(ctx, w)
				},
			})
			b.Controller.TokenBudget = 100
			run := b.Run(t)
			var levels []string
			for _, x := range run.Report.Run.Flow.Budgets {
				level, _, _ := strings.Cut(x.String(), ":")
				levels = append(levels, level)
			}
			if got := strings.Join(levels, " "); got != want.levels || compress != want.compress {
				t.Errorf("levels %q, compress %v; want %q, %v", got, compress, want.levels, want.compress)
			}
			if got := errors.Is(run.Err, exec.ErrHandoff); got != want.handoff || got &&
				!errors.Is(run.Err, exec.ErrWaiting) {
				t.Errorf("Run returned %v", run.Err)
			}
		})
	}
}

// TestHandoff uses the budget up in every session, and resumes until the run is
// over.
func TestHandoff(t *testing.T) {
	text := steps("[execution]\ntoken_budget = 100\n", "a", "b", "c")
	b := exectest.New(t, text, nil, exectest.Script{"1.1": spending("a", 90), "2.1": spending("b", 79),
		"3.1": spending("c", 500)})
	locked := b.Lock(t)
	report, err := b.Controller.Run(context.Background(), locked)
	if !errors.Is(err, exec.ErrHandoff) || report.Status() != history.Waiting || report.Run.Paused == nil ||
		report.Run.Paused.Why != "handoff" {
		t.Fatalf("the first session ended %q: %v", report.Status(), err)
	}
	if next := report.Next(); len(next) == 0 || !next[0].Automatic || next[0].Kind != action.Resume ||
		next[0].Run == "" {
		t.Errorf("after a handoff: %+v", next)
	}
	// 79 of a fresh 100 is no reason to stop; what the last step uses is none
	// either.
	report, err = b.Controller.Resume(context.Background(), locked, report.Run.Started.Run)
	if err != nil {
		t.Fatal(err)
	}
	f := report.Run.Flow
	if f.Session != 2 || f.Tokens != 90+79+500 || f.Used != 79+500 {
		t.Errorf("session %d, %d tokens in all, %d of this session", f.Session, f.Tokens, f.Used)
	}
}

func TestStrategyIsChosenAndRecorded(t *testing.T) {
	for name, tt := range map[string]struct {
		head  string
		asked history.Strategy
		want  history.Strategy
		over  int // phases that ended
	}{
		"simple":              {"", "", history.Direct, 0},
		"the plan says 3":     {"[execution]\ncomplexity = 3\n", "", history.Orchestrated, 2},
		"the plan says 2":     {"[execution]\ncomplexity = 2\n", "", history.Direct, 0},
		"the plan says which": {"[execution]\nstrategy = \"orchestrated\"\n", "", history.Orchestrated, 2},
		"the host says which": {"[execution]\nstrategy = \"orchestrated\"\n", history.Direct, history.Direct, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, steps(tt.head, "a", "b"), nil,
				exectest.Script{"1.1": spending("a", 0), "2.1": spending("b", 0)})
			b.Controller.Strategy = tt.asked
			run := b.Run(t)
			run.Want(t, history.Achieved)
			f := run.Report.Run.Flow
			if f.Strategy.Strategy != tt.want || len(f.Phases) != tt.over ||
				f.Strategy.Checkpoint != run.Report.Run.Started.Base {
				t.Errorf("%s with %d phases over, want %s with %d", f.Strategy.Strategy, len(f.Phases), tt.want,
					tt.over)
			}
			if tt.over > 0 && f.Phases[tt.over-1].Checkpoint != run.Report.Run.Tree {
				t.Error("the last phase's checkpoint is not the tree that the run left")
			}
		})
	}
}

// hard does a first step that touches four files, after it failed so many
// times.
func hard(failures int) exectest.Script {
	work := exectest.All(exectest.Write("a/1", "1\n"), exectest.Write("a/2", "2\n"), exectest.Write("a/3", "3\n"),
		exectest.Write("a/4", "4\n"))
	return exectest.Script{"2.1": spending("b", 0),
		"1.1": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			if strings.Count(strings.Join(w.Feedback, "\n"), "not yet") < failures {
				return exec.Outcome{}, errors.New("not yet")
			}
			return work(ctx, w)
		}}
}

var hardPlan = strings.Replace(steps("[execution]\ncomplexity = 1\n", "a/*", "b"), `path = "a/*"`, `path = "a/1"`, 1)

// TestSwitchOfStrategy: four files and one failure are one level harder than
// planned, four files and two failures are two.
func TestSwitchOfStrategy(t *testing.T) {
	for failures, want := range map[int]history.Strategy{1: history.Direct, 2: history.Orchestrated} {
		run := exectest.Run(t, hardPlan, nil, hard(failures))
		run.Want(t, history.Achieved)
		f := run.Report.Run.Flow
		if f.Strategy.Strategy != want {
			t.Errorf("%d failures: %s (%s)", failures, f.Strategy.Strategy, f.Strategy.Why)
		}
		if want == history.Orchestrated && (len(f.Switched) != 1 || f.Strategy.From != history.Direct ||
			f.Strategy.Planned != 1 || f.Strategy.Measures.Errors != 2) {
			t.Errorf("switched %+v, now %+v", f.Switched, f.Strategy)
		}
	}
}

func TestTasksEnd(t *testing.T) {
	text := steps("[error_propagation]\npropagation_strategy = \"continue_and_log\"\n", "a", "b\ndepends_on = [1]\n---\n", "c\n---\ncritical_flag = false\n", "d")
	run := exectest.Run(t, text, nil, exectest.Script{"1.1": exectest.Fail("no"), "3.1": exectest.Fail("no"),
		"4.1": spending("d", 0)})
	run.Want(t, history.Partial)
	got := map[string]history.StepStatus{}
	for _, over := range run.Report.Run.Flow.Tasks {
		got[over.Task] = over.Status
		if !over.Holds() {
			t.Errorf("task %s: %+v", over.Task, over.Checks)
		}
		if over.Status == history.Blocked && len(over.Unblock) != 3 {
			t.Errorf("task %s has the ways out %q", over.Task, over.Unblock)
		}
	}
	want := map[string]history.StepStatus{"1": history.Failed, "2": history.Blocked, "3": history.Failed,
		"4": history.Completed}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTasksOfAHaltedRun(t *testing.T) {
	run := exectest.Run(t, steps("", "a", "b"), nil, exectest.Script{"1.1": exectest.Fail("no")})
	run.Want(t, history.NotAchieved)
	tasks := run.Report.Run.Flow.Tasks
	if len(tasks) != 2 || tasks[1].Status != history.Skipped ||
		!strings.Contains(tasks[1].Reason, "halted by step 1.1") {
		t.Errorf("got %+v", tasks)
	}
	if next := run.Report.Next(); len(next) != 4 || next[0].Kind != action.Log || next[0].Step != "1.1" {
		t.Errorf("what to do next: %+v", next)
	}
}

// TestUrgentTasksFirst runs pending actions by priority.
func TestUrgentTasksFirst(t *testing.T) {
	text := steps("", "a\npriority = \"LOW\"\n---\n", "b\npriority = \"HIGH\"\n---\n")
	var record exectest.Record
	b := exectest.New(t, text, nil, record.Of(exectest.Script{"1.1": spending("a", 0), "2.1": spending("b", 0)}))
	b.Draft.Format = plan.PendingActions
	b.Run(t)
	if diff := cmp.Diff([]string{"2.1#1 primary", "1.1#1 primary"}, record.Attempts()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// everyCut runs a plan, cut after every number of appends to its journal, and
// resumed until it is over. All that happened before the cut must be counted
// once: end compares the whole.
func everyCut(t *testing.T, setUp func(t *testing.T) *exectest.Bench, end func(t *testing.T, run *history.Run) any) {
	t.Helper()
	whole := setUp(t)
	want := end(t, finish(t, whole, whole.Lock(t), nil))
	tree := whole.Tree(t).Digest()
	for cut := 1; ; cut += stride() {
		b := setUp(t)
		log := &cutLog{MemoryLog: &checkpoint.MemoryLog{}, left: cut}
		earlier, err := (exec.Workspace{Dir: b.Dir}).IDs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b.Controller.Runs = exectest.Logs(b.Controller.Dir, func(ctx context.Context, run string) (checkpoint.Log, error) {
			if slices.Contains(earlier, run) {
				return filelog.Open(ctx, filepath.Join((exec.Workspace{Dir: b.Dir}).RunDir(run), "journal"))
			}
			return log, nil
		})
		if len(earlier) == 0 {
			b.Controller.Blobs = &checkpoint.Memory{} // it outlives the controller, as a folder would
		}
		locked := b.Lock(t)
		over := true
		run := finish(t, b, locked, func(err error) bool {
			if !errors.Is(err, errCut) {
				return false
			}
			over = false
			log.MemoryLog, log.left = log.MemoryLog.Reopen(), 1<<30
			return true
		})
		if got := b.Tree(t).Digest(); got != tree {
			t.Errorf("cut %d: the tree is %s, undisturbed it is %s", cut, got.Short(), tree.Short())
		}
		if diff := cmp.Diff(want, end(t, run)); diff != "" {
			t.Errorf("cut %d: (-undisturbed +resumed):\n%s", cut, diff)
		}
		if over {
			if cut < 10 {
				t.Fatalf("the run was over after %d appends: nothing was cut", cut)
			}
			return
		}
	}
}

// finish runs a plan and resumes it until it is over. again says whether an
// error is one after which that is to be done.
func finish(t *testing.T, b *exectest.Bench, locked *plan.Locked, again func(error) bool) *history.Run {
	t.Helper()
	report, err := b.Controller.Run(context.Background(), locked)
	for n := 0; err != nil; n++ {
		var outcome *exec.OutcomeError
		if errors.As(err, &outcome) {
			break
		}
		if n > 10 || !errors.Is(err, exec.ErrHandoff) && (again == nil || !again(err)) {
			t.Fatalf("the run stopped: %v\n%s", err, report)
		}
		report, err = b.Controller.Resume(context.Background(), locked, report.Run.Started.Run)
	}
	return report.Run
}

// TestFlowAtEveryRecord cuts a run with a switch of strategy, phases, tasks and
// two handoffs after every record.
func TestFlowAtEveryRecord(t *testing.T) {
	script := hard(2)
	script["2.1"] = spending("b", 85)
	script["3.1"] = spending("c", 90)
	script["4.1"] = spending("d", 1)
	text := strings.Replace(steps("[execution]\ntoken_budget = 100\ncomplexity = 1\n", "a/*", "b", "c", "d"), `path = "a/*"`, `path = "a/1"`, 1)
	everyCut(t, func(t *testing.T) *exectest.Bench { return exectest.New(t, text, nil, script) },
		func(t *testing.T, run *history.Run) any {
			var budgets, phases, tasks []string
			for _, b := range run.Flow.Budgets {
				budgets = append(budgets, fmt.Sprintf("%t %d/%d in session %d, next %s", b.Handoff, b.Used, b.Limit,
					b.Session, b.Next))
			}
			for _, p := range run.Flow.Phases {
				phases = append(phases, fmt.Sprintf("%s %d/%d", p.Phase, p.Number, p.Of))
			}
			for _, over := range run.Flow.Tasks {
				tasks = append(tasks, fmt.Sprintf("%s %s %v", over.Task, over.Status, over.Holds()))
			}
			return []any{run.Status, run.Flow.Strategy.Strategy, len(run.Flow.Switched), budgets, phases, tasks}
		})
}
