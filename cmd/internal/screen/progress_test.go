package screen

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/cmd/internal/paint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan/native"
)

// twoSteps is a plan whose second step needs its backup.
const twoSteps = `schema = 1
non_goals = []
[goal]
description = "Two \u001b[31mfiles"
[[requirements]]
id = "R1"
text = "There are two files"
[defaults]
rollback = "reversible"
on_failure = "block"
semantic_change = "extending"
requirements = ["R1"]
limits = { max_files = 1, max_lines = 10 }
[[tasks]]
id = 1
description = "Write"
  [[tasks.steps]]
  id = 1
  description = "Write one"
  prompt = "one.txt"
  artifacts = { create = ["one.txt"] }
  postconditions = [{ kind = "file_contains", path = "one.txt", matches = "." }]
  [[tasks.steps]]
  id = 2
  description = "Write \u001b[2Jtwo"
  prompt = "fail"
  artifacts = { create = ["two.txt"] }
  postconditions = [{ kind = "file_contains", path = "two.txt", matches = "." }]
    [[tasks.steps.backups]]
    id = 1
    description = "Write it otherwise"
    prompt = "two.txt"
`

// watch runs twoSteps and returns what Progress wrote. meanwhile is called while
// the second step is under way.
func watch(t *testing.T, live bool, brush paint.Brush, meanwhile func(*Progress)) string {
	t.Helper()
	draft, err := native.Read("plan.toml", []byte(twoSteps))
	if err != nil {
		t.Fatal(err)
	}
	var out syncBuffer
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	now := func() time.Time { return clock }
	shown := New(&out, live, brush, now, nil)
	write := exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		if w.Method.Prompt == "fail" {
			return exec.Outcome{}, fmt.Errorf("no \x1b[1;1H luck")
		}
		if w.Method.ID != "primary" && meanwhile != nil {
			meanwhile(shown)
		}
		return exec.Outcome{}, os.WriteFile(filepath.Join(w.Dir, w.Method.Prompt), []byte("text\n"), 0o644)
	})
	c := &exec.Controller{Dir: t.TempDir(), Gates: builtin.Gates(), Executors: exec.Default(write),
		Observe: shown.Observe,
		Means:   exec.Means{Now: now}}
	locked, err := c.Lock(t.Context(), draft)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context(), locked); err != nil {
		t.Fatal(err)
	}
	shown.Close()
	return out.String()
}

// A syncBuffer is a buffer for several goroutines.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

var (
	runID    = regexp.MustCompile(`run [0-9A-Z]{26} · plan [0-9a-f]{12}`)
	warnings = regexp.MustCompile(`(?m)^warning: .*\n`)
)

// stable is what does not change from run to run, and is progress's own.
func stable(text string) string {
	return warnings.ReplaceAllString(runID.ReplaceAllString(text, "run ID"), "")
}

const wantPlain = `Two \x1b[31mfiles        run ID · mode dynamic

 ▸ 1.1  Write one
 ✓ 1.1  Write one         1 file +1        3 gates     0.0 s
 ▸ 1.2  Write \x1b[2Jtwo
   1.2  attempt 1 failed (executor failed): no \x1b[1;1H luck
   1.2  the tree was restored; next: backup 1 (backup 1 of 1: Write it otherwise)
 ✓ 1.2  Write \x1b[2Jtwo  1 file +1        3 gates     0.0 s   backup 1 after "no \x1b[1;1H luck"

 ████████████████████  2 of 2 steps · 0 retries · 1 backup · 0 questions

`

func TestPlainProgress(t *testing.T) {
	got := stable(watch(t, false, paint.Brush{}, nil))
	if diff := cmp.Diff(wantPlain, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLiveProgress plays what was written to a terminal into a small model of
// one.
func TestLiveProgress(t *testing.T) {
	var during string
	out := watch(t, true, paint.Brush{}, func(p *Progress) {
		lines := p.region()
		p.screen.mu.Lock()
		p.screen.paint(lines)
		p.screen.mu.Unlock()
		during = play(t, p.out.(*syncBuffer).String())
	})
	during = stable(during)
	want := `Two \x1b[31mfiles        run ID · mode dynamic

 ✓ 1.1  Write one         1 file +1        3 gates     0.0 s
   1.2  attempt 1 failed (executor failed): no \x1b[1;1H luck
   1.2  the tree was restored; next: backup 1 (backup 1 of 1: Write it otherwise)
 ▸ 1.2  Write \x1b[2Jtwo  attempt 2 · backup 1   0.0 s

 ██████████░░░░░░░░░░  1 of 2 steps · 0 retries · 1 backup · 0 questions
`
	if diff := cmp.Diff(want, during); diff != "" {
		t.Errorf("during the second step (-want +got):\n%s", diff)
	}
	// In the end the same stands there as in a log, but for the steps'
	// beginnings.
	want = regexp.MustCompile(`(?m)^ ▸.*\n`).ReplaceAllString(wantPlain, "")
	got := stable(play(t, out))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("in the end (-want +got):\n%s", diff)
	}
}

var sequence = regexp.MustCompile(`^\x1b\[(\??)([0-9]*)([A-Za-z])`)

// play is what a terminal shows that got this output: it knows cursor up, clear
// to the end, and whether lines are wrapped, and refuses everything else.
func play(t *testing.T, output string) string {
	t.Helper()
	lines, row := []string{""}, 0
	for len(output) > 0 {
		if m := sequence.FindStringSubmatch(output); m != nil {
			n, _ := strconv.Atoi(m[2])
			switch {
			case m[1] == "" && m[3] == "A":
				if row -= n; row < 0 {
					t.Fatal("the cursor left the screen")
				}
			case m[1] == "" && m[3] == "J" && m[2] == "":
				lines = append(lines[:row], "")
			case m[1] == "?" && n == 7 && (m[3] == "h" || m[3] == "l"):
			default:
				t.Fatalf("an escape sequence that is not ours: %q", m[0])
			}
			output = output[len(m[0]):]
			continue
		}
		b := output[:1]
		output = output[1:]
		switch b[0] {
		case '\n':
			if row++; row == len(lines) {
				lines = append(lines, "")
			}
		case '\r':
		default:
			lines[row] += b
		}
	}
	return strings.Join(lines, "\n")
}

const wantPainted = `{1}Two \x1b[31mfiles{0}{2}        run ID · mode dynamic{0}

 {1}▸{0} 1.1  Write one
 {32}✓{0} 1.1  Write one         1 file +1        3 gates     0.0 s
 {1}▸{0} 1.2  Write \x1b[2Jtwo
   1.2  {33}attempt 1 failed{0} (executor failed): no \x1b[1;1H luck
   1.2  the tree was restored; next: backup 1 (backup 1 of 1: Write it otherwise)
 {32}✓{0} 1.2  Write \x1b[2Jtwo  1 file +1        3 gates     0.0 s   backup 1 after "no \x1b[1;1H luck"

 ████████████████████  2 of 2 steps · 0 retries · 1 backup · 0 questions

`

var code = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// TestColours: what is set off is so beside what is redrawn, too, and what stands
// below each other still does.
func TestColours(t *testing.T) {
	brush := paint.For(paint.Always, false, func(string) string { return "" })
	painted := regexp.MustCompile(`(?m)^\{33\}warning:\{0\}.*\n`).ReplaceAllString(
		stable(code.ReplaceAllString(watch(t, false, brush, nil), "{$1}")), "")
	if diff := cmp.Diff(wantPainted, painted); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	out := watch(t, true, brush, nil)
	if !strings.Contains(out, "\x1b[32m✓\x1b[0m") || !strings.Contains(out, "\x1b[2m") {
		t.Errorf("no green mark, or nothing dim in %q", out)
	}
	want := regexp.MustCompile(`(?m)^ ▸.*\n`).ReplaceAllString(wantPlain, "")
	if diff := cmp.Diff(want, stable(play(t, code.ReplaceAllString(out, "")))); diff != "" {
		t.Errorf("on a terminal (-want +got):\n%s", diff)
	}
	if out := watch(t, true, paint.Brush{}, nil); strings.Contains(out, "\x1b[32m") {
		t.Errorf("colours that nobody wants: %q", out)
	}
}

// TestTheStrategySwitchIsTold: how much ceremony there is from here on, and
// why; what a run begins with is no news.
func TestTheStrategySwitchIsTold(t *testing.T) {
	var out bytes.Buffer
	p := New(&out, false, paint.Brush{}, time.Now, nil)
	for _, f := range []*history.StrategySet{{Strategy: history.Direct},
		{From: history.Direct, Strategy: history.Orchestrated, Why: "it takes longer"}} {
		p.Observe(t.Context(), event.Event{Fact: f, State: &history.Run{}})
	}
	if got, want := out.String(), "   strategy switched from direct to orchestrated: it takes longer\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWhatIsTriedNextIsTold: what is tried next has the number of the retry, and
// what an approach does otherwise.
func TestWhatIsTriedNextIsTold(t *testing.T) {
	for want, f := range map[string]*history.Recovery{
		"next: primary (retry 2 of 3)\n": {Rung: recovery.RetryRung, Method: "primary", Why: "retry 2 of 3"},
		"next: patch_1 (pivot 1 of 3: use the standard library)\n": {Rung: "pivot", Method: "patch_1",
			Why: "pivot 1 of 3: use the standard library"},
	} {
		var out bytes.Buffer
		p := New(&out, false, paint.Brush{}, time.Now, nil)
		p.Observe(t.Context(), event.Event{State: &history.Run{}, Fact: f})
		if got := out.String(); !strings.HasSuffix(got, want) {
			t.Errorf("%q, want it to end with %q", got, want)
		}
	}
}
