package gate

import (
	"encoding/json"
	"testing"
	"time"
)

// What is written without package json is what that writes.
func FuzzPlainJSON(f *testing.F) {
	f.Add("syntax", 1, "during", "pass", "looked at 3 files", "", uint8(2), true, int64(0))
	f.Add("zwölf", -1, "", "partial", "a <b> & c", "\x7f", uint8(1), false, int64(1_999_999))
	f.Add("a\"b", 0, "after\\", "\u2028", "", "\xff", uint8(0), true, int64(-5_000_000))
	f.Fuzz(func(t *testing.T, name string, level int, phase, result, first, second string, evidence uint8,
		stateless bool, took int64) {
		j := Judgement{Gate: name, Level: Level(level), Phase: Phase(phase), Stateless: stateless,
			Took: time.Duration(took),
			Verdict: &Verdict{Result: Result(result), Idle: evidence > 3,
				Evidence: []string{first, second, first}[:evidence%4]}}
		text, ok := j.plainJSON()
		want, err := json.Marshal(record{Gate: j.Gate, Level: j.Level, Phase: j.Phase, Stateless: stateless,
			Verdict: j.Verdict, TookMS: j.Took.Milliseconds()})
		if err != nil {
			t.Fatal(err)
		}
		if ok && string(text) != string(want) {
			t.Errorf("got  %s\nwant %s", text, want)
		}
	})
}

func TestPlainJSONIsForThePlain(t *testing.T) {
	passes := &Verdict{Result: Passed, Evidence: []string{"0.txt is there"}}
	for _, tt := range []struct {
		name string
		j    Judgement
		want bool
	}{
		{"passes", Judgement{Gate: "syntax", Verdict: passes}, true},
		{"says nothing", Judgement{Gate: "syntax", Verdict: &Verdict{Result: Passed}}, true},
		{"undecided", Judgement{Gate: "syntax"}, false},
		{"an error", Judgement{Gate: "syntax", Verdict: passes, Err: &PanicError{}}, false},
		{"objects", Judgement{Gate: "syntax", Verdict: &Verdict{Result: Fail, Findings: []Finding{{Message: "no"}}}},
			false},
		{"cites", Judgement{Gate: "syntax", Verdict: &Verdict{Result: Passed, Citations: []Citation{{Path: "a"}}}},
			false},
		{"quotes", Judgement{Gate: "syntax", Verdict: &Verdict{Result: Passed, Evidence: []string{`"a" is there`}}},
			false},
	} {
		if _, ok := tt.j.plainJSON(); ok != tt.want {
			t.Errorf("%s: %v", tt.name, ok)
		}
	}
}

func BenchmarkJudgementJSON(b *testing.B) {
	j := Judgement{Gate: "postconditions", Level: BlocksStep, Phase: After, Stateless: true,
		Verdict: &Verdict{Result: Passed, Evidence: []string{"0.txt is there"}}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := j.MarshalJSON(); err != nil {
			b.Fatal(err)
		}
	}
}
