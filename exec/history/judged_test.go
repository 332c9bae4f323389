package history

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/gate"
)

func judgement(name string, result gate.Result, findings ...gate.Finding) gate.Judgement {
	return gate.Judgement{Gate: name, Level: gate.BlocksStep, Phase: gate.After,
		Verdict: &gate.Verdict{Result: result, Findings: findings}}
}

// Gates that have something to say have records of their own, and the others
// share them; nothing changes places.
func TestJudged(t *testing.T) {
	undecided := gate.Judgement{Gate: "u", Err: &gate.RecordedError{Class: "error", Text: "no"}}
	silent := gate.Judgement{Gate: "s"}
	warned := judgement("w", gate.Passed, gate.Finding{Message: "beware"})
	a, b, c := judgement("a", gate.Passed), judgement("b", gate.Passed), judgement("c", gate.Passed)
	fails, half := judgement("f", gate.Fail), judgement("h", gate.Partial)
	for name, tt := range map[string]struct {
		judged []gate.Judgement
		want   string
	}{
		"none":      {nil, ""},
		"one":       {[]gate.Judgement{a}, "a"},
		"all pass":  {[]gate.Judgement{a, b, c}, "abc"},
		"between":   {[]gate.Judgement{a, b, fails, c}, "ab f c"},
		"at once":   {[]gate.Judgement{fails, half, warned, undecided, silent}, "f h w u s"},
		"beginning": {[]gate.Judgement{warned, a, b}, "w ab"},
		"end":       {[]gate.Judgement{a, b, undecided}, "ab u"},
	} {
		t.Run(name, func(t *testing.T) {
			var records []string
			var all []gate.Judgement
			for _, f := range Judged(tt.judged).Facts() {
				names := ""
				for _, j := range *f.(*Judged) {
					names += j.Gate
				}
				records, all = append(records, names), append(all, *f.(*Judged)...)
			}
			if got := strings.Join(records, " "); got != tt.want {
				t.Errorf("records %q, want %q", got, tt.want)
			}
			if !slices.EqualFunc(all, tt.judged, func(a, b gate.Judgement) bool { return a.Gate == b.Gate }) {
				t.Error("not what was judged, in its order")
			}
		})
	}
}

// What gates say that share a record is bounded, so that a journal takes it.
func TestJudgedAtLength(t *testing.T) {
	long := judgement("long", gate.Passed)
	for range 200 {
		// six bytes each in JSON
		long.Verdict.Evidence = append(long.Verdict.Evidence, strings.Repeat("<", 4<<10))
	}
	short := judgement("short", gate.Passed)
	facts := Judged{short, long, short, long, long, long, long, long, long, short}.Facts()
	for _, f := range facts {
		encoded, err := Located{Fact: f}.Encode()
		if err != nil || len(encoded.Data) > 32<<20 {
			t.Errorf("%d bytes, %v", len(encoded.Data), err)
		}
	}
	if len(facts) != 7 {
		t.Errorf("%d records, want 7: each long one with the short ones beside it", len(facts))
	}
}

func TestJudgedJSON(t *testing.T) {
	a, b := judgement("a", gate.Passed), judgement("b", gate.Fail, gate.Finding{Code: "x", Message: "no"})
	one, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	other, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	for want, gates := range map[string]Judged{
		`{"judged":[` + string(one) + `]}`:                       {a},
		`{"judged":[` + string(one) + `,` + string(other) + `]}`: {a, b},
	} {
		got, err := json.Marshal(&gates)
		if err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
		run := &Run{}
		for range 2 { // the second time they are known by their text
			fact, err := read(record.Record{Seq: 1, Fact: record.Fact{Type: "judged", Data: []byte(want)}}, &run.said)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&gates, fact); diff != "" {
				t.Errorf("%s reads otherwise (-want +got):\n%s", want, diff)
			}
		}
	}
	spaced, err := json.MarshalIndent(Judged{a, b}, " ", " ")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(spaced), `{"later":1,"judged":[` + string(one) + `,` + string(other) + `]}`} {
		var read Judged
		if err := json.Unmarshal([]byte(text), &read); err != nil || !cmp.Equal(read, Judged{a, b}) {
			t.Errorf("%s reads as %+v, %v", text, read, err)
		}
	}
	if _, err := json.Marshal(Judged{}); err == nil {
		t.Error("no judgement is written")
	}
	for _, bad := range []string{"", "[]", `{"judged":[]}`, `{"judged":null}`, `{"judged":{}}`, `{"judged":[1]}`, `{"judged":[{"gate":1}]}`, `{"judged":[{}`, "{}", string(one), `"x"`} {
		fact, err := Decode(record.Record{Seq: 7, Fact: record.Fact{Type: "judged", Data: []byte(bad)}})
		if err == nil || !strings.Contains(err.Error(), "record 7 (judged)") {
			t.Errorf("%s reads as %+v, %v", bad, fact, err)
		}
	}
}
