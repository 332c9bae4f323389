package exec_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/document/html"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// sideBySide is a plan of so many tasks of one step, each in a speclet that may
// run beside the others; step N.1 creates oN.
func sideBySide(n int, head string) string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("o%d", i+1))
	}
	text := steps(fmt.Sprintf("[execution]\njobs = %d\n%s", n, head), names...)
	text = strings.Replace(text, "executor = \"script\"\n", "", 1)
	for i := range n {
		text += fmt.Sprintf("\n[[speclets]]\nid = \"l%d\"\ntasks = [%d]\nparallel_allowed = true\n", i+1, i+1)
	}
	return text
}

// own is the file that a step of sideBySide makes.
func own(w exec.Work) string { return "o" + strings.TrimSuffix(string(w.Step.Address), ".1") }

// put writes a file where a step works.
func put(w exec.Work, name, text string) error {
	return os.WriteFile(filepath.Join(w.Dir, name), []byte(text), 0o644)
}

// meeting is an executor of which so many calls wait for each other before they
// do anything, each for its first attempt.
func meeting(n int, do func(exec.Work) error) exec.Func {
	var all sync.WaitGroup
	all.Add(n)
	return func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		if w.Attempt == 1 {
			all.Done()
			all.Wait()
		}
		return exec.Outcome{}, do(w)
	}
}

func TestIndependentStepsRunAtOnce(t *testing.T) {
	var mu sync.Mutex
	dirs := map[string]bool{}
	b := exectest.New(t, sideBySide(3, ""), nil, meeting(3, func(w exec.Work) error {
		mu.Lock()
		defer mu.Unlock()
		dirs[w.Dir] = true
		return put(w, own(w), own(w))
	}))
	r := b.Run(t)
	r.Want(t, history.Achieved)
	if len(dirs) != 3 {
		t.Errorf("three steps at once worked in %d folders", len(dirs))
	}
	for _, name := range []string{"o1", "o2", "o3"} {
		if r.Read(t, name) != name {
			t.Errorf("%s is %q", name, r.Read(t, name))
		}
	}
	run := r.Report.Run
	if len(run.Groups) != 1 || len(run.Groups[0].Steps) != 3 {
		t.Fatalf("groups: %+v", run.Groups)
	}
	model, err := document.New(&b.Draft.Plan, run, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, draw := range []func(io.Writer, *document.Model) error{document.Text, document.Markdown, document.JSON, html.Page().Draw} {
		var drawn strings.Builder
		must(t, draw(&drawn, model))
		if text := drawn.String(); !strings.Contains(text, "at once: 1.1, 2.1, 3.1") && !strings.Contains(text, "\"groups\"") {
			t.Errorf("a report does not name the steps that ran at once:\n%s", text)
		}
	}
	before := run.Started.Base
	for _, s := range run.Steps {
		if s.Checkpoint.Checkpoint != before {
			t.Errorf("step %s was joined onto %v, and %v was accepted before", s.Address, s.Checkpoint.Checkpoint, before)
		}
		if got := s.Last().Accounted.Changes; len(got) != 1 {
			t.Errorf("step %s is accounted for %v", s.Address, got)
		}
		before = s.Completed.Snapshot
	}
	if _, err := os.Stat(filepath.Join(b.Dir, exec.Own, "runs", run.Started.Run, "lanes")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lanes are left: %v", err)
	}
}

// named is an executor that has a name.
type named struct {
	exec.Executor
	name string
}

func (x named) Name() string { return x.name }

// How many steps run at once where neither the host nor the plan says it.
func TestJobsThatNobodyNames(t *testing.T) {
	writes := exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
		return exec.Outcome{}, put(w, own(w), own(w))
	})
	shell, agent := named{writes, "shell"}, named{writes, "agent"}
	processors := min(runtime.NumCPU(), plan.MaxJobs)
	for name, c := range map[string]struct {
		executors exec.Executors
		edit      []string // pairs of what is in the plan and what is to be
		jobs      int
		want      int
	}{
		"commands":                 {executors: exec.Default(shell), want: processors},
		"agents":                   {executors: exec.Default(agent), want: 4},
		"the host says it":         {executors: exec.Default(agent), jobs: 3, want: 3},
		"an agent among commands":  {executors: exec.Executors{"": shell, "agent": agent}, edit: []string{"\"Write o1\"\n", "\"Write o1\"\nexecutor = \"agent\"\n"}, want: 4},
		"an agent that runs alone": {executors: exec.Executors{"": shell, "agent": agent}, edit: []string{"\"Write o1\"\n", "\"Write o1\"\nexecutor = \"agent\"\n", "parallel_allowed = true", "parallel_allowed = false"}, want: processors},
		"nothing may":              {executors: exec.Default(agent), edit: []string{"parallel_allowed = true", "", "parallel_allowed = true", "", "parallel_allowed = true", ""}, want: 0},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(sideBySide(3, ""), "jobs = 3\n", "", 1)
			for i := 0; i < len(c.edit); i += 2 {
				if !strings.Contains(text, c.edit[i]) {
					t.Fatalf("%q is not in the plan:\n%s", c.edit[i], text)
				}
				text = strings.Replace(text, c.edit[i], c.edit[i+1], 1)
			}
			b := exectest.New(t, text, nil, writes)
			b.Controller.Executors, b.Controller.Jobs = c.executors, c.jobs
			r := b.Run(t)
			r.Want(t, history.Achieved)
			if got := r.Report.Run.Policy.Jobs; got != c.want {
				t.Errorf("%d jobs, want %d", got, c.want)
			}
		})
	}
}

func TestStepsThatMeetRunOneAfterAnother(t *testing.T) {
	shares := func(w exec.Work) error {
		if w.Attempt == 1 {
			if err := put(w, "shared", own(w)); err != nil {
				return err
			}
		}
		return put(w, own(w), own(w))
	}
	for name, c := range map[string]struct {
		head   string
		answer map[ask.Kind]string
		asked  int
	}{
		"by the plan": {head: "on_conflict = \"sequential\"", answer: map[ask.Kind]string{}},
		"by a person": {answer: map[ask.Kind]string{ask.Overlap: "r"}, asked: 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, sideBySide(2, c.head), nil, meeting(2, shares))
			answers := deaf(t, c.answer)
			b.Controller.Escalator, b.Controller.Mode = answers.Controller.Escalator, plan.Dynamic
			r := b.Run(t)
			r.Want(t, history.Achieved)
			asked := 0
			for _, s := range r.Report.Run.Steps {
				if len(s.Attempts) != 2 || s.Attempts[0].Failure == nil || s.Attempts[0].Failure.Class != history.Met ||
					len(s.Recoveries) != 0 {
					t.Errorf("step %s: %d attempts, %+v", s.Address, len(s.Attempts), s.Attempts[0].Failure)
				}
				if reasons := strings.Join(s.Attempts[0].Failure.Reasons, "\n"); !strings.Contains(reasons, "shared") {
					t.Errorf("the reason does not name the path: %s", reasons)
				}
				asked += len(s.Questions)
			}
			if _, err := os.Stat(filepath.Join(b.Dir, "shared")); err == nil || asked != c.asked {
				t.Errorf("shared was delivered (%v), or %d questions", err, asked)
			}
		})
	}
}

func TestALaneThatFailsLeavesTheOthers(t *testing.T) {
	b := exectest.New(t, sideBySide(3, ""), nil, meeting(3, func(w exec.Work) error {
		if own(w) == "o1" && w.Attempt == 1 {
			return errors.New("the ground is soft")
		}
		return put(w, own(w), own(w))
	}))
	r := b.Run(t)
	run := r.Report.Run
	var done []plan.Address
	for _, s := range run.Concluded() {
		if s.Completed != nil {
			done = append(done, s.Address)
		}
	}
	if len(done) < 2 || !slices.Equal(done[:2], []plan.Address{"2.1", "3.1"}) {
		t.Fatalf("completed: %v (%v)", done, run.Steps[0].Failed)
	}
	if _, err := os.Stat(filepath.Join(b.Dir, "o3")); err != nil {
		t.Error(err)
	}
}

func TestASetBackTakesTheWholeGroup(t *testing.T) {
	b := exectest.New(t, sideBySide(3, ""), nil, meeting(3, func(w exec.Work) error { return put(w, own(w), own(w)) }))
	run := b.Run(t).Report.Run
	back, to, _ := run.SetBack(run.Step("2.1"))
	if len(back) != 3 || to != run.Started.Base {
		t.Errorf("set back are %d steps, to %v", len(back), to)
	}
}

func TestAStopEndsAllLanes(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var all sync.WaitGroup
	all.Add(2)
	b := exectest.New(t, sideBySide(2, ""), nil, exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		if w.Attempt > 1 {
			return exec.Outcome{}, put(w, own(w), own(w))
		}
		all.Done()
		all.Wait()
		stop()
		<-ctx.Done()
		return exec.Outcome{}, context.Cause(ctx)
	}))
	locked := b.Lock(t)
	report, err := b.Controller.Run(ctx, locked)
	if err == nil || report.Run.Unjudged() != nil {
		t.Fatalf("stopped: %v, %v", err, report.Run.Unjudged())
	}
	report, err = b.Controller.Resume(context.Background(), locked, report.Run.Started.Run)
	if err != nil || report.Run.Status != history.Achieved || len(report.Run.Groups) != 2 {
		t.Fatalf("resumed: %v, %s, %d groups", err, report.Run.Status, len(report.Run.Groups))
	}
}

// TestLanesAfterEveryRecord ends the controller behind each record of a run
// with a group, and goes on.
func TestLanesAfterEveryRecord(t *testing.T) {
	afterEveryRecord(t, history.Achieved, func(t *testing.T) *exectest.Bench {
		return exectest.New(t, sideBySide(3, ""), nil, exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
			return exec.Outcome{}, put(w, own(w), own(w))
		}))
	}, func(t *testing.T, r *exec.Report) {
		for _, s := range r.Run.Steps {
			if s.Status != history.Completed || len(s.Recoveries) != 0 {
				t.Errorf("step %s is %s, with %d retries", s.Address, s.Status, len(s.Recoveries))
			}
		}
	})
}

// inSpeclets lets all tasks of running run at once.
func inSpeclets(n int) (text string) {
	for i := range n {
		text += fmt.Sprintf("\n[[speclets]]\nid = \"l%d\"\ntasks = [%d]\nparallel_allowed = true\n", i+1, i+1)
	}
	return text
}
