package escalator

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/internal/asktest"
)

func readRules(t *testing.T) *Rules {
	t.Helper()
	r, err := ReadRules("testdata/answers.toml")
	if err != nil {
		t.Fatal(err)
	}
	r.Now = at(asktest.Asked)
	return r
}

func TestReadRules(t *testing.T) {
	r := readRules(t)
	want := []Rule{
		{Kind: ask.StepFailed, Step: "2.*", Choice: "r", Reason: "the integration test needs a warm cache", By: "ops",
			MaxTimes: 2},
		{Kind: ask.StepFailed, Choice: "k", Acknowledge: "skip 2.1", Reason: "2.1 is not needed for the release"},
		{Choice: "s", Reason: "nobody is there at night"},
	}
	if diff := cmp.Diff(want, r.List); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRulesAnswer(t *testing.T) {
	r := readRules(t)
	again := "r rule 1 of answers.toml by ops"
	skip := "k rule 2 of answers.toml"
	stop := "s rule 3 of answers.toml"
	other, run, threshold, unlike := asktest.Failed(), asktest.Failed(), asktest.Failed(), asktest.Failed()
	other.Step = "2.3"
	run.Run = "01JD4"
	threshold.Kind, threshold.Step = ask.Threshold, ""
	unlike.Step, unlike.Choices = "1.1", unlike.Choices[1:2]
	unlike.Choices[0].Acknowledge = "skip 1.1"
	for i, tc := range []struct {
		q    ask.Question
		want string // "" if nobody answers
	}{
		{asktest.Failed(), again}, {asktest.Failed(), again}, {asktest.Failed(), skip}, // the first rule is used up
		{other, again}, {run, again}, // but not for another step or run
		{threshold, stop}, {threshold, stop}, {threshold, stop}, {threshold, ""},
		{unlike, ""}, // other words to acknowledge, and no other choice
	} {
		a, err := r.Ask(t.Context(), tc.q)
		if tc.want == "" {
			if !errors.Is(err, ask.ErrNoAnswer) {
				t.Errorf("question %d: %+v, %v", i, a, err)
			}
			continue
		}
		if got := a.Choice + " " + a.By; got != tc.want || err != nil {
			t.Errorf("question %d: got %q, %v, want %q", i, got, err, tc.want)
		}
		if err := tc.q.Check(a); err != nil {
			t.Errorf("question %d: %v", i, err)
		}
	}
}

func TestRulesSayWhyNot(t *testing.T) {
	r := &Rules{Now: at(asktest.Asked), List: []Rule{
		{Kind: ask.InFlight, Choice: "r"}, {Step: "2.1", Choice: "x"}, {Choice: "k"}, {Step: "[", Choice: "r"},
	}}
	_, err := r.Ask(t.Context(), asktest.Failed())
	want := strings.TrimPrefix(`
ask: no answer to question "q1": none of the 4 rules of rules applies
rule 2: ask: the answer to question q1 does not count: "x" is none of the choices
rule 3: ask: the answer to question q1 does not count: choice "k" must be acknowledged with the words "skip 2.1"`, "\n")
	if !errors.Is(err, ask.ErrNoAnswer) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
	late := readRules(t)
	late.Now = at(asktest.Failed().Deadline.Add(1))
	if _, err := late.Ask(t.Context(), asktest.Failed()); !errors.Is(err, ask.ErrNoAnswer) {
		t.Error(err)
	}
}

func TestRulesAreCountedOnce(t *testing.T) {
	r := &Rules{Now: at(asktest.Asked), List: []Rule{{Choice: "r", MaxTimes: 7}}}
	errs := make([]error, 20)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() { _, errs[i] = r.Ask(t.Context(), asktest.Failed()) })
	}
	group.Wait()
	answered := 0
	for _, err := range errs {
		if err == nil {
			answered++
		}
	}
	if answered != 7 {
		t.Errorf("answered %d times", answered)
	}
}

func TestParseRulesErrors(t *testing.T) {
	text, err := os.ReadFile("testdata/bad.toml")
	if err != nil {
		t.Fatal(err)
	}
	r, err := ParseRules("bad.toml", text)
	if err == nil {
		t.Fatalf("accepted: %+v", r)
	}
	asktest.Golden(t, "bad.errors", err.Error()+"\n")
	var rule *RuleError
	if !errors.As(err, &rule) || rule.Line != 1 || rule.Column != 1 {
		t.Errorf("the first error is %+v", rule)
	}
}

func TestParseRulesText(t *testing.T) {
	good := "[[rules]]\nchoice = \"s\"\nreason = 'x'\n"
	for name, tc := range map[string]struct{ text, err string }{
		"nothing":          {"", ""},
		"a comment":        {"# none yet\n", ""},
		"CRLF, BOM":        {"\ufeff" + strings.ReplaceAll(good, "\n", "\r\n"), ""},
		"no final newline": {strings.TrimSuffix(good, "\n"), ""},
		"hexadecimal":      {good + "max_times = 0x1_0", ""},
		"not UTF-8":        {"\xff", "ask: f: the text is not UTF-8: save the file as UTF-8"},
		"too large":        {strings.Repeat("#", maxRulesFile+1), "ask: f: the file is larger than 262144 bytes"},
		"no TOML":          {"[[rules]\n", "ask: f:1:8: this is no TOML: "},
		"a key twice":      {good + "choice = 'r'", "ask: f:4:1: this is no TOML: "},
		"one table":        {"[rules]\nchoice = 's'", `ask: f:1:2: there is no table "rules": begin each rule with [[rules]]`},
		"inline":           {"rules = [{choice = 's', reason = 'x'}]", `ask: f:1:1: the key "rules" belongs to no rule: begin each rule with [[rules]]`},
		"other spelling":   {"[[Rules]]\nchoice = 's'\nreason = 'x'", `ask: f:1:3: there is no table "Rules": begin each rule with [[rules]]`},
		"a number":         {good + "max_times = 99999999999999999999", "ask: f:4:"},
		"a fraction":       {good + "max_times = 1.5", "ask: f:4:1: max_times must be a whole number from 1 to 1000"},
		"too many":         {strings.Repeat(good, maxRules+1), "ask: f:3001:3: there are more than 1000 rules"},
		"nested deeply":    {"x = " + strings.Repeat("[", 100_000), "ask: f:"},
	} {
		r, err := ParseRules("f", []byte(tc.text))
		switch {
		case tc.err == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case tc.err != "" && (err == nil || !strings.HasPrefix(err.Error(), tc.err)):
			t.Errorf("%s: got %+v, %.200v, want %s", name, r, err, tc.err)
		}
	}
	var many strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&many, "k%d = 1\n", i)
	}
	if _, err := ParseRules("f", []byte(many.String())); err == nil || strings.Count(err.Error(), "\n") > maxErrors {
		t.Errorf("%d errors", strings.Count(err.Error(), "\n"))
	}
}

func TestReadRulesThatAreNone(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadRules(filepath.Join(dir, "none.toml")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := ReadRules(dir); err == nil {
		t.Error("a folder is read")
	}
	large := filepath.Join(dir, "large.toml")
	if err := os.WriteFile(large, make([]byte, maxRulesFile+1), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRules(large); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Error(err)
	}
}
