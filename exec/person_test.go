package exec_test

import (
	"context"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/gate/review"
)

// worded is a plan of two tasks that nothing but a person can judge.
const worded = `schema = 1
profile = "observe"
goal.description = "Have lamps"

[[tasks]]
id = 1
title = "Lamps"
acceptance_criteria = ["they shine"]
[[tasks.steps]]
id = 1
description = "Make lamps"
prompt = "make lamps.txt"
on_failure = "retry"
max_retries = 1

[[tasks]]
id = 2
title = "Hall"
[[tasks.steps]]
id = 1
description = "Make a hall"
prompt = "make hall.txt"
`

// A person is shown the work of each task that nothing else can judge, and what
// the person says is a review: it counts as one, and is heard as one.
func TestAPersonLooksAtWork(t *testing.T) {
	proved := strings.Replace(worded, "max_retries = 1", "max_retries = 1\npostconditions = [{ kind = \"file_contains\", path = \"lamps.txt\", text = \"on\" }]", 1)
	for name, c := range map[string]struct {
		text string
		says []string // choices, in the order of the questions
		want history.Status
		asks string // of which steps
	}{
		"done":                  {worded, []string{"y", "y"}, history.Achieved, "1.1#1 2.1#1"},
		"left":                  {worded, []string{"u", "y"}, history.Partial, "1.1#1 2.1#1"},
		"nobody answers":        {worded, nil, history.Partial, "1.1#1 2.1#1"},
		"missing, then there":   {worded, []string{"n", "y", "y"}, history.Achieved, "1.1#1 1.1#2 2.1#1"},
		"missing":               {worded, []string{"n", "n"}, history.NotAchieved, "1.1#1 1.1#2"},
		"a check proves it":     {proved, []string{"y"}, history.Achieved, "2.1#1"},
		"nobody is to be asked": {worded + "[execution]\ndefault_mode = \"silent\"\n", nil, history.Partial, ""},
		"what is not essential": {strings.Replace(worded, "max_retries = 1", "critical_flag = true", 1) + "critical_flag = false\n", []string{"y"}, history.Achieved, "1.1#1"},
		"the whole":             {worded + "[completion_criteria]\nacceptance_criteria = [\"it is bright\"]\n", []string{"y", "y", "y"}, history.Achieved, "1.1#1 2.1#1 #0"},
		"not the whole":         {worded + "[completion_criteria]\nacceptance_criteria = [\"it is bright\"]\n", []string{"y", "y", "n"}, history.NotAchieved, "1.1#1 2.1#1 #0"},
	} {
		t.Run(name, func(t *testing.T) {
			var heard []string
			lamps := func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
				heard = append(heard, w.Feedback...)
				return exectest.Write("lamps.txt", "on\n")(ctx, w)
			}
			b := exectest.New(t, c.text, nil, exectest.Script{"1.1": lamps, "2.1": exectest.Write("hall.txt", "a hall\n")})
			p := &person{choices: c.says}
			b.Controller.Person = asker(func(q ask.Question) (ask.Answer, error) {
				a, err := p.Ask(context.Background(), q)
				if a.Choice == "n" {
					a.Reason = "too dark"
				}
				return a, err
			})
			run := b.Run(t)
			run.Want(t, c.want)
			var asked []string
			for _, q := range p.asked {
				if q.Validate() != nil || q.Kind != ask.Work {
					t.Errorf("%+v: %v", q, q.Validate())
				}
				asked = append(asked, string(q.Step)+"#"+string(rune('0'+q.Attempt)))
			}
			if got := strings.Join(asked, " "); got != c.asks {
				t.Errorf("asked about %q, want %q", got, c.asks)
			}
			if c.asks == "" {
				return
			}
			if shown := ask.Render(p.asked[0]); c.asks[0] == '1' && (!strings.Contains(shown, "+on") || !strings.Contains(shown, "1. they shine")) {
				t.Errorf("the question does not show the work:\n%s", shown)
			}
			if name == "missing" && !strings.Contains(strings.Join(heard, "\n"), "a person says: too dark") {
				t.Errorf("the second attempt heard %q", heard)
			}
		})
	}
}

// Where a reviewer looked, no person is asked.
func TestAPersonIsAskedLast(t *testing.T) {
	b := exectest.New(t, worded, nil, exectest.Script{"1.1": exectest.Write("lamps.txt", "on\n"),
		"2.1": exectest.Write("hall.txt", "a hall\n")})
	b.Controller.Gates = append(builtin.Gates(), review.Work(review.Func{Label: "second",
		Ask: func(_ context.Context, r review.Request) (review.Review, error) {
			return review.Review{Verdict: "pass", Criteria: []review.Criterion{{Number: 1, Met: true,
				Citations: []string{r.Changes[0].Path + ":1"}}}}, nil
		}}))
	p := &person{}
	b.Controller.Person = p
	b.Run(t).Want(t, history.Achieved)
	if len(p.asked) > 0 {
		t.Errorf("a person was asked: %+v", p.asked)
	}
}
