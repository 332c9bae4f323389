package review_test

import (
	"context"
	"errors"
	"fmt"
	osexec "os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/gatetest"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/gate/review/external"
	"github.com/planlock/planlock/plan"
)

// Codes of findings.
const (
	notMet, noEvidence = "criterion-not-met", "pass-no-evidence"
	citation, rejected = "citation-not-there", "rejected-by-reviewer"
)

func workFunc(ask func(context.Context, review.Request) (review.Review, error)) review.Reviewer {
	return review.Func{Label: "second", Ask: ask}
}

func says(r review.Review) review.Reviewer {
	return workFunc(func(context.Context, review.Request) (review.Review, error) { return r, nil })
}

// passOf is a pass after the last step of a task with two criteria. a.go has
// three lines, the last without an end.
func passOf(t *testing.T) *gate.Pass {
	pass := gatetest.Pass(t, nil, gatetest.Files{"a.go": "one\ntwo\nthree", "d/b.go": "x\n", "empty": ""})
	pass.Phase, pass.Attempt = gate.Reviewing, 1
	pass.Task = &plan.Task{ID: "1", AcceptanceCriteria: []string{"it counts", "it is documented"},
		Steps: []plan.Step{{Address: "1.1"}, {Address: "1.2"}}}
	pass.Step = &pass.Task.Steps[1]
	return pass
}

func met(number int, citations ...string) review.Criterion {
	return review.Criterion{Number: number, Met: true, Citations: citations}
}

func TestVerdicts(t *testing.T) {
	tests := map[string]struct {
		review review.Review
		want   gate.Result
		codes  string
	}{
		"all met and cited": {review.Review{Verdict: "pass",
			Criteria: []review.Criterion{met(1, "a.go:1"), met(2, "d/b.go:1")}}, gate.Passed, ""},
		"the last line of a file": {review.Review{Verdict: "pass",
			Criteria: []review.Criterion{met(1, "a.go:3"), met(2, "a.go:2-3")}}, gate.Passed, ""},
		"one line behind the last": {review.Review{Verdict: "pass",
			Criteria: []review.Criterion{met(1, "a.go:4", "a.go:1"), met(2, "a.go:1")}}, gate.Fail,
			citation},
		"line 0": {review.Review{Verdict: "pass",
			Criteria: []review.Criterion{met(1, "a.go:0", "a.go:1"), met(2, "a.go:1")}}, gate.Fail,
			citation},
		"a line of an empty file": {review.Review{Verdict: "pass",
			Criteria: []review.Criterion{met(1, "empty:1", "a.go:1"), met(2, "a.go:1")}}, gate.Fail,
			citation},
		"a file that is not there": {review.Review{Verdict: "pass",
			Criteria: []review.Criterion{met(1, "c.go:1", "a.go:1"), met(2, "a.go:1")}}, gate.Fail,
			citation},
		"a folder": {review.Review{Verdict: "pass",
			Criteria: []review.Criterion{met(1, "d:1", "a.go:1"), met(2, "a.go:1")}}, gate.Fail, citation},
		"outside of the workspace": {review.Review{Verdict: "pass", Criteria: []review.Criterion{met(1, "../etc/passwd:1", "a.go:1"), met(2, "a.go:1")}}, gate.Fail, citation},
		"a file without a line": {review.Review{Verdict: "pass",
			Criteria: []review.Criterion{met(1, "a.go", "a.go:1"), met(2, "a.go:1")}}, gate.Fail, citation},
		"a pass without evidence": {review.Review{Verdict: "pass",
			Criteria: []review.Criterion{met(1), met(2)}}, gate.Fail,
			noEvidence + " " + noEvidence + " " + noEvidence},
		"a pass that is silent about one": {review.Review{Verdict: "pass",
			Criteria: []review.Criterion{met(1, "a.go:1")}}, gate.Fail, noEvidence},
		"a pass that says one is not met": {review.Review{Verdict: "pass",
			Criteria: []review.Criterion{met(1, "a.go:1"), {Number: 2}}}, gate.Fail, notMet},
		"partial": {review.Review{Verdict: "partial",
			Criteria: []review.Criterion{met(1, "a.go:1"), {Number: 2}}}, gate.Partial, " "},
		"fail": {review.Review{Verdict: "fail",
			Findings: []string{"it does not count"}}, gate.Fail, rejected},
		"fail without a reason is a fail": {review.Review{Verdict: "fail"}, gate.Fail, rejected},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			pass := passOf(t)
			if err := review.Work(says(tt.review)).Judge(context.Background(), pass); err != nil {
				t.Fatal(err)
			}
			v := pass.Verdict()
			var codes []string
			for _, f := range v.Findings {
				codes = append(codes, f.Code)
			}
			if v.Result != tt.want || strings.Join(codes, " ") != tt.codes {
				t.Errorf("got %s %q, want %s %q\n%+v", v.Result, codes, tt.want, tt.codes, v.Findings)
			}
		})
	}
}

func TestOtherStepsAreLeftAlone(t *testing.T) {
	pass := passOf(t)
	pass.Step = &pass.Task.Steps[0]
	called := false
	g := review.Work(workFunc(func(context.Context, review.Request) (review.Review, error) {
		called = true
		return review.Review{}, nil
	}))
	if err := g.Judge(context.Background(), pass); err != nil || called || pass.Verdict().Result != gate.Passed {
		t.Errorf("err %v, called %v", err, called)
	}
}

// Who judges the work is told what binds it, as who does it is.
func TestConstraintsAreTold(t *testing.T) {
	pass := passOf(t)
	pass.Plan = &plan.Plan{Settings: []plan.Setting{
		{Key: "constraints.latency", Value: plan.Value{Kind: "string", Text: "below 50 ms"}},
		{Key: "components.limiter", Value: plan.Value{Kind: "string", Text: "counts"}}}}
	pass.Task.Steps[0].Constraints = []string{"constraints.latency", "unknown"}
	pass.Step.Components = []string{"limiter"}
	var got *review.Request
	if err := review.Work(workFunc(func(_ context.Context, r review.Request) (review.Review, error) {
		got = &r
		return review.Review{Verdict: "fail"}, nil
	})).Judge(context.Background(), pass); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"latency: below 50 ms", "unknown"}, got.Steps[0].Constraints); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"limiter: counts"}, got.Steps[1].Components); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(got.Prompt(), "What binds step 1.1:\n") || !strings.Contains(got.Prompt(), "latency: below 50 ms") {
		t.Errorf("a model is not told: %s", got.Prompt())
	}
}

func TestTimeOut(t *testing.T) {
	if got := review.Work(says(review.Review{})).Info().Timeout.Seconds(); got != 120 {
		t.Errorf("the time-out is %v seconds, want 120", got)
	}
}

func TestConforms(t *testing.T) {
	gatetest.Run(t, review.Work(workFunc(func(ctx context.Context, r review.Request) (review.Review,
		error) {
		return review.Review{Verdict: "fail"}, ctx.Err()
	})))
}

var aboutWork = &review.Request{About: review.AboutWork}

func TestReadWork(t *testing.T) {
	for text, want := range map[string]string{
		`{"verdict": "pass"}`:                         "pass",
		"I looked at it.\n{\"verdict\": \"partial\"}": "partial",
		"{\n \"verdict\": \"fail\"\n}\n":              "fail",
		`{"verdict": "PASS"}`:                         "",
		`{"verdict": "pass"} and more`:                "",
		"pass":                                        "",
		"":                                            "",
		`null`:                                        "",
		`{"verdict": "fail", "verdict": "pass"}`:      "",
		`{"verdict": "fail", "Verdict": "pass"}`:      "",
		"{\"verdict\": \"pass\", \"findings\": [\"\xff\"]}":                              "",
		`{"verdict": "pass", "criteria": [{"met": false, "criterion": 1, "met": true}]}`: "",
	} {
		r, err := aboutWork.Read([]byte(text))
		if r.Verdict != want || (err != nil) != (want == "") || err != nil && !errors.Is(err, review.ErrAnswer) {
			t.Errorf("%q: %q, %v", text, r.Verdict, err)
		}
	}
}

// What cannot be read is said with its place.
func TestReadWorkSaysWhere(t *testing.T) {
	for text, want := range map[string]string{
		`{"verdict": "fail", "verdict": "pass"}`:           `byte 20: the name "verdict" stands twice`,
		"{\"verdict\": \"\xff\"}":                          "byte 13: the byte 0xff is not UTF-8",
		`{"verdict": "pass", "criteria": [{"Met": true}]}`: `byte 34: the name "met" is spelled "Met"`,
	} {
		if _, err := aboutWork.Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzReadWork(f *testing.F) {
	f.Add([]byte(`{"verdict": "pass", "criteria": [{"criterion": 1, "met": true, "citations": ["a:1"]}]}`))
	f.Add([]byte("x\n{}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := aboutWork.Read(text); err != nil && !errors.Is(err, review.ErrAnswer) {
			t.Errorf("%q: %v", text, err)
		}
	})
}

func TestWorkOfProgram(t *testing.T) {
	if _, err := osexec.LookPath("sh"); err != nil {
		t.Skip("there is no sh here")
	}
	pass := passOf(t)
	pass.Runner = gatetest.Local{Dir: pass.Dir}
	g := review.Work(&external.Program{Label: "program", Args: []string{"sh", "-c", `read line; case "$line" in *'"it counts"'*) ;; *) exit 3;; esac
echo looking; echo '{"verdict": "pass", "criteria": [{"criterion": 1, "met": true, "citations": ["a.go:1"]}, {"criterion": 2, "met": true, "citations": ["a.go:2"]}]}'`}})
	if err := g.Judge(context.Background(), pass); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]gate.Citation{{Path: "a.go", Line: 1, Shows: gate.ShowsChange},
		{Path: "a.go", Line: 2, Shows: gate.ShowsChange}},
		pass.Verdict().Citations); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, script := range []string{"exit 1", "echo fine", "true"} {
		if err := review.Work(&external.Program{Label: "program",
			Args: []string{"sh", "-c", script}}).Judge(context.Background(),
			pass.Fresh()); err == nil {
			t.Errorf("%q decided something", script)
		}
	}
}

func ExampleRequest_Prompt() {
	r := review.Request{About: review.AboutWork, Goal: "Limit clients", Task: "1", Title: "Count requests",
		Acceptance: []string{"the 11th request gets 429"}, Changes: []review.Change{{Path: "limit.go", Op: "modified"}}}
	fmt.Println(strings.Join(strings.Split(r.Prompt(), "\n")[:7], "\n"))
	// Output:
	// Verify task 1: Count requests
	// It is part of: Limit clients
	//
	// Criteria:
	// 1. the 11th request gets 429
	//
	// Changed files:
}
