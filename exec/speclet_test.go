package exec_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/plan"
)

// groups is a plan of three speclets: left and right need foundation, and each
// has one step.
func groups(t *testing.T, critical bool, script exectest.Script) *exectest.Bench {
	head := "[execution]\ncomplexity = 3\n[error_propagation]\npropagation_strategy = \"continue_and_log\"\n"
	first := "a"
	if !critical {
		first = "a\n---\ncritical_flag = false\n"
	}
	text := steps(head, first, "b", "c", "d") + `
[[speclets]]
id = "foundation"
tasks = [1]

[[speclets]]
id = "left"
tasks = [2]
depends_on = ["foundation"]
parallel_allowed = true

[[speclets]]
id = "right"
tasks = [3]
depends_on = ["foundation"]
parallel_allowed = true

[[speclets]]
id = "alone"
tasks = [4]
`
	b := exectest.New(t, text, nil, script)
	b.Controller.Mode = plan.Dynamic
	return b
}

// failingOnce fails the three attempts that a step has before a person is
// asked, and works when the run was set back.
func failingOnce(name string, times int) exec.Func {
	return func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		if w.Attempt <= times {
			return exec.Outcome{}, fmt.Errorf("the ground is soft")
		}
		return exectest.Write(name, name+"\n")(ctx, w)
	}
}

// stages answers what is asked about steps with ErrNoAnswer, and about stages
// by choice.
type stages struct {
	choices []string
	asked   []ask.Question
}

func (p *stages) Ask(_ context.Context, q ask.Question) (ask.Answer, error) {
	if q.Kind != ask.Stage || len(p.choices) == 0 {
		return ask.Answer{}, ask.ErrNoAnswer
	}
	p.asked = append(p.asked, q)
	a := answer(q, p.choices[0])
	p.choices = p.choices[1:]
	return a, nil
}

func specletsOf(b *exectest.Bench, run *history.Run) string {
	var list []string
	for _, s := range flow.Speclets(&b.Draft.Plan, run) {
		list = append(list, s.ID+" "+s.Status)
	}
	return strings.Join(list, ", ")
}

// TestAStageThatFails: scenario A, in which a speclet that others need fails,
// with each answer; B is the branch that goes on.
func TestAStageThatFails(t *testing.T) {
	tests := map[string]struct {
		choices []string
		mode    plan.Mode
		status  history.Status
		want    string
		asked   int
	}{
		"try once more":               {[]string{"r"}, "", history.Achieved, "foundation completed, left completed, right completed, alone completed", 1},
		"go on without what needs it": {[]string{"g"}, "", history.Partial, "foundation failed, left blocked, right blocked, alone completed", 1},
		"stop":                        {[]string{"s"}, "", history.Waiting, "foundation failed, left blocked, right blocked, alone not_started", 1},
		"give up":                     {[]string{"x"}, "", history.NotAchieved, "foundation failed, left failed, right blocked, alone not_started", 1},
		"nobody answers":              {nil, "", history.Partial, "foundation failed, left blocked, right blocked, alone completed", 0},
		"nobody is asked in silence":  {[]string{"r"}, plan.Silent, history.Partial, "foundation failed, left blocked, right blocked, alone completed", 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := groups(t, true, exectest.Script{"1.1": failingOnce("a", 3), "2.1": spending("b", 0), "3.1": spending("c", 0), "4.1": spending("d", 0)})
			who := &stages{choices: tt.choices}
			b.Controller.Escalator = who
			if tt.mode != "" {
				b.Controller.Mode = tt.mode
			}
			run := b.Run(t)
			run.Want(t, tt.status)
			if diff := cmp.Diff(tt.want, specletsOf(b, run.Report.Run)); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, run.Report)
			}
			if len(who.asked) != tt.asked {
				t.Errorf("asked %d times, want %d", len(who.asked), tt.asked)
			}
		})
	}
}

// TestASpecletThatNobodyNeedsFails is scenario B: the others are carried out.
func TestASpecletThatNobodyNeedsFails(t *testing.T) {
	b := groups(t, true, exectest.Script{"1.1": spending("a", 0), "2.1": exectest.Fail("no"), "3.1": spending("c", 0), "4.1": spending("d", 0)})
	b.Controller.Escalator = &stages{}
	run := b.Run(t)
	run.Want(t, history.Partial)
	if got, want := specletsOf(b, run.Report.Run), "foundation completed, left failed, right completed, alone completed"; got != want {
		t.Errorf("it ended %s, want %s", got, want)
	}
}

// TestAStageIsAskedAboutOnce: whoever is asked about the step that failed settles
// what becomes of the speclets that need its own, and is not asked again, also in
// the mode that asks about each step that is blocked.
func TestAStageIsAskedAboutOnce(t *testing.T) {
	b := groups(t, true, exectest.Script{"1.1": exectest.Fail("no"), "2.1": spending("b", 0),
		"3.1": spending("c", 0), "4.1": spending("d", 0)})
	b.Controller.Mode = plan.Collaborative
	who := &person{choices: []string{"w"}}
	b.Controller.Escalator = who
	run := b.Run(t)
	run.Want(t, history.Partial)
	if got, want := specletsOf(b, run.Report.Run), "foundation failed, left blocked, right blocked, alone completed"; got != want {
		t.Errorf("it ended %s, want %s", got, want)
	}
	if len(who.asked) != 1 {
		t.Fatalf("asked %d times", len(who.asked))
	}
	choice, _ := who.asked[0].Choice("w")
	if want := "what needs speclet foundation (left, right)"; !strings.Contains(choice.Consequence, want) {
		t.Errorf("the consequence is %q, and does not say %q", choice.Consequence, want)
	}
}

// TestAFailureThatIsNotCritical is scenario C: all speclets go on, and the end
// is partial.
func TestAFailureThatIsNotCritical(t *testing.T) {
	b := groups(t, false, exectest.Script{"1.1": exectest.Fail("no"), "2.1": spending("b", 0),
		"3.1": spending("c", 0), "4.1": spending("d", 0)})
	b.Controller.Preset = "spec"
	who := &stages{choices: []string{"r"}}
	b.Controller.Escalator = who
	run := b.Run(t)
	run.Want(t, history.Partial)
	if len(who.asked) != 0 {
		t.Errorf("asked %+v", who.asked)
	}
	for _, a := range []plan.Address{"2.1", "3.1", "4.1"} {
		if s := run.Report.Run.Step(a); s.Status != history.Completed {
			t.Errorf("step %s is %s", a, s.Status)
		}
	}
}

// TestStagesAtEveryRecord cuts a run in which a stage is tried once more, and
// one that goes on without what needs it.
func TestStagesAtEveryRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("many runs, or many files, of one caller")
	}
	for _, choice := range []string{"r", "g"} {
		everyCut(t, func(t *testing.T) *exectest.Bench {
			b := groups(t, true, exectest.Script{"1.1": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
				if w.Attempt <= 3 || choice == "g" {
					return exec.Outcome{}, fmt.Errorf("the ground is soft")
				}
				return exectest.Write("a", "a\n")(ctx, w)
			}, "2.1": spending("b", 0), "3.1": spending("c", 0), "4.1": spending("d", 0)})
			b.Controller.Escalator = every{choice}
			return b
		}, func(t *testing.T, run *history.Run) any {
			return []any{run.Status, run.Count(history.Completed), run.Count(history.Blocked), len(run.Flow.Tasks)}
		})
	}
}

// every answers each question about a stage with one choice, and refuses the
// rest.
type every struct{ choice string }

func (e every) Ask(_ context.Context, q ask.Question) (ask.Answer, error) {
	if q.Kind != ask.Stage {
		return ask.Answer{}, ask.ErrNoAnswer
	}
	return answer(q, e.choice), nil
}
