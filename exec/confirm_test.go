package exec_test

import (
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// TestCollaborativeModeAsksBeforeCriticalSteps: in a run that is collaborative
// from its beginning somebody is asked before each critical step, with the
// approaches that there are and what is known about whether they can work. What
// nobody lets begin has not failed.
func TestCollaborativeModeAsksBeforeCriticalSteps(t *testing.T) {
	const backup = "[[tasks.steps.backups]]\nid = 1\ndescription = \"another way\"\nrun = \"true\"\n"
	const soft = "critical_flag = false"
	for name, tt := range map[string]struct {
		mode     plan.Mode
		answers  map[ask.Kind]string
		asked    int
		method   string
		statuses string
		want     history.Status
	}{
		"as recommended":    {plan.Collaborative, map[ask.Kind]string{ask.Confirmation: "y"}, 1, "primary", "completed completed", history.Achieved},
		"the other way":     {plan.Collaborative, map[ask.Kind]string{ask.Confirmation: "B"}, 1, "backup_1", "completed completed", history.Achieved},
		"left out":          {plan.Collaborative, map[ask.Kind]string{ask.Confirmation: "k"}, 1, "", "skipped completed", history.Partial},
		"given up":          {plan.Collaborative, map[ask.Kind]string{ask.Confirmation: "x"}, 1, "", "failed pending", history.NotAchieved},
		"nobody says so":    {plan.Collaborative, nil, 1, "", "blocked completed", history.Partial},
		"dynamic asks none": {plan.Dynamic, nil, 0, "primary", "completed completed", history.Achieved},
	} {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, steps("", "a\n"+backup, "b\n"+soft), nil, exectest.Script{"1.1": exectest.Write("a", "a\n"), "2.1": exectest.Write("b", "b\n")})
			b.Controller.Mode = tt.mode
			b.Controller.Escalator = asker(func(q ask.Question) (ask.Answer, error) {
				if _, ok := tt.answers[q.Kind]; !ok {
					return ask.Answer{}, ask.ErrNoAnswer
				}
				return answer(q, tt.answers[q.Kind]), nil
			})
			run := b.Run(t)
			run.Want(t, tt.want)
			var statuses []string
			for _, s := range run.Report.Run.Steps {
				statuses = append(statuses, string(s.Status))
			}
			if got := strings.Join(statuses, " "); got != tt.statuses {
				t.Errorf("steps are %s, want %s", got, tt.statuses)
			}
			first := run.Report.Run.Step("1.1")
			if len(first.Questions) != tt.asked {
				t.Fatalf("asked %d times, want %d", len(first.Questions), tt.asked)
			}
			if first.Completed != nil && first.Completed.Method != tt.method {
				t.Errorf("done by %s, want %s", first.Completed.Method, tt.method)
			}
			if tt.asked > 0 {
				q := first.Questions[0].Question
				if len(q.Teaching.Approaches) != 2 || !strings.Contains(strings.Join(q.Evidence, "\n"), "checks of the plan can tell its work") {
					t.Errorf("it shows %+v and %q", q.Teaching, q.Evidence)
				}
			}
			if len(run.Report.Run.Step("2.1").Questions) > 0 {
				t.Error("somebody was asked before a step that is not critical")
			}
		})
	}
}

// TestWhatNobodyRanHasNotFailed: where nobody answers what is asked before a
// step, it is blocked, and so is what needs it; all else goes on, and the report
// says how to have it answered.
func TestWhatNobodyRanHasNotFailed(t *testing.T) {
	for name, head := range map[string]string{
		"education":  "execution = { default_mode = \"education\" }\n",
		"checkpoint": "",
	} {
		t.Run(name, func(t *testing.T) {
			text := threeTasks(head, "on_failure = \"block\"\n")
			if name == "checkpoint" {
				text = strings.Replace(text, "description = \"File 1\"\n", "description = \"File 1\"\nkind = \"checkpoint:human-verify\"\n", 1)
			} else {
				text = strings.Replace(text, "description = \"Write file 3\"\n", "description = \"Write file 3\"\ncritical_flag = false\n", 1)
			}
			script := exectest.Script{"1.1": exectest.Write("1.txt", "1\n"), "2.1": threeFiles["2.1"], "3.1": threeFiles["3.1"]}
			run := exectest.Run(t, text, nil, script)
			run.Want(t, history.Partial)
			var statuses []string
			for _, s := range run.Report.Run.Steps {
				statuses = append(statuses, string(s.Status))
			}
			if got := strings.Join(statuses, " "); got != "blocked blocked completed" {
				t.Errorf("steps are %s\n%s", got, run.Report)
			}
			if text := strings.Join(strings.Fields(run.Report.String()), " "); !strings.Contains(text, "Step 1.1 (nobody said that it may begin): answer its question") {
				t.Errorf("the report does not say how to have it answered:\n%s", run.Report)
			}
		})
	}
}
