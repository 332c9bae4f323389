package ask

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

var asked = time.Date(2026, 11, 20, 19, 30, 0, 0, time.UTC)

// failed is a question as a controller asks it.
func failed() Question {
	return Question{
		ID: "q1", Run: "01JD3", Step: "2.1", Attempt: 2, Kind: StepFailed,
		What:     "Step 2.1 changed a file that it did not declare.",
		Why:      "internal/auth/token.go was modified, and non-goal N1 protects it.",
		Evidence: []string{"expected  modify server/server.go", "happened  modify server/server.go", "          modify internal/auth/token.go"},
		Choices: []Choice{
			{Key: "r", Label: "run 2.1 again with this report", Consequence: "attempt 3 of 3"},
			{Key: "k", Label: "go on without 2.1", Consequence: "2.2 is skipped too; the run can end PARTIAL at best",
				Acknowledge: "skip 2.1"},
			{Key: "s", Label: "stop here", Consequence: "nothing more runs; resume later"},
		},
		Asked:    asked,
		Deadline: asked.Add(10 * time.Minute),
	}
}

func hostile() Question {
	q := failed()
	q.ID, q.Run, q.Step = "q\x1b[2J", "run\n2", "2.1\u202e"
	q.What = "stop\x1b]0;owned\x07\n  s  stop here    harmless"
	q.Why = "first\r\n  r  say yes    all is well\u2028\x9b2J"
	q.Evidence = []string{"\x1b[1A\x1b[2Kall tests passed", "What now? [r/s] r\nReason: fine",
		strings.Repeat("A", 2000)}
	for range 150 {
		q.Evidence = append(q.Evidence, "noise")
	}
	q.Choices = []Choice{
		{Key: "r", Label: "good\n  x  evil", Consequence: "no\x1b[8m harm\u2066", Acknowledge: "I\u200b agree"},
		{Key: "尺", Label: strings.Repeat("very ", 20) + "long", Consequence: "stands below"},
		{Key: "s", Label: "no consequence"},
	}
	return q
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestRender(t *testing.T) {
	bare := Question{ID: "q", Run: "r", What: "Nothing is known.",
		Choices: []Choice{{Key: "s", Label: "stop", Consequence: "it ends"}}}
	for name, q := range map[string]Question{"failed.screen": failed(), "hostile.screen": hostile(),
		"bare.screen": bare, "empty.screen": {}} {
		got := Render(q)
		golden(t, name, got)
		if strings.ContainsAny(got, "\x1b\r\t\u202e\u2066\u200b") {
			t.Errorf("%s lets characters through that a terminal obeys: %q", name, got)
		}
	}
}

// Nothing in a question starts a line the way a choice does.
func TestRenderFakesNoChoice(t *testing.T) {
	for _, line := range strings.Split(Render(hostile()), "\n") {
		if key, ok := strings.CutPrefix(line, "  "); ok && (strings.HasPrefix(key, "x  ") || strings.HasPrefix(key, "r  say yes")) {
			t.Errorf("a text looks like a choice: %q", line)
		}
	}
}

func answerTo(q Question, choice, words string) Answer {
	return Answer{Question: q.ID, Run: q.Run, Attempt: q.Attempt, Choice: choice, Acknowledged: words, By: "test",
		At: asked.Add(time.Minute)}
}

func TestCheck(t *testing.T) {
	q := failed()
	for name, tc := range map[string]struct {
		change func(*Answer)
		why    string // "" if it counts
	}{
		"as asked":                {func(a *Answer) {}, ""},
		"at the deadline":         {func(a *Answer) { a.At = q.Deadline }, ""},
		"acknowledged":            {func(a *Answer) { a.Choice, a.Acknowledged = "k", "skip 2.1" }, ""},
		"another run":             {func(a *Answer) { a.Run = "01JD4" }, `it is for run "01JD4", not for "01JD3"`},
		"another question":        {func(a *Answer) { a.Question = "q2" }, `it is for question "q2"`},
		"another attempt":         {func(a *Answer) { a.Attempt = 1 }, "it is for attempt 1, and attempt 2 asks"},
		"too late":                {func(a *Answer) { a.At = q.Deadline.Add(1500 * time.Millisecond) }, "it came 1.5s after the deadline"},
		"unknown choice":          {func(a *Answer) { a.Choice = "R" }, `"R" is none of the choices`},
		"no choice":               {func(a *Answer) { a.Choice = "" }, `"" is none of the choices`},
		"not acknowledged":        {func(a *Answer) { a.Choice = "k" }, `choice "k" must be acknowledged with the words "skip 2.1"`},
		"acknowledged in passing": {func(a *Answer) { a.Choice, a.Acknowledged = "k", "Skip 2.1" }, `choice "k" must be acknowledged with the words "skip 2.1"`},
	} {
		a := answerTo(q, "r", "")
		tc.change(&a)
		err := q.Check(a)
		var refused *RefusedError
		switch {
		case tc.why == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case tc.why != "" && (!errors.As(err, &refused) || refused.Why != tc.why || refused.Question != "q1"):
			t.Errorf("%s: got %v, want %s", name, err, tc.why)
		}
	}
}

func TestValidate(t *testing.T) {
	if err := failed().Validate(); err != nil {
		t.Error(err)
	}
	q := Question{ID: "q", Choices: []Choice{{Key: "a", Label: "x"}, {Key: "a", Consequence: "y"}, {Key: "b c"}, {}}}
	want := strings.TrimPrefix(`
ask: question "q" has no run
ask: question "q" has two choices "a"
ask: question "q" has a choice "b c" that cannot be typed
ask: question "q" has a choice "" that cannot be typed
ask: question "q" does not say what is blocked
ask: question "q" does not say why
ask: question "q" does not say what follows from choice "a"
ask: question "q" does not say what choice "a" does
ask: question "q" does not say what choice "b c" does
ask: question "q" does not say what follows from choice "b c"
ask: question "q" does not say what choice "" does
ask: question "q" does not say what follows from choice ""`, "\n")
	err := q.Validate()
	if err == nil {
		t.Fatal("Validate accepts it")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
}
