package review_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/gatetest"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// changing is a pass after the second step of a task, which changed mod.txt,
// made new.txt and an empty file, and removed gone.txt; cut.txt
// lost a line. The step before wrote the first line of early.txt.
func changing(t *testing.T) *gate.Pass {
	pass := gatetest.Pass(t, gatetest.Files{"mod.txt": "one\ntwo\nthree\n", "gone.txt": "x\n", "cut.txt": "one\ntwo\n",
		"README.md": "read\n", "other.txt": "o\n", "early.txt": "first\n"},
		gatetest.Files{"mod.txt": "one\n2\nthree\n", "new.txt": "a\n\tb c\n", "empty.txt": "", "cut.txt": "one\n",
			"README.md": "read\n", "other.txt": "o\n", "early.txt": "first\n"})
	pass.Phase = gate.Reviewing
	pass.Task = &plan.Task{ID: "1", Title: "Mend README.md", AcceptanceCriteria: []string{"it counts"},
		Steps: []plan.Step{{Address: "1.1"}, {Address: "1.2", Description: "Write"}}}
	pass.Step = &pass.Task.Steps[1]
	return pass
}

// TestCitationsShow: a citation says whether it quotes what the task changed or
// names, and what it quotes has to stand there.
func TestCitationsShow(t *testing.T) {
	for cited, want := range map[string]string{
		"mod.txt:2":                   "changed",
		"mod.txt:1-2":                 "changed",
		"mod.txt:2:1":                 "changed",
		"mod.txt:2: 2":                "changed",
		"mod.txt:1":                   "",
		"mod.txt:3":                   "",
		"new.txt:1":                   "changed",
		"new.txt:2: b   c":            "changed",
		"new.txt:1-2: a b":            "changed",
		"new.txt:1: b c":              `refused: there stands "a"`,
		"mod.txt:2: two":              `refused: there stands "2"`,
		"mod.txt:2-1":                 "refused: its range of lines has no end",
		"mod.txt:2-4":                 "refused: lines of the file: 3",
		"gone.txt":                    "changed",
		"gone.txt:1":                  "refused: there is no such file",
		"empty.txt":                   "changed",
		"cut.txt":                     "changed",
		"cut.txt:1":                   "",
		"mod.txt":                     "refused: it names no line",
		"other.txt":                   "refused: it names no line",
		"other.txt:1":                 "",
		"README.md:1":                 "named",
		"README.md:1: read":           "named",
		"README.md:1: rebuilt":        `refused: there stands "read"`,
		"early.txt:1":                 "",
		"new.txt:9999999999999999999": "refused: it names no line",
	} {
		pass := changing(t)
		g := review.Work(says(review.Review{Verdict: "pass", Criteria: []review.Criterion{met(1, cited)}}))
		if err := g.Judge(t.Context(), pass); err != nil {
			t.Fatal(err)
		}
		v, got := pass.Verdict(), ""
		for _, c := range v.Citations {
			got += string(c.Shows)
		}
		for _, f := range v.Findings {
			if f.Code == citation {
				got += strings.Replace(f.Message, `"`+cited+`" is cited`, "refused", 1)
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", cited, got, want)
		}
		if diff := cmp.Diff(v.Citations, v.Review.Criteria[0].Citations); diff != "" {
			t.Errorf("%q: what is cited for the criterion (-of the verdict +of the criterion):\n%s", cited, diff)
		}
	}
}

// TestNamed: a path is named by a word of its own, not by a part of another.
func TestNamed(t *testing.T) {
	glob := &plan.Artifacts{Modify: []string{"*.txt"}}
	for name, tt := range map[string]struct {
		criterion string
		artifacts *plan.Artifacts
		evidence  []string
		want      gate.Shown
	}{
		"nobody":             {},
		"by the criterion":   {criterion: "other.txt says o.", want: gate.ShowsNamed},
		"in this folder":     {criterion: "look into ./other.txt", want: gate.ShowsNamed},
		"of another folder":  {criterion: "look into ../other.txt, a/other.txt and another.txt"},
		"with more behind":   {criterion: "other.txt.bak"},
		"as an artifact":     {artifacts: &plan.Artifacts{Create: []string{"other.txt"}}, want: gate.ShowsNamed},
		"as evidence":        {evidence: []string{"other.txt"}, want: gate.ShowsNamed},
		"by a glob, of many": {artifacts: glob},
	} {
		pass := changing(t)
		pass.Task.AcceptanceCriteria = []string{tt.criterion}
		pass.Step.Artifacts, pass.Step.Evidence = tt.artifacts, tt.evidence
		g := review.Work(says(review.Review{Verdict: "pass", Criteria: []review.Criterion{met(1, "other.txt:1")}}))
		if err := g.Judge(t.Context(), pass); err != nil {
			t.Fatal(err)
		}
		if got := pass.Verdict().Citations[0].Shows; got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestSinceTheTaskBegan: what an earlier step of the task changed counts too.
func TestSinceTheTaskBegan(t *testing.T) {
	pass := changing(t)
	before := gatetest.Pass(t, nil, gatetest.Files{"mod.txt": "one\n2\nthree\n"}).After
	pass.Since = func(context.Context) (*ledger.Tree, error) { return before, nil }
	g := review.Work(says(review.Review{Verdict: "pass",
		Criteria: []review.Criterion{met(1, "early.txt:1", "mod.txt:2")}}))
	if err := g.Judge(t.Context(), pass); err != nil {
		t.Fatal(err)
	}
	want := []gate.Citation{{Path: "early.txt", Line: 1, Shows: gate.ShowsChange}, {Path: "mod.txt", Line: 2}}
	if diff := cmp.Diff(want, pass.Verdict().Citations); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestReviewed: each criterion stands in the verdict, those that nobody judged
// without a word whether they are met.
func TestReviewed(t *testing.T) {
	yes, no := true, false
	one := []gate.Citation{{Path: "a.go", Line: 1, Shows: gate.ShowsChange}}
	for name, tt := range map[string]struct {
		criteria []string
		answer   string
		want     []gate.Criterion
	}{
		"all": {[]string{"x", "y"}, `{"verdict": "partial", "criteria": [{"criterion": 2, "met": false, "note": "no"},
			{"criterion": 1, "met": true, "citations": ["a.go:1", "b.go:1"]}]}`,
			[]gate.Criterion{{Text: "x", Met: &yes, Citations: one}, {Text: "y", Met: &no, Note: "no"}}},
		"not judged": {[]string{"x", "y", "z"}, `{"verdict": "pass", "criteria": [{"criterion": 2, "met": null},
			{"criterion": 3, "citations": ["a.go:1"]}], "citations": ["a.go:1"]}`,
			[]gate.Criterion{{Text: "x"}, {Text: "y"}, {Text: "z"}}},
		"none, by its number": {nil, `{"verdict": "pass", "criteria": [{"criterion": 1, "met": true, "citations": ["a.go:1"]}]}`,
			[]gate.Criterion{{Text: "done as described: Count", Met: &yes, Citations: one}}},
		"none, as a whole": {nil, `{"verdict": "pass", "citations": ["a.go:1"]}`,
			[]gate.Criterion{{Text: "done as described: Count", Met: &yes, Citations: one}}},
		"none, and rejected": {nil, `{"verdict": "fail"}`,
			[]gate.Criterion{{Text: "done as described: Count", Met: &no}}},
	} {
		pass := passOf(t)
		pass.Task.AcceptanceCriteria, pass.Task.Description = tt.criteria, "Count"
		g := review.Work(workFunc(func(_ context.Context, r review.Request) (review.Review, error) {
			return r.Read([]byte(tt.answer))
		}))
		if err := g.Judge(t.Context(), pass); err != nil {
			t.Fatal(err)
		}
		want := &gate.Review{Reviewer: "second", Criteria: tt.want}
		if diff := cmp.Diff(want, pass.Verdict().Review); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestNumbers: what is said of a criterion that there is not, or twice of one,
// decides nothing.
func TestNumbers(t *testing.T) {
	for _, criteria := range [][]review.Criterion{{met(0, "a.go:1")}, {met(3, "a.go:1")},
		{met(1, "a.go:1"), met(2, "a.go:1"), {Number: 1}}} {
		pass := passOf(t)
		g := review.Work(says(review.Review{Verdict: "pass", Criteria: criteria}))
		if err := g.Judge(t.Context(), pass); err == nil || pass.Verdict().Review != nil {
			t.Errorf("%+v: error %v, %+v", criteria, err, pass.Verdict())
		}
	}
}
