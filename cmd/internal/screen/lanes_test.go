package screen

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/cmd/internal/paint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan/native"
)

// threeLanes is a plan of three steps that may run at once.
func threeLanes() string {
	text := `schema = 1
non_goals = []
goal.description = "Three files"
requirements = [{ id = "R1", text = "There are three files" }]
[execution]
jobs = 3
[defaults]
rollback = "reversible"
on_failure = "retry"
max_retries = 1
semantic_change = "extending"
requirements = ["R1"]
limits = { max_files = 1, max_lines = 10 }
`
	for n := 1; n <= 3; n++ {
		text += fmt.Sprintf(`[[speclets]]
id = "l%[1]d"
tasks = [%[1]d]
parallel_allowed = true
[[tasks]]
id = %[1]d
description = "Task"
  [[tasks.steps]]
  id = 1
  description = "Write %[1]d"
  prompt = "%[1]d"
  artifacts = { create = ["%[1]d"] }
  postconditions = [{ kind = "file_contains", path = "%[1]d", text = "right" }]
`, n)
	}
	return text
}

const wantLanes = `Three files        run ID · mode dynamic

   at once: 1.1, 2.1, 3.1
 ▸ 1.1  Write 1
 ▸ 2.1  Write 2
 ▸ 3.1  Write 3
 ✓ 1.1  Write 1  1 file +1        3 gates     0.0 s   joined from lane 1 of 3
   2.1  attempt 1 is set aside (join-failed, joined with 1.1: gate-failed): REASON
 ✓ 3.1  Write 3  1 file +1        3 gates     0.0 s   joined from lane 3 of 3
 ▸ 2.1  Write 2
 ✓ 2.1  Write 2  1 file +1        3 gates     0.0 s   alone after "REASON"

 ████████████████████  3 of 3 steps · 0 retries · 0 backups · 0 questions

`

// moment is what an event tells, and of which step.
func moment(e event.Event) string {
	if e.Fact == nil {
		return string(e.Step) + " " + string(e.Phase)
	}
	return string(e.Step) + " " + e.Fact.Type()
}

// The steps of a group stand below each other while they are at work and while
// they wait to be joined; what was joined, and what was not, is told.
func TestProgressOfLanes(t *testing.T) {
	draft, err := native.Read("plan.toml", []byte(threeLanes()))
	if err != nil {
		t.Fatal(err)
	}
	var out syncBuffer
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	shown := New(&out, false, paint.Brush{}, func() time.Time { return clock }, nil)
	seen := map[string]string{}
	c := &exec.Controller{Dir: t.TempDir(), Gates: builtin.Gates(), Means: exec.Means{Now: shown.now},
		Executors: exec.Default(exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
			text := "right\n"
			if w.Step.Address == "2.1" && w.Attempt == 1 {
				text = "wrong\n"
			}
			return exec.Outcome{}, os.WriteFile(filepath.Join(w.Dir, w.Method.Prompt), []byte(text), 0o644)
		})),
		Observe: func(ctx context.Context, e event.Event) {
			shown.Observe(ctx, e)
			if e.Attempt == 1 {
				seen[moment(e)] = strings.Join(shown.region(), "\n")
			}
		}}
	locked, err := c.Lock(t.Context(), draft)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context(), locked); err != nil {
		t.Fatal(err)
	}
	shown.Close()
	got := regexp.MustCompile(`postconditions: .*( "right"|…)`).ReplaceAllString(stable(out.String()), "REASON")
	if diff := cmp.Diff(wantLanes, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for at, want := range map[string]string{
		"3.1 attempt-started": ` ▸ 1.1  Write 1  attempt 1 · lane 1 of 3   0.0 s
 ▸ 2.1  Write 2  attempt 1 · lane 2 of 3   0.0 s
 ▸ 3.1  Write 3  attempt 1 · lane 3 of 3   0.0 s`,
		"2.1 during": ` ▸ 1.1  Write 1  attempt 1 · joined from lane 1 of 3 · to be delivered   0.0 s
 ▸ 2.1  Write 2  attempt 1 · lane 2 of 3 · gates · during …   0.0 s
 ▸ 3.1  Write 3  attempt 1 · lane 3 of 3 · waits to be joined   0.0 s`,
	} {
		got, _, _ := strings.Cut(seen[at], "\n\n ") // the bar
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("at %s (-want +got):\n%s", at, diff)
		}
	}
}
