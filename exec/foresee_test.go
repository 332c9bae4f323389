package exec_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// researched is twoSteps with a task that wants research before it.
func researched() string {
	return strings.Replace(twoSteps(), "description = \"Write\"\n", "description = \"Write\"\nresearch_enabled = true\nresearch_sources = [\"documentation\"]\n", 1)
}

// telling notes what each attempt is told.
func telling(told *[]string, script exectest.Script) exec.Executor {
	return exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		*told = append(*told, fmt.Sprintf("%s %s", w.Step.Address, strings.Join(w.Research, "; ")))
		return script.Execute(ctx, w)
	})
}

// A task that wants it is looked into once, before its first step; its steps
// are told. Crashes change nothing of that.
func TestResearchBeforeATask(t *testing.T) {
	afterEveryRecord(t, history.Achieved, func(t *testing.T) *exectest.Bench {
		b := exectest.New(t, researched(), workspace, goodScript)
		b.Controller.Advisors = exec.Advisors{advice.Research: advice.Func(func(_ context.Context,
			c advice.Case) (advice.Advice, error) {
			if c.Point != advice.Task || c.Task.ID != "1" || !slices.Equal(c.Task.ResearchSources, []string{"documentation"}) {
				t.Errorf("asked at %s about task %+v", c.Point, c.Task)
			}
			return advice.Advice{Advisor: "library", Confidence: 0.8, Queries: []string{"lines"}, Sources: []string{"a book"}, Findings: []string{"lines end"},
				Cost: history.AdviceCost{Calls: 3, Tokens: 7}}, nil
		})}
		return b
	}, func(t *testing.T, r *exec.Report) {
		said := r.Run.Step("1.1").Advised
		if len(said) != 1 || len(r.Run.Step("1.2").Advised) != 0 {
			t.Fatalf("advised %+v and %+v; want once, before the first step", said, r.Run.Step("1.2").Advised)
		}
		said[0].Cost.Took, said[0].At = 0, time.Time{}
		want := history.Advised{Kind: "research", Point: "task", Advisor: "library", Confidence: 0.8,
			Queries: []string{"lines"},
			Sources: []string{"a book"}, Findings: []string{"lines end"}, Cost: history.AdviceCost{Calls: 3, Tokens: 7}}
		if diff := cmp.Diff(want, said[0]); diff != "" {
			t.Error(diff)
		}
	})
}

func TestResearchIsToldToEachStep(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		advisor    advice.Func
		want       []string
	}{
		{"found", researched(), func(context.Context, advice.Case) (advice.Advice, error) {
			return advice.Advice{Findings: []string{"lines end"}}, nil
		}, []string{"1.1 lines end", "1.2 lines end"}},
		{"nothing found", researched(), func(context.Context, advice.Case) (advice.Advice,
			error) {
			return advice.Advice{}, advice.ErrNothing
		}, []string{"1.1 ", "1.2 "}},
		{"it breaks", researched(), func(context.Context, advice.Case) (advice.Advice, error) {
			return advice.Advice{Findings: []string{"half"}}, errors.New("the library is closed")
		}, []string{"1.1 ", "1.2 "}},
		{"not wanted", twoSteps(), func(context.Context, advice.Case) (advice.Advice, error) {
			return advice.Advice{Findings: []string{"lines end"}}, nil
		}, []string{"1.1 ", "1.2 "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var told []string
			b := exectest.New(t, tt.text, workspace, nil)
			b.Controller.Executors = exec.Executors{"script": telling(&told, goodScript)}
			b.Controller.Advisors = exec.Advisors{advice.Research: tt.advisor}
			b.Run(t).Want(t, history.Achieved)
			if diff := cmp.Diff(tt.want, told); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A plan that names a pattern is weighed against it once; whoever is asked
// about a failure is shown two other patterns.
func TestOtherPatternsAreShown(t *testing.T) {
	text := strings.Replace(twoSteps(), "goal_descriptor = \"two\"\n", "goal_descriptor = \"two\"\npattern_name = \"lines\"\npattern_confidence = \"MEDIUM\"\n", 1)
	b := exectest.New(t, text, workspace, exectest.Script{"1.1": goodScript["1.1"], "1.2": exectest.Fail("no")})
	asked := 0
	b.Controller.Advisors = exec.Advisors{advice.Feasible: advice.Builtin{Similar: func(_ context.Context,
		name string, k int) ([]history.Approach, error) {
		asked++
		var all []history.Approach
		for i := range k {
			all = append(all, history.Approach{Confidence: 0.82,
				Description: fmt.Sprintf("%s%d: it is smaller", name, i)})
		}
		return all, nil
	}}}
	p := &person{choices: []string{"x"}}
	b.Controller.Escalator = p
	run := b.Run(t)
	run.Want(t, history.NotAchieved)
	if said := run.Report.Run.Step("1.1").Advised; asked != 1 || len(said) != 1 || said[0].Kind != "feasibility" ||
		len(said[0].Alternatives) != 3 {
		t.Fatalf("asked %d times: %+v", asked, said)
	}
	var shown []string
	for _, line := range p.asked[0].Evidence {
		if strings.HasPrefix(line, "another pattern") {
			shown = append(shown, line)
		}
	}
	want := []string{"another pattern (similarity 0.82): lines0: it is smaller", "another pattern (similarity 0.82): lines1: it is smaller"}
	if diff := cmp.Diff(want, shown); diff != "" || p.asked[0].Kind != ask.StepFailed {
		t.Errorf("%s question: %s", p.asked[0].Kind, diff)
	}
}
