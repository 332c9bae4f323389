package escalator

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/ask"
)

// taught is a question as education mode asks it.
func taught() ask.Question {
	return ask.Question{ID: "q1", Run: "R", Step: "2.1", Kind: ask.Education, What: "education checkpoint", Why: "it is explained",
		Choices: []ask.Choice{{Key: "y", Also: []string{"yes"}, Label: "go on", Consequence: "it runs"},
			{Key: "e", Also: []string{"explain more"}, Label: "explain more", Consequence: "again"},
			{Key: "p", NeedsReason: true, Label: "propose", Consequence: "feedback"}},
		Default: "y", Asked: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		Teaching: &ask.Teaching{Situation: "2.1 comes next\x1b[2J", Recommended: "primary",
			Rationale: "it was approved",
			Approaches: []ask.Approach{{Key: "A", Method: "primary", Description: "patch it", Pros: []string{"small"},
				Cons: []string{"ugly"}},
				{Key: "B", Method: "backup_1", Description: "write it anew"}}}}
}

func TestTypedOnATerminal(t *testing.T) {
	for input, want := range map[string]string{
		"\n\n":                      "y",
		"Yes\n\n":                   "y",
		"EXPLAIN MORE\n\n":          "e",
		"e\n\n":                     "e",
		"p\n\np\nuse the cache\n":   "p",
		"nonsense\ne\n\n":           "e",
		"":                          "", // the end of the input is no answer, and not the default
		"p\n":                       "", // nor is it a text
		"no\nno\nno\nno\nno\ny\n\n": "",
	} {
		term := &Terminal{In: strings.NewReader(input), Out: &strings.Builder{}}
		a, err := term.Ask(context.Background(), taught())
		if a.Choice != want || (want == "") != errors.Is(err, ask.ErrNoAnswer) {
			t.Errorf("%q: chose %q (%v), want %q", input, a.Choice, err, want)
		}
		if want == "p" && a.Reason != "use the cache" {
			t.Errorf("the words are %q", a.Reason)
		}
	}
}

func TestRenderTeaching(t *testing.T) {
	text := ask.Render(taught())
	for _, want := range []string{"primary: patch it (recommended)", "  for", "small", "  against", "ugly", "backup_1: write it anew", "it was approved"} {
		if !strings.Contains(text, want) {
			t.Errorf("the question does not show %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Errorf("what stands in the question reaches the terminal as it is:\n%q", text)
	}
}

func TestRememberOnATerminal(t *testing.T) {
	const words = "remember y for education of step 2.1"
	for input, want := range map[string]ask.Scope{
		"remember y\n\nstep\n" + words + "\n":                         ask.ForStep,
		"remember y\n\nplan\nremember y for education of this plan\n": ask.ForPlan,
		"remember y\n\nstep\nyes\n":                                   "", // not the words
		"remember y\n\nfor ever\n":                                    "", // no scope
		"remember y\n\n":                                              "", // the end of the input
		"remember p\nwords\nstep\n":                                   "", // needs a text each time
		"y\n\n":                                                       "",
	} {
		term := &Terminal{In: strings.NewReader(input), Out: &strings.Builder{}}
		a, err := term.Ask(context.Background(), taught())
		if err != nil || a.Remember != want {
			t.Errorf("%q: to be remembered for %q (%v), want %q", input, a.Remember, err, want)
		}
		if want != "" && taught().ToRemember(a) != nil {
			t.Errorf("%q: %v", input, taught().ToRemember(a))
		}
	}
}

func TestPick(t *testing.T) {
	choices := []ask.Choice{{Key: "1", Also: []string{"dynamic"}, Label: "dynamic"}, {Key: "2", Label: "silent"}}
	for input, want := range map[string]struct {
		key       string
		byDefault bool
	}{
		"\n": {"1", true}, "2\n": {"2", false}, "1\n": {"1", false}, "Dynamic\n": {"1", false},
		"x\n2\n": {"2", false}, "": {"", false}, "x\nx\nx\nx\nx\n2\n": {"", false},
	} {
		key, byDefault, err := (&Terminal{In: strings.NewReader(input), Out: &strings.Builder{}}).Pick(
			context.Background(), "which?", choices, "1")
		if key != want.key || byDefault != want.byDefault || (key == "") != errors.Is(err, ask.ErrNoAnswer) {
			t.Errorf("%q: picked %q, by default %t, %v; want %+v", input, key, byDefault, err, want)
		}
	}
}

// What is remembered stays, revoked or not; a second choice of the same id and
// a second revocation change nothing.
func TestPrecedents(t *testing.T) {
	ctx := context.Background()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	kept := &Precedents{Dir: filepath.Join(t.TempDir(), "choices"), Now: func() time.Time { return now }}
	if list, err := kept.List(ctx); list != nil || err != nil {
		t.Errorf("before anything: %v, %v", list, err)
	}
	first := ask.Precedent{ID: "01A", Plan: "sha256:1", Kind: ask.StepFailed, Step: "1.1", Choice: "r", By: "alice",
		At:  now,
		Run: "R", Question: "q1"}
	for _, p := range []ask.Precedent{first, {ID: "01A", Choice: "x"}} {
		if err := kept.Remember(ctx, p); err != nil {
			t.Fatal(err)
		}
	}
	if kept.Revoked(ctx, "01A") {
		t.Error("it is revoked already")
	}
	for _, by := range []string{"bob", "carol"} {
		if _, err := kept.Revoke(ctx, "01A", by, "no longer"); err != nil {
			t.Fatal(err)
		}
	}
	want := first
	want.Revoked = &ask.Revocation{By: "bob", Reason: "no longer", At: now}
	list, err := kept.List(ctx)
	if diff := cmp.Diff([]ask.Precedent{want}, list); diff != "" || err != nil || !kept.Revoked(ctx, "01A") {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	var refused *ask.RefusedError
	if _, err := kept.Revoke(ctx, "01B", "bob", ""); !errors.As(err, &refused) {
		t.Errorf("revoking what is not there: %v", err)
	}
	if err := kept.Remember(ctx, ask.Precedent{ID: "../x"}); err == nil {
		t.Error("a choice was put outside of the folder")
	}
	if err := os.WriteFile(filepath.Join(kept.Dir, "bad.choice.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if list, err := kept.List(ctx); len(list) != 1 || err == nil {
		t.Errorf("with a bad file: %d choices, %v; want the good one and an error", len(list), err)
	}
}

func TestPrecedentApplies(t *testing.T) {
	q := taught()
	base := ask.Precedent{Kind: ask.Education, Step: "2.1", Choice: "y"}
	for name, tt := range map[string]struct {
		change func(*ask.Precedent)
		want   bool
	}{
		"as it is":      {func(*ask.Precedent) {}, true},
		"any step":      {func(p *ask.Precedent) { p.Step = "" }, true},
		"another step":  {func(p *ask.Precedent) { p.Step = "2.2" }, false},
		"another kind":  {func(p *ask.Precedent) { p.Kind = ask.StepFailed }, false},
		"no choice":     {func(p *ask.Precedent) { p.Choice = "?" }, false},
		"needs a text":  {func(p *ask.Precedent) { p.Choice = "p" }, false},
		"it is revoked": {func(p *ask.Precedent) { p.Revoked = &ask.Revocation{} }, false},
	} {
		p := base
		tt.change(&p)
		if got := p.Applies(q); got != tt.want {
			t.Errorf("%s: applies %t, want %t", name, got, tt.want)
		}
	}
}

// An answer in a folder may ask to be remembered, with the words.
func TestRememberInAFolder(t *testing.T) {
	f := &Folder{Dir: t.TempDir(), Now: func() time.Time { return taught().Asked.Add(time.Minute) }}
	q := taught()
	if _, err := f.Ask(context.Background(), q); !errors.Is(err, ask.ErrLater) {
		t.Fatal(err)
	}
	a := ask.Answer{Question: q.ID, Run: q.Run, Choice: "y", Remember: ask.ForStep,
		Confirmed: q.RememberWords("y", ask.ForStep)}
	if err := f.Answer(a); err != nil {
		t.Fatal(err)
	}
	got, err := f.Ask(context.Background(), q)
	if err != nil || got.Remember != ask.ForStep || q.ToRemember(got) != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := f.Answer(a); err == nil {
		t.Error("a second answer was taken")
	}
}

func TestRequestFile(t *testing.T) {
	ctx := context.Background()
	f := &Folder{Dir: filepath.Join(t.TempDir(), "questions")}
	r := ask.Request{Run: "R", Kind: ask.Rollback, Step: "1.1", Reason: "it went wrong", By: "alice"}
	if err := f.Request(ctx, r); err != nil {
		t.Fatal(err)
	}
	second := ask.Request{Run: "R", Kind: ask.Obsolete, Reason: "the API changed", By: "bob"}
	if err := f.Request(ctx, second); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second request before the first is read: %v, want os.ErrExist", err)
	}
	got, err := f.Requested(ctx, "R")
	if err := f.Withdraw(ctx, ask.Request{Run: "R", Kind: r.Kind, At: got.At.Add(-time.Second)}); err != nil {
		t.Error(err)
	}
	if _, err := f.Requested(ctx, "R"); err != nil {
		t.Errorf("withdrawing an earlier request took this one away: %v", err)
	}
	got.At = time.Time{}
	if diff := cmp.Diff(r, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := f.Requested(ctx, "S"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("another run has the request: %v", err)
	}
	for _, text := range []string{"{", `{"schema":"planlock.request/1","run":"S","kind":"obsolete"}`, `{"schema":"planlock.request/1","run":"R","kind":"step-failed"}`,
		`{"schema":"x","run":"R","kind":"obsolete"}`, `{"schema":"planlock.request/1","run":"R","kind":"obsolete","more":1}`} {
		if err := os.WriteFile(filepath.Join(f.Dir, "R.request.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := f.Requested(ctx, "R"); err == nil {
			t.Errorf("%s was read as %+v", text, got)
		}
	}
	if err := f.Withdraw(ctx, ask.Request{Run: "R"}); err != nil {
		t.Fatal(err)
	}
	if err := f.Withdraw(ctx, ask.Request{Run: "R"}); err != nil {
		t.Errorf("withdrawing nothing: %v", err)
	}
}
