package history_test

import (
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
)

// A fact is called in the journal as its struct is; those that concern only the
// run as a whole say so in their names.
func TestFactsAreCalledWhatTheyAre(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range history.Types() {
		if seen[name] {
			t.Errorf("%s stands in the table twice", name)
		}
		seen[name] = true
		fact := decoded(t, name)
		if got := words(reflect.TypeOf(fact).Elem().Name()); name != got && name != "run-"+got {
			t.Errorf("%T is called %s", fact, name)
		}
	}
	if len(seen) < 40 {
		t.Errorf("only %d facts", len(seen))
	}
}

// decoded is a fact of a type, of which hardly anything is said.
func decoded(t *testing.T, name string) history.Fact {
	t.Helper()
	data := "{}"
	if name == "judged" {
		data = `{"judged":[{"gate":"g"}]}`
	}
	fact, err := history.Decode(record.Record{Fact: record.Fact{Type: name, Data: []byte(data)}})
	if err != nil {
		t.Fatal(err)
	}
	if fact.Type() != name {
		t.Errorf("%s is read as %s", name, fact.Type())
	}
	return fact
}

// words are the words of a name, as in run-started.
func words(name string) string {
	var text strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			text.WriteByte('-')
		}
		text.WriteRune(unicode.ToLower(r))
	}
	return text.String()
}

// fillTexts has every text of a struct say something.
func fillTexts(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("text")
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fillTexts(v.Field(i))
			}
		}
	}
}

// Every fact says something, on one line.
func TestFactsSayOneLine(t *testing.T) {
	for _, name := range history.Types() {
		fact := decoded(t, name)
		fillTexts(reflect.ValueOf(fact).Elem())
		if text := fact.String(); text == "" || strings.Contains(text, "\n") {
			t.Errorf("%s says %q", name, text)
		}
	}
	for want, fact := range map[string]history.Fact{
		"direct: complexity 1 of 5": &history.StrategySet{Strategy: history.Direct, Why: "complexity 1 of 5"},
		"warn: 70 of 100 tokens are used in session 1": &history.Budget{Used: 70, Limit: 100,
			Session: 1},
		"red kept: go test ended with status 1": &history.Cycle{Phase: history.Red, Did: "kept", Test: "go test",
			Exit: 1},
		"sh a.sh was carried out by attempt 1, and is taken over": &history.JobDone{Run: "sh a.sh", Of: 1},
		"sh a.sh went well":                           &history.JobDone{Run: "sh a.sh"},
		"by its steps, task 2 is completed":           &history.TaskOver{Task: "2", Status: history.Completed},
		"by its steps, task 2 is blocked: 1.1 failed": &history.TaskOver{Task: "2", Status: history.Blocked, Reason: "1.1 failed"},
		"tree ; attempt 1 of step 1.1 in run R made  of the same inputs; refused: a.go, b.go": &history.Differs{
			Run: "R", Step: "1.1", Attempt: 1, Refused: true, Paths: []string{"a.go", "b.go"}},
	} {
		if got := fact.String(); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

// What a gate objects to is never said to pass, whatever it shares a record
// with.
func TestJudgedSays(t *testing.T) {
	judged := func(name string, result gate.Result) gate.Judgement {
		return gate.Judgement{Gate: name, Phase: gate.After, Level: gate.BlocksStep,
			Verdict: &gate.Verdict{Result: result}}
	}
	a, b, no, silent := judged("a", gate.Passed), judged("b", gate.Passed), judged("no", gate.Fail),
		gate.Judgement{Gate: "silent"}
	idle := judged("idle", gate.Passed)
	idle.Verdict.Idle, idle.Verdict.Evidence = true, []string{"no limits"}
	for want, gates := range map[string]history.Judged{
		"a (after, level 1): pass":                                 {a},
		"2 gates passed: a, b":                                     {a, b},
		"1 gate passed: b · 2 had nothing to judge":                {idle, b, idle},
		"2 gates had nothing to judge":                             {idle, idle},
		"idle (after, level 1): nothing to judge: no limits":       {idle},
		"no (after, level 1): fail; silent (, level 0): undecided": {a, no, b, silent},
	} {
		if got := gates.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Every fact concerns something: folded in where it does not belong, it is
// refused, and in one place at least it belongs.
func TestFactsConcernSomething(t *testing.T) {
	for _, name := range history.Types() {
		if name == "run-started" {
			continue
		}
		places := 0
		for _, step := range []string{"", "1.1"} {
			j := begun().add("1.1", 0, &history.StepStarted{}).add("1.1", 1, &history.AttemptStarted{})
			attempt := 0
			if step != "" {
				attempt = 1
			}
			rec := record.Record{Seq: 9, Fact: record.Fact{Type: name, Step: step, Attempt: attempt,
				Data: []byte("{}")}}
			if name == "judged" {
				rec.Data = []byte(`{"judged":[{"gate":"g"}]}`)
			}
			err := j.run.Apply(rec)
			if err == nil || !strings.Contains(err.Error(), "names no step") && !strings.Contains(err.Error(), "does not concern a step") {
				places++
			}
		}
		if places == 0 {
			t.Errorf("%s concerns nothing", name)
		}
	}
}
