package ask_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/internal/asktest"
)

func TestRender(t *testing.T) {
	bare := ask.Question{ID: "q", Run: "r", What: "Nothing is known.",
		Choices: []ask.Choice{{Key: "s", Label: "stop", Consequence: "it ends"}}}
	for name, q := range map[string]ask.Question{"failed.screen": asktest.Failed(), "hostile.screen": asktest.Hostile(),
		"bare.screen": bare, "empty.screen": {}} {
		got := ask.Render(q)
		asktest.Golden(t, name, got)
		if strings.ContainsAny(got, "\x1b\r\t\u202e\u2066\u200b") {
			t.Errorf("%s lets characters through that a terminal obeys: %q", name, got)
		}
	}
}

// Nothing in a question starts a line the way a choice does.
func TestRenderFakesNoChoice(t *testing.T) {
	for _, line := range strings.Split(ask.Render(asktest.Hostile()), "\n") {
		if key, ok := strings.CutPrefix(line, "  "); ok && (strings.HasPrefix(key, "x  ") || strings.HasPrefix(key, "r  say yes")) {
			t.Errorf("a text looks like a choice: %q", line)
		}
	}
}

func TestCheck(t *testing.T) {
	q := asktest.Failed()
	for name, tc := range map[string]struct {
		change func(*ask.Answer)
		why    string // "" if it counts
	}{
		"as asked":                {func(a *ask.Answer) {}, ""},
		"at the deadline":         {func(a *ask.Answer) { a.At = q.Deadline }, ""},
		"acknowledged":            {func(a *ask.Answer) { a.Choice, a.Acknowledged = "k", "skip 2.1" }, ""},
		"another run":             {func(a *ask.Answer) { a.Run = "01JD4" }, `it is for run "01JD4", not for "01JD3"`},
		"another question":        {func(a *ask.Answer) { a.Question = "q2" }, `it is for question "q2"`},
		"another attempt":         {func(a *ask.Answer) { a.Attempt = 1 }, "it is for attempt 1, and attempt 2 asks"},
		"too late":                {func(a *ask.Answer) { a.At = q.Deadline.Add(1500 * time.Millisecond) }, "it came 1.5s after the deadline"},
		"unknown choice":          {func(a *ask.Answer) { a.Choice = "R" }, `"R" is none of the choices`},
		"no choice":               {func(a *ask.Answer) { a.Choice = "" }, `"" is none of the choices`},
		"not acknowledged":        {func(a *ask.Answer) { a.Choice = "k" }, `choice "k" must be acknowledged with the words "skip 2.1"`},
		"acknowledged in passing": {func(a *ask.Answer) { a.Choice, a.Acknowledged = "k", "Skip 2.1" }, `choice "k" must be acknowledged with the words "skip 2.1"`},
	} {
		a := asktest.AnswerTo(q, "r", "")
		tc.change(&a)
		err := q.Check(a)
		var refused *ask.RefusedError
		switch {
		case tc.why == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case tc.why != "" && (!errors.As(err, &refused) || refused.Why != tc.why || refused.Question != "q1"):
			t.Errorf("%s: got %v, want %s", name, err, tc.why)
		}
	}
}

// A person may type a choice in its other words, in whatever case; a key has its
// own.
func TestTyped(t *testing.T) {
	q := ask.Question{Default: "y", Choices: []ask.Choice{{Key: "y", Also: []string{"yes", "y"}},
		{Key: "e", Also: []string{"explain more"}}, {Key: "A"}, {Key: "b"}, {Key: "B"}}}
	for text, want := range map[string]string{"y": "y", "Y": "y", "YES": "y", "": "y", "Explain More": "e", "a": "", "b": "b", "B": "B",
		"q": "", "explain": ""} {
		if c, _ := q.Typed(text); c.Key != want {
			t.Errorf("%q is choice %q, want %q", text, c.Key, want)
		}
	}
}

func TestValidate(t *testing.T) {
	if err := asktest.Failed().Validate(); err != nil {
		t.Error(err)
	}
	q := ask.Question{ID: "q",
		Choices: []ask.Choice{{Key: "a", Label: "x"}, {Key: "a", Consequence: "y"}, {Key: "b c"}, {}}}
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
