package validator_test

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
	"github.com/planlock/planlock/gate/validator"
	"github.com/planlock/planlock/plan"
)

func says(r validator.Review) validator.Reviewer {
	return validator.Func(func(context.Context, validator.Request) (validator.Review, error) { return r, nil })
}

// passOf is a pass after the last step of a task with two criteria. a.go has
// three lines, the last without an end.
func passOf(t *testing.T) *gate.Pass {
	pass := gatetest.Pass(t, nil, gatetest.Files{"a.go": "one\ntwo\nthree", "d/b.go": "x\n", "empty": ""})
	pass.Phase, pass.Attempt = gate.After, 1
	pass.Task = &plan.Task{ID: "1", AcceptanceCriteria: []string{"it counts", "it is documented"},
		Steps: []plan.Step{{Address: "1.1"}, {Address: "1.2"}}}
	pass.Step = &pass.Task.Steps[1]
	return pass
}

func met(number int, citations ...string) validator.Criterion {
	return validator.Criterion{Number: number, Met: true, Citations: citations}
}

func TestVerdicts(t *testing.T) {
	tests := map[string]struct {
		review validator.Review
		want   gate.Result
		codes  string
	}{
		"all met and cited": {validator.Review{Verdict: "pass",
			Criteria: []validator.Criterion{met(1, "a.go:1"), met(2, "d/b.go:1")}}, gate.Passed, ""},
		"the last line of a file": {validator.Review{Verdict: "pass",
			Criteria: []validator.Criterion{met(1, "a.go:3"), met(2, "a.go:2-3")}}, gate.Passed, ""},
		"one line behind the last": {validator.Review{Verdict: "pass",
			Criteria: []validator.Criterion{met(1, "a.go:4", "a.go:1"), met(2, "a.go:1")}}, gate.Fail,
			validator.CodeCitation},
		"line 0": {validator.Review{Verdict: "pass",
			Criteria: []validator.Criterion{met(1, "a.go:0", "a.go:1"), met(2, "a.go:1")}}, gate.Fail,
			validator.CodeCitation},
		"a line of an empty file": {validator.Review{Verdict: "pass",
			Criteria: []validator.Criterion{met(1, "empty:1", "a.go:1"), met(2, "a.go:1")}}, gate.Fail,
			validator.CodeCitation},
		"a file that is not there": {validator.Review{Verdict: "pass",
			Criteria: []validator.Criterion{met(1, "c.go:1", "a.go:1"), met(2, "a.go:1")}}, gate.Fail,
			validator.CodeCitation},
		"a folder":                 {validator.Review{Verdict: "pass", Criteria: []validator.Criterion{met(1, "d:1", "a.go:1"), met(2, "a.go:1")}}, gate.Fail, validator.CodeCitation},
		"outside of the workspace": {validator.Review{Verdict: "pass", Criteria: []validator.Criterion{met(1, "../etc/passwd:1", "a.go:1"), met(2, "a.go:1")}}, gate.Fail, validator.CodeCitation},
		"a file without a line":    {validator.Review{Verdict: "pass", Criteria: []validator.Criterion{met(1, "a.go", "a.go:1"), met(2, "a.go:1")}}, gate.Fail, validator.CodeCitation},
		"a pass without evidence": {validator.Review{Verdict: "pass",
			Criteria: []validator.Criterion{met(1), met(2)}}, gate.Fail,
			validator.CodeNoEvidence + " " + validator.CodeNoEvidence + " " + validator.CodeNoEvidence},
		"a pass that is silent about one": {validator.Review{Verdict: "pass", Criteria: []validator.Criterion{met(1, "a.go:1")}}, gate.Fail, validator.CodeNoEvidence},
		"a pass that says one is not met": {validator.Review{Verdict: "pass", Criteria: []validator.Criterion{met(1, "a.go:1"), {Number: 2}}}, gate.Fail, validator.CodeNotMet},
		"partial": {validator.Review{Verdict: "partial",
			Criteria: []validator.Criterion{met(1, "a.go:1"), {Number: 2}}}, gate.Partial, " "},
		"fail": {validator.Review{Verdict: "fail",
			Findings: []string{"it does not count"}}, gate.Fail, validator.CodeRejected},
		"fail without a reason is a fail": {validator.Review{Verdict: "fail"}, gate.Fail, validator.CodeRejected},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			pass := passOf(t)
			if err := validator.New(says(tt.review)).Judge(context.Background(), pass); err != nil {
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
	g := validator.New(validator.Func(func(context.Context, validator.Request) (validator.Review, error) {
		called = true
		return validator.Review{}, nil
	}))
	if err := g.Judge(context.Background(), pass); err != nil || called || pass.Verdict().Result != gate.Passed {
		t.Errorf("err %v, called %v", err, called)
	}
}

func TestTimeOut(t *testing.T) {
	if got := validator.New(says(validator.Review{})).Info().Timeout.Seconds(); got != 120 {
		t.Errorf("the time-out is %v seconds, want 120", got)
	}
}

func TestConforms(t *testing.T) {
	gatetest.Run(t, validator.New(validator.Func(func(ctx context.Context, r validator.Request) (validator.Review,
		error) {
		return validator.Review{Verdict: gate.Fail}, ctx.Err()
	})))
}

func TestRead(t *testing.T) {
	for text, want := range map[string]gate.Result{
		`{"verdict": "pass"}`:                         gate.Passed,
		"I looked at it.\n{\"verdict\": \"partial\"}": gate.Partial,
		"{\n \"verdict\": \"fail\"\n}\n":              gate.Fail,
		`{"verdict": "PASS"}`:                         "",
		`{"verdict": "pass"} and more`:                "",
		"pass":                                        "",
		"":                                            "",
		`null`:                                        "",
	} {
		r, err := validator.Read([]byte(text))
		if r.Verdict != want || (err != nil) != (want == "") || err != nil && !errors.Is(err, validator.ErrAnswer) {
			t.Errorf("%q: %q, %v", text, r.Verdict, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"verdict": "pass", "criteria": [{"criterion": 1, "met": true, "citations": ["a:1"]}]}`))
	f.Add([]byte("x\n{}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := validator.Read(text); err != nil && !errors.Is(err, validator.ErrAnswer) {
			t.Errorf("%q: %v", text, err)
		}
	})
}

func TestProgram(t *testing.T) {
	if _, err := osexec.LookPath("sh"); err != nil {
		t.Skip("there is no sh here")
	}
	pass := passOf(t)
	pass.Runner = gatetest.Local{Dir: pass.Dir}
	g := validator.New(&validator.Program{Args: []string{"sh", "-c", `read line; case "$line" in *'"it counts"'*) ;; *) exit 3;; esac
echo looking; echo '{"verdict": "pass", "criteria": [{"criterion": 1, "met": true, "citations": ["a.go:1"]}, {"criterion": 2, "met": true, "citations": ["a.go:2"]}]}'`}})
	if err := g.Judge(context.Background(), pass); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]gate.Citation{{Path: "a.go", Line: 1}, {Path: "a.go", Line: 2}},
		pass.Verdict().Citations); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, script := range []string{"exit 1", "echo fine", "true"} {
		if err := validator.New(&validator.Program{Args: []string{"sh", "-c", script}}).Judge(context.Background(),
			pass.Fresh()); err == nil {
			t.Errorf("%q decided something", script)
		}
	}
}

func ExampleRequest_Prompt() {
	r := validator.Request{Goal: "Limit clients", Task: "1", Title: "Count requests", Criteria: []string{"the 11th request gets 429"}, Changed: []string{"limit.go"}}
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
