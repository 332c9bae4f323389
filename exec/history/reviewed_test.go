package history

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/gate"
)

// A review counts that is of somebody else, and finds all met, each with a
// citation of what the step is about. What does not count says why.
func TestReviewsCount(t *testing.T) {
	yes, no := true, false
	met := func(shows gate.Shown) gate.Criterion {
		return gate.Criterion{Text: "it counts", Met: &yes,
			Citations: []gate.Citation{{Path: "README", Line: 1, Text: "x"}, {Path: "a", Line: 1, Text: "x", Shows: shows}}}
	}
	for name, tt := range map[string]struct {
		identity string
		result   gate.Result
		criteria []gate.Criterion
		want     string
	}{
		"all changed or named": {"b", gate.Passed, []gate.Criterion{met(gate.ShowsChange), met(gate.ShowsNamed)}, ""},
		"nobody can tell":      {"", gate.Passed, []gate.Criterion{met(gate.ShowsChange)}, ""},
		"of the executor": {"a", gate.Passed, []gate.Criterion{met(gate.ShowsChange)},
			"the reviewer is the one that did the work"},
		"it objects":   {"b", gate.Fail, []gate.Criterion{met(gate.ShowsChange)}, "it says fail"},
		"no criterion": {"b", gate.Passed, nil, "it judges no criterion"},
		"one not judged": {"b", gate.Passed, []gate.Criterion{met(gate.ShowsChange), {Text: "it is fast"}},
			"criterion 2 was not judged: it is fast"},
		"one not met": {"b", gate.Passed, []gate.Criterion{{Text: "it is fast", Met: &no}},
			"criterion 1 is not met: it is fast"},
		"citations of something else": {"b", gate.Passed, []gate.Criterion{met("")},
			"for criterion 1 nothing is cited that the step changed or names: it counts"},
	} {
		t.Run(name, func(t *testing.T) {
			v := &gate.Verdict{Result: tt.result, Review: &gate.Review{Reviewer: "second", Identity: tt.identity,
				Criteria: tt.criteria}}
			s := &Step{Attempts: []*Attempt{{Method: AttemptStarted{Identity: "a"},
				Gates: []gate.Judgement{{Gate: "other", Verdict: &gate.Verdict{}}, {Gate: "review"}, {Gate: "review", Verdict: v}}}}}
			if s.Reviews() != nil {
				t.Error("a step that is not completed has reviews")
			}
			s.Completed = &StepCompleted{}
			got := s.Reviews()
			if len(got) != 1 || got[0].Why != tt.want || got[0].Counts() != (tt.want == "") || got[0].Gate != "review" {
				t.Errorf("%+v, want %q", got, tt.want)
			}
		})
	}
}

// A review is read as it was written; what nobody judged is null.
func TestReviewJSON(t *testing.T) {
	yes := true
	j := judgement("review", gate.Passed)
	j.Verdict.Review = &gate.Review{Reviewer: "second", Identity: "sha256:1", Criteria: []gate.Criterion{
		{Text: "it counts", Met: &yes, Citations: []gate.Citation{{Path: "a", Line: 3, Text: "n++", Shows: gate.ShowsChange}}},
		{Text: "it is fast"}}}
	text, err := json.Marshal(&Judged{j})
	const want = `{"judged":[{"gate":"review","level":1,"phase":"after","verdict":{"result":"pass","review":{"reviewer":"second","identity":"sha256:1","criteria":[` +
		`{"text":"it counts","met":true,"citations":[{"path":"a","line":3,"text":"n++","shows":"changed"}]},` +
		`{"text":"it is fast","met":null}]}},"took_ms":0}]}`
	if err != nil || string(text) != want {
		t.Fatalf("%s, %v", text, err)
	}
	var read Judged
	if err := json.Unmarshal(text, &read); err != nil || !cmp.Equal(read, Judged{j}) {
		t.Errorf("%+v, %v", read, err)
	}
	if sameJudgement(j, j) {
		t.Error("reviews are never said to be the same")
	}
	if (&Judged{j}).readBack() != nil {
		t.Error("a review is kept without being read")
	}
}
