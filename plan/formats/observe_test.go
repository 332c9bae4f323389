package formats_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"path"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan"
)

// writer carries out any step of a plan: it writes a file of its own and all
// files that some sample asks for or, where the plan names what a step may change,
// these.
func writer(p *plan.Plan) exec.Executor {
	return exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		var actions []exec.Func
		for _, name := range written(p, w.Task, w.Step) {
			actions = append(actions, exectest.Write(name, parsed(name, "done by "+string(w.Step.Address))))
		}
		return exectest.All(actions...)(ctx, w)
	})
}

// parsed is a text as a file of its kind has it, so that no parser that is there
// refuses it.
func parsed(name, text string) string {
	switch path.Ext(name) {
	case ".ts", ".tsx", ".js", ".jsx", ".cjs", ".mjs", ".mts", ".cts", ".rs", ".java", ".cs", ".c", ".cc", ".cpp", ".h", ".hpp":
		return "// " + text + "\n"
	case ".py", ".sh", ".toml", ".yaml", ".yml":
		return "# " + text + "\n"
	case ".go":
		return "// Package x is " + text + ".\npackage x\n"
	case ".json":
		return strconv.Quote(text) + "\n"
	}
	return text + "\n"
}

// written are the files that the writer leaves in a step.
func written(p *plan.Plan, t *plan.Task, s *plan.Step) []string {
	if p.Profile == plan.Scoped && t.Within(s) != nil {
		return t.Within(s)
	}
	return []string{path.Join("out", string(s.Address)+".txt"), "store.txt", "README.txt", "search.txt"}
}

// observe runs a draft in a new workspace with one executor for all steps.
func observe(t testing.TB, d *plan.Draft, x exec.Executor) *exectest.Result {
	t.Helper()
	b := &exectest.Bench{Dir: t.TempDir(), Draft: d}
	b.Controller = &exec.Controller{Dir: b.Dir, Gates: builtin.Gates(), Executors: exec.Default(x), Escalator: willing{}}
	return b.Run(t)
}

// willing has every step carried out before which a person is asked, and answers
// nothing else.
type willing struct{}

func (willing) Ask(_ context.Context, q ask.Question) (ask.Answer, error) {
	if q.Kind != ask.Confirmation {
		return ask.Answer{}, ask.ErrNoAnswer
	}
	return ask.Answer{Question: q.ID, Run: q.Run, Attempt: q.Attempt, Choice: "y", By: "a test", At: q.Asked}, nil
}

// TestObserveRuns carries out a plan of each format to its end, though no step
// declares anything.
func TestObserveRuns(t *testing.T) {
	for name, s := range samples() {
		if !s.clean {
			continue
		}
		t.Run(name, func(t *testing.T) {
			d := mustRead(t, put(t, s.files))
			run := observe(t, d, writer(&d.Plan))
			run.Want(t, history.Partial) // nobody looks at what it wrote
			for _, step := range run.Report.Run.Steps {
				if step.Status != history.Completed {
					t.Errorf("step %s is %s", step.Address, step.Status)
				}
				task, of, _ := d.Plan.Step(step.Address)
				for _, name := range written(&d.Plan, task, of) {
					if got := run.Read(t, name); !strings.HasPrefix(got, "done by ") {
						t.Errorf("step %s left %q in %s", step.Address, got, name)
					}
				}
			}
			readProgress(t, run, d)
			text, err := drawn(document.Declarations, run.Report)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range d.Plan.Graph().Order {
				task, of, _ := d.Plan.Step(a)
				if first := written(&d.Plan, task, of)[0]; d.Plan.Profile == plan.Observe && !strings.Contains(string(text), first) {
					t.Errorf("what step %s wrote is not declared: %s\n%s", a, first, text)
				}
			}
		})
	}
}

// A log is a progress log as far as readers of the original format look into
// it.
type log struct {
	RunID      string `json:"run_id"`
	Descriptor string `json:"descriptor"`
	Goal       string `json:"goal"`
	StartTime  string `json:"start_time"`
	EndTime    string `json:"end_time"`
	Status     string `json:"status"`
	Mode       string `json:"execution_mode"`
	Complete   bool   `json:"run_complete"`
	Tasks      []struct {
		TaskID    string `json:"task_id"`
		Name      string `json:"name"`
		Status    string `json:"status"`
		Completed int    `json:"steps_completed"`
		Total     int    `json:"steps_total"`
		Steps     []struct {
			StepID  string   `json:"step_id"`
			Status  string   `json:"status"`
			Method  string   `json:"method_used"`
			Backups []string `json:"backup_attempts"`
		} `json:"steps"`
	} `json:"tasks"`
}

// readProgress reads the progress log of a run as a program would that knows
// the original format.
func readProgress(t *testing.T, run *exectest.Result, d *plan.Draft) {
	t.Helper()
	text, err := drawn(document.Progress, run.Report)
	if err != nil {
		t.Fatal(err)
	}
	var l log
	if err := json.Unmarshal(text, &l); err != nil {
		t.Fatal(err)
	}
	if l.RunID == "" || l.StartTime == "" || l.EndTime == "" || l.Mode == "" || !l.Complete ||
		l.Status != "partially_complete" || l.Goal != d.Plan.Goal || l.Descriptor != cmp.Or(d.Plan.Meta.Name, "plan") {
		t.Errorf("the head of the progress log: %+v", l)
	}
	var want, got []string
	for _, task := range d.Plan.Tasks {
		want = append(want, task.ID)
		for _, s := range task.Steps {
			want = append(want, task.ID+" "+s.ID)
		}
	}
	for _, task := range l.Tasks {
		got = append(got, task.TaskID)
		if task.Status != "completed" || task.Completed != len(task.Steps) || task.Total != len(task.Steps) ||
			task.Name == "" {
			t.Errorf("task %s: %+v", task.TaskID, task)
		}
		for _, s := range task.Steps {
			got = append(got, task.TaskID+" "+s.StepID)
			if s.Status != "completed" || s.Method != "primary" || s.Backups == nil {
				t.Errorf("step %s of task %s: %+v", s.StepID, task.TaskID, s)
			}
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("tasks and steps of the log: %s", diff)
	}
}

// TestObserveUsesBackups fails the first way of a SPEC's step.
func TestObserveUsesBackups(t *testing.T) {
	d := mustRead(t, put(t, samples()["spec pair"].files))
	record := &exectest.Record{}
	x := record.Of(exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		if w.Step.Address == "1.1" && w.Method.ID == "primary" {
			return exectest.Fail("no")(ctx, w)
		}
		return writer(&d.Plan).Execute(ctx, w)
	}))
	run := observe(t, d, x)
	run.Want(t, history.Partial) // nobody looks at what it wrote
	if diff := gocmp.Diff([]string{"1.1#1 primary", "1.1#2 backup_1", "1.2#1 primary"}, record.Attempts()); diff != "" {
		t.Error(diff)
	}
}

// drawn is a document of a run.
func drawn(draw func(io.Writer, *document.Model) error, report *exec.Report) ([]byte, error) {
	model, err := document.New(report.Plan, report.Run, nil)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = draw(&b, model)
	return b.Bytes(), err
}
