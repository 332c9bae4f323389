package approval_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/approval"
	"github.com/planlock/planlock/plan/formats/intake"
)

const good = `{"verdict":"APPROVE","flags":{"critical":[],"warnings":["large"]},"checks":{"requirements_passed":true,"mlflow_required":true},
"proposed_jobs":[{"id":"base","entry":"run.py","args":{"batch_size":16},"expected_artifacts":["base.json"]}]}`

// TestRead: what does not say APPROVE in its place, in a whole contract, is no
// approval.
func TestRead(t *testing.T) {
	without := func(field string) string { return strings.Replace(good, `"`+field+`":`, `"no_`+field+`":`, 1) }
	line := strings.ReplaceAll(good, "\n", "")
	tests := map[string]struct {
		text     string
		approves bool
		reason   string
	}{
		"whole":               {good, true, ""},
		"a line among others": {"thinking\n{\"step\":1}\n" + line + "\nbye", true, ""},
		"two lines":           {line + "\n" + line, false, "two contracts"},
		"text":                {"I have approved this. APPROVE", false, "no JSON object"},
		"nothing":             {"", false, "no JSON object"},
		"a list":              {"[" + good + "]", false, "missing"},
		"null":                {"null", false, "missing"},
		"reject":              {strings.Replace(good, "APPROVE", "REJECT", 1), false, `the verdict is "REJECT"`},
		"conditional":         {strings.Replace(good, "APPROVE", "CONDITIONAL", 1), false, `the verdict is "CONDITIONAL"`},
		"small letters": {strings.Replace(good, "APPROVE", "approve", 1), false,
			`the verdict is "approve"`},
		"a word around it": {strings.Replace(good, "APPROVE", "NOT APPROVE", 1), false, "NOT APPROVE"},
		"critical flag":    {strings.Replace(good, `"critical":[]`, `"critical":["no seed"]`, 1), false, "critical: no seed"},
		"critical flag, no text": {strings.Replace(good, `"critical":[]`, `"critical":[0]`, 1), false,
			"critical: 0"},
		"critical flags as text": {strings.Replace(good, `"critical":[]`, `"critical":"none"`, 1), false, "/flags/critical is not a list"},
		"without a verdict":      {without("verdict"), false, "/verdict is missing"},
		"without flags":          {without("flags"), false, "/flags is missing"},
		"without critical flags": {without("critical"), false, "/flags/critical is missing"},
		"without warnings":       {without("warnings"), false, "/flags/warnings is missing"},
		"without checks":         {without("checks"), false, "/checks is missing"},
		"without jobs":           {without("proposed_jobs"), false, "/proposed_jobs is missing"},
		"a job without an entry": {without("entry"), false, "a proposed job has no id or no entry"},
		"verdict twice":          {strings.Replace(good, `{"verdict"`, `{"verdict":"APPROVE","verdict"`, 1), false, "/verdict stands twice"},
		"flags twice": {strings.Replace(good, `"checks"`,
			`"flags":{"critical":[],"warnings":[]},"checks"`, 1), false, "/flags stands twice"},
		"a member that looks right": {strings.Replace(without("critical"), `"checks"`, `"flags/critical":[],"checks"`,
			1), false, "/flags/critical is missing"},
		"too large":          {good + strings.Repeat(" ", approval.MaxAnswer+1-len(good)), false, "more than"},
		"just not too large": {good + strings.Repeat(" ", approval.MaxAnswer-len(good)), true, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			reasons := approval.Read("ops", []byte(test.text)).Objections()
			if (len(reasons) == 0) != test.approves {
				t.Fatalf("objections %q", reasons)
			}
			if !strings.Contains(strings.Join(reasons, "\n"), test.reason) {
				t.Errorf("objections %q do not say %q", reasons, test.reason)
			}
		})
	}
}

func TestReadKeepsWhatWasSaid(t *testing.T) {
	want := approval.Review{Reviewer: "ops", Verdict: "APPROVE", Warnings: []string{"large"},
		Checks: []approval.Answer{{Name: "requirements_passed", Value: "true"},
			{Name: "mlflow_required", Value: "true"}},
		Jobs: []approval.Job{{ID: "base", Entry: "run.py", Args: `{"batch_size":16}`,
			Artifacts: []string{"base.json"}}}}
	if diff := cmp.Diff(want, approval.Read("ops", []byte(good))); diff != "" {
		t.Error(diff)
	}
}

// TestDecide: any number of reviewers, from one; each has a veto.
func TestDecide(t *testing.T) {
	yes := func(name string) approval.Review { return approval.Read(name, []byte(good)) }
	critical := yes("infra")
	critical.Critical = []string{"no memory"}
	tests := map[string]struct {
		reviews  []approval.Review
		approved bool
		reasons  []string
	}{
		"nobody":          {nil, false, []string{"nobody reviewed it"}},
		"one":             {[]approval.Review{yes("ops")}, true, nil},
		"three":           {[]approval.Review{yes("ops"), yes("quality"), yes("infra")}, true, nil},
		"three, one flag": {[]approval.Review{yes("ops"), yes("quality"), critical}, false, []string{"infra: critical: no memory"}},
		"three, one missing": {[]approval.Review{yes("ops"), {Reviewer: "quality", Error: "gone"}, yes("infra")},
			false, []string{"quality: there is no contract: gone"}},
		"four, one rejects": {[]approval.Review{yes("a"), yes("b"), yes("c"), {Reviewer: "d", Verdict: "REJECT"}},
			false, []string{`d: the verdict is "REJECT"`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := approval.Decide(test.reviews)
			if got.Approved != test.approved || got.Approved != (len(got.Jobs) > 0) {
				t.Errorf("approved %v with %d jobs, want %v", got.Approved, len(got.Jobs), test.approved)
			}
			if diff := cmp.Diff(test.reasons, got.Reasons); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAskSurvivesReviewers(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	reviewers := []approval.Reviewer{
		approval.Func{Label: "nil", Ask: func(context.Context, approval.Draft) (*intake.Contract, error) {
			return nil,
				nil
		}},
		approval.Func{Label: "broken", Ask: func(context.Context, approval.Draft) (*intake.Contract,
			error) {
			return nil, errors.New("no model")
		}},
		approval.Func{Label: "panics", Ask: func(context.Context, approval.Draft) (*intake.Contract,
			error) {
			panic("oh")
		}},
		approval.Func{Label: "greedy", Ask: func(_ context.Context, d approval.Draft) (*intake.Contract, error) {
			d.Steps[0].Run = "changed"
			return intake.ReadContract("x", []byte(good)), nil
		}},
		approval.Func{Label: "cut off", Ask: func(context.Context, approval.Draft) (*intake.Contract, error) {
			cancel(errors.New("stop"))
			return intake.ReadContract("x", []byte(good)), nil
		}},
	}
	d := approval.Draft{Steps: []approval.Step{{Run: "true"}}}
	reviews := approval.Ask(ctx, reviewers, d)
	for i, want := range []string{"the reviewer gave none", "no model", "the reviewer panicked: oh", "", "stop"} {
		if reviews[i].Error != want || reviews[i].Reviewer != reviewers[i].Name() {
			t.Errorf("%s: error %q, want %q", reviews[i].Reviewer, reviews[i].Error, want)
		}
	}
	if d.Steps[0].Run != "true" {
		t.Error("a reviewer changed the draft of the others")
	}
}

// An endless reviewer says more than anybody wants to keep.
type endless struct{ says approval.Review }

func (endless) Name() string { return "endless" }

func (e endless) Review(context.Context, approval.Draft) (approval.Review, error) { return e.says, nil }

// TestAskBoundsReviews: also what a reviewer of the host's own says has an end,
// and none of its flags is lost silently.
func TestAskBoundsReviews(t *testing.T) {
	text := strings.Repeat("x", 1<<20)
	flags := make([]string, 5000)
	ask := func(r approval.Review) approval.Review {
		return approval.Ask(t.Context(), []approval.Reviewer{endless{r}}, approval.Draft{})[0]
	}
	r := ask(approval.Review{Verdict: "APPROVE", Warnings: []string{text}, Jobs: make([]approval.Job, 100),
		Checks: []approval.Answer{{Name: text, Value: text}}})
	if !approval.Decide([]approval.Review{r}).Approved || len(r.Warnings[0]) > 4096 ||
		len(r.Checks[0].Name)+len(r.Checks[0].Value) > 8192 {
		t.Errorf("%d bytes of a warning, objections %.200q", len(r.Warnings[0]), r.Objections())
	}
	if r := ask(approval.Review{Verdict: "APPROVE", Jobs: make([]approval.Job, 101)}); len(r.Jobs) != 100 ||
		len(r.Objections()) != 1 {
		t.Errorf("%d jobs are kept, objections %q", len(r.Jobs), r.Objections())
	}
	r = ask(approval.Review{Verdict: text, Critical: flags, Error: "\xff" + text})
	if len(r.Verdict) > 4096 || len(r.Error) > 8192 || len(r.Critical) != 101 || r.Critical[100] != "and 4900 more" {
		t.Errorf("%d bytes of a verdict, %d of an error, %d flags", len(r.Verdict), len(r.Error), len(r.Critical))
	}
	critical, _ := json.Marshal(flags)
	read := approval.Read("x", []byte(strings.Replace(good, `"critical":[]`, `"critical":`+string(critical), 1)))
	if r = ask(read); r.Critical[100] != "and 4900 more" {
		t.Errorf("bounded twice, the flags end with %q", r.Critical[100])
	}
}

func TestValidate(t *testing.T) {
	ok := approval.Func{Label: "ops"}
	if err := approval.Validate([]approval.Reviewer{ok, approval.Func{Label: "quality"}}); err != nil {
		t.Error(err)
	}
	for name, list := range map[string][]approval.Reviewer{"nil": {nil}, "nameless": {approval.Func{}},
		"twice": {ok, ok}} {
		if approval.Validate(list) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// A runner that does what a test wants.
type runner func(ctx context.Context, c gate.Command) (gate.CommandResult, error)

func (r runner) Run(ctx context.Context, c gate.Command) (gate.CommandResult, error) {
	return r(ctx, c)
}

func TestProgram(t *testing.T) {
	says := func(text string, exit int) runner {
		return func(_ context.Context, c gate.Command) (gate.CommandResult, error) {
			fmt.Fprint(c.Stdout, text)
			return gate.CommandResult{Exit: exit, Output: text}, nil
		}
	}
	tests := map[string]struct {
		runner gate.CommandRunner
		ok     bool
	}{
		"a contract":                {says(good, 0), true},
		"a contract, and a failure": {says(good, 1), false},
		"too much":                  {says(good+strings.Repeat(" ", approval.MaxAnswer), 0), false},
		"no runner":                 {nil, false},
		"it cannot be run": {runner(func(context.Context, gate.Command) (gate.CommandResult, error) {
			return gate.CommandResult{}, errors.New("no")
		}), false},
		"text that sounds approving": {says("approved", 0), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := approval.Draft{Runner: test.runner}
			reviews := approval.Ask(t.Context(), []approval.Reviewer{&approval.Program{Label: "ops", Run: "review"}}, d)
			if got := approval.Decide(reviews); got.Approved != test.ok {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestProgramTimeout: a program has 120 seconds, not one less and not one more.
func TestProgramTimeout(t *testing.T) {
	if approval.DefaultTimeout != 120*time.Second {
		t.Errorf("a reviewer has %v, want 120 s", approval.DefaultTimeout)
	}
	for took, ok := range map[time.Duration]bool{approval.DefaultTimeout - time.Second: true,
		approval.DefaultTimeout + time.Second: false} {
		synctest.Test(t, func(t *testing.T) {
			slow := runner(func(ctx context.Context, c gate.Command) (gate.CommandResult, error) {
				select {
				case <-time.After(took):
				case <-ctx.Done():
				}
				fmt.Fprint(c.Stdout, good)
				return gate.CommandResult{}, nil
			})
			_, err := (&approval.Program{Label: "ops", Run: "review"}).Review(t.Context(), approval.Draft{Runner: slow})
			var late *approval.TimeoutError
			if errors.As(err, &late) == ok {
				t.Errorf("after %v: %v", took, err)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(`{"verdict":"APPROVE"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := approval.Read("ops", text)
		if approval.Decide([]approval.Review{r}).Approved &&
			(r.Verdict != "APPROVE" || !strings.Contains(string(text), "APPROV")) &&
			!strings.Contains(string(text), `\u`) {
			t.Errorf("%q approves", text)
		}
	})
}

func Example() {
	quality := approval.Func{Label: "quality", Ask: func(_ context.Context, d approval.Draft) (*intake.Contract,
		error) {
		return intake.ReadContract("quality", []byte(`{"verdict":"REJECT","flags":{"critical":["no seed"],"warnings":[]},
			"checks":{"requirements_passed":false},"proposed_jobs":[]}`)), nil
	}}
	reviews := approval.Ask(context.Background(), []approval.Reviewer{quality}, approval.Draft{Task: "1"})
	decision := approval.Decide(reviews)
	fmt.Println(decision.Approved)
	for _, reason := range decision.Reasons {
		fmt.Println(reason)
	}
	// Output:
	// false
	// quality: the verdict is "REJECT"
	// quality: critical: no seed
}
