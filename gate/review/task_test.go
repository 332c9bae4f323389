package review_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/gate/review/external"
)

const good = `{"verdict":"APPROVE","flags":{"critical":[],"warnings":["large"]},"checks":{"requirements_passed":true,"mlflow_required":true},
"proposed_jobs":[{"id":"base","entry":"run.py","args":{"batch_size":16},"expected_artifacts":["base.json"]}]}`

// maxAnswer is how many bytes of a contract are read.
const maxAnswer = 1 << 20

// read is the review that a reviewer of tasks makes of a text.
func read(reviewer string, text []byte) review.Review {
	r, _ := new(review.Request).Read(text) // of a task it never fails
	r.Reviewer = reviewer
	return r
}

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
		"critical flags as text":  {strings.Replace(good, `"critical":[]`, `"critical":"none"`, 1), false, "/flags/critical is not a list"},
		"without a verdict":       {without("verdict"), false, "/verdict is missing"},
		"without flags":           {without("flags"), false, "/flags is missing"},
		"without critical flags":  {without("critical"), false, "/flags/critical is missing"},
		"without warnings":        {without("warnings"), false, "/flags/warnings is missing"},
		"without checks":          {without("checks"), false, "/checks is missing"},
		"without jobs":            {without("proposed_jobs"), false, "/proposed_jobs is missing"},
		"a job without an entry":  {without("entry"), false, "a proposed job has no id or no entry"},
		"a job without arguments": {strings.Replace(good, `"args":{"batch_size":16},`, "", 1), false, "a proposed job has no args, an object"},
		"a job that says not what it leaves": {strings.Replace(good, `,"expected_artifacts":["base.json"]`, "", 1), false,
			"no expected_artifacts, a list"},
		"verdict twice": {strings.Replace(good, `{"verdict"`, `{"verdict":"APPROVE","verdict"`, 1), false, "/verdict stands twice"},
		"flags twice": {strings.Replace(good, `"checks"`,
			`"flags":{"critical":[],"warnings":[]},"checks"`, 1), false, "/flags stands twice"},
		"not UTF-8":            {strings.Replace(good, "large", "l\xffrge", 1), false, "byte 58 of the contract is not UTF-8"},
		"not UTF-8, in a line": {"thinking\n" + strings.Replace(line, "large", "l\xffrge", 1), false, "is not UTF-8"},
		"a check twice": {strings.Replace(good, `"checks":{`, `"checks":{"mlflow_required":false,`, 1), false,
			"/checks/mlflow_required stands twice"},
		"names that differ in case": {strings.Replace(good, `"args":{`, `"args":{"k":1,"K":2,`, 1), true, ""},
		"a member that looks right": {strings.Replace(without("critical"), `"checks"`, `"flags/critical":[],"checks"`,
			1), false, "/flags/critical is missing"},
		"too large":          {good + strings.Repeat(" ", maxAnswer+1-len(good)), false, "more than"},
		"just not too large": {good + strings.Repeat(" ", maxAnswer-len(good)), true, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			reasons := read("ops", []byte(test.text)).Objections()
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
	want := review.Review{Reviewer: "ops", Verdict: "APPROVE", Warnings: []string{"large"},
		Checks: []review.Check{{Name: "requirements_passed", Value: "true"},
			{Name: "mlflow_required", Value: "true"}},
		Jobs: []review.Job{{ID: "base", Entry: "run.py", Args: `{"batch_size":16}`,
			Artifacts: []string{"base.json"}}}}
	if diff := cmp.Diff(want, read("ops", []byte(good))); diff != "" {
		t.Error(diff)
	}
}

// TestDecide: any number of reviewers, from one; each has a veto.
func TestDecide(t *testing.T) {
	yes := func(name string) review.Review { return read(name, []byte(good)) }
	critical := yes("infra")
	critical.Critical = []string{"no memory"}
	tests := map[string]struct {
		reviews  []review.Review
		approved bool
		reasons  []string
	}{
		"nobody":          {nil, false, []string{"nobody reviewed it"}},
		"one":             {[]review.Review{yes("ops")}, true, nil},
		"three":           {[]review.Review{yes("ops"), yes("quality"), yes("infra")}, true, nil},
		"three, one flag": {[]review.Review{yes("ops"), yes("quality"), critical}, false, []string{"infra: critical: no memory"}},
		"three, one missing": {[]review.Review{yes("ops"), {Reviewer: "quality", Error: "gone"}, yes("infra")},
			false, []string{"quality: there is no contract: gone"}},
		"four, one rejects": {[]review.Review{yes("a"), yes("b"), yes("c"), {Reviewer: "d", Verdict: "REJECT"}},
			false, []string{`d: the verdict is "REJECT"`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			objections, jobs := review.Decide(test.reviews)
			if test.approved != (len(jobs) > 0) {
				t.Errorf("%d jobs, approved %v", len(jobs), test.approved)
			}
			if diff := cmp.Diff(test.reasons, objections); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAskSurvivesReviewers(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	reviewers := review.Reviewers{
		review.Func{Label: "nil", Ask: func(context.Context, review.Request) (review.Review, error) {
			return review.Review{}, nil
		}},
		review.Func{Label: "broken", Ask: func(context.Context, review.Request) (review.Review, error) {
			return review.Review{}, errors.New("no model")
		}},
		review.Func{Label: "panics", Ask: func(context.Context, review.Request) (review.Review, error) {
			panic("oh")
		}},
		review.Func{Label: "greedy", Ask: func(_ context.Context, d review.Request) (review.Review, error) {
			d.Steps[0].Run = "changed"
			return d.Read([]byte(good))
		}},
		review.Func{Label: "cut off", Ask: func(_ context.Context, d review.Request) (review.Review, error) {
			cancel(errors.New("stop"))
			return d.Read([]byte(good))
		}},
	}
	d := review.Request{Steps: []review.Step{{Run: "true"}}}
	reviews := reviewers.Ask(ctx, d)
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
type endless struct{ says review.Review }

func (endless) Name() string { return "endless" }

func (e endless) Review(context.Context, review.Request) (review.Review, error) { return e.says, nil }

// TestAskBoundsReviews: also what a reviewer of the host's own says has an end,
// and none of its flags is lost silently.
func TestAskBoundsReviews(t *testing.T) {
	text := strings.Repeat("x", 1<<20)
	flags := make([]string, 5000)
	ask := func(r review.Review) review.Review {
		return review.Reviewers{endless{r}}.Ask(t.Context(), review.Request{})[0]
	}
	r := ask(review.Review{Verdict: "APPROVE", Warnings: []string{text}, Jobs: make([]review.Job, 100),
		Checks: []review.Check{{Name: text, Value: text}}})
	if len(r.Objections()) > 0 || len(r.Warnings[0]) > 4096 ||
		len(r.Checks[0].Name)+len(r.Checks[0].Value) > 8192 {
		t.Errorf("%d bytes of a warning, objections %.200q", len(r.Warnings[0]), r.Objections())
	}
	if r := ask(review.Review{Verdict: "APPROVE", Jobs: make([]review.Job, 101)}); len(r.Jobs) != 100 ||
		len(r.Objections()) != 1 {
		t.Errorf("%d jobs are kept, objections %q", len(r.Jobs), r.Objections())
	}
	r = ask(review.Review{Verdict: text, Critical: flags, Error: "\xff" + text})
	if len(r.Verdict) > 4096 || len(r.Error) > 8192 || len(r.Critical) != 101 || r.Critical[100] != "and 4900 more" {
		t.Errorf("%d bytes of a verdict, %d of an error, %d flags", len(r.Verdict), len(r.Error), len(r.Critical))
	}
	critical, _ := json.Marshal(flags)
	read := read("x", []byte(strings.Replace(good, `"critical":[]`, `"critical":`+string(critical), 1)))
	if r = ask(read); r.Critical[100] != "and 4900 more" {
		t.Errorf("bounded twice, the flags end with %q", r.Critical[100])
	}
}

func TestValidate(t *testing.T) {
	ok := review.Func{Label: "ops"}
	if err := (review.Reviewers{ok, review.Func{Label: "quality"}}).Validate(); err != nil {
		t.Error(err)
	}
	for name, list := range map[string]review.Reviewers{"nil": {nil}, "nameless": {review.Func{}},
		"twice": {ok, ok}} {
		if list.Validate() == nil {
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
		"too much":                  {says(good+strings.Repeat(" ", maxAnswer), 0), false},
		"no runner":                 {nil, false},
		"it cannot be run": {runner(func(context.Context, gate.Command) (gate.CommandResult, error) {
			return gate.CommandResult{}, errors.New("no")
		}), false},
		"text that sounds approving": {says("approved", 0), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := review.Request{Runner: test.runner}
			reviews := review.Reviewers{&external.Program{Label: "ops", Run: "review"}}.Ask(t.Context(), d)
			if objections, _ := review.Decide(reviews); (objections == nil) != test.ok {
				t.Errorf("%q", objections)
			}
		})
	}
}

// What does not show itself is escaped in what a program is asked.
func TestProgramIsAskedInPlainSight(t *testing.T) {
	var asked []byte
	read := runner(func(_ context.Context, c gate.Command) (gate.CommandResult, error) {
		var err error
		asked, err = io.ReadAll(c.Stdin)
		return gate.CommandResult{}, err
	})
	d := review.Request{Runner: read, Goal: "\u202eup\x7f"}
	review.Reviewers{&external.Program{Label: "ops", Run: "review"}}.Ask(t.Context(), d)
	if !bytes.Contains(asked, []byte(`\u202eup\u007f`)) {
		t.Errorf("%q", asked)
	}
}

// TestProgramTimeout: a program has 120 seconds, not one less and not one more.
func TestProgramTimeout(t *testing.T) {
	for took, ok := range map[time.Duration]bool{119 * time.Second: true, 121 * time.Second: false} {
		synctest.Test(t, func(t *testing.T) {
			slow := runner(func(ctx context.Context, c gate.Command) (gate.CommandResult, error) {
				select {
				case <-time.After(took):
				case <-ctx.Done():
				}
				fmt.Fprint(c.Stdout, good)
				return gate.CommandResult{}, nil
			})
			_, err := (&external.Program{Label: "ops", Run: "review"}).Review(t.Context(), review.Request{Runner: slow})
			if errors.Is(err, context.DeadlineExceeded) == ok {
				t.Errorf("after %v: %v", took, err)
			}
		})
	}
}

// TestRejected: a document that approves, with one thing wrong.
func TestRejected(t *testing.T) {
	const approves = `{"verdict": "APPROVE", "flags": {"critical": [], "warnings": []}, "checks": {}, "proposed_jobs": []}`
	if reasons := read("ops", []byte(approves)).Objections(); reasons != nil {
		t.Fatalf("objections %q", reasons)
	}
	for _, text := range []string{
		strings.Replace(approves, "APPROVE", "approve", 1),
		strings.Replace(approves, "APPROVE", "APPROVE ", 1),
		strings.Replace(approves, `"APPROVE"`, "true", 1),
		strings.Replace(approves, `"critical": []`, `"critical": ["fire"]`, 1),
		strings.Replace(approves, `"critical": []`, `"critical": [{}]`, 1),
		strings.Replace(approves, `"critical": []`, `"critical": "none"`, 1),
		strings.Replace(approves, `"critical": [], `, "", 1),
		strings.Replace(approves, `"verdict"`, `"verdikt"`, 1),
		`{"verdict": "REJECT", ` + approves[1:],
		approves[:len(approves)-1], "", "null", "[]",
	} {
		if objections, _ := review.Decide([]review.Review{read("ops", []byte(text))}); len(objections) == 0 {
			t.Errorf("approved with %s", text)
		}
	}
}

// A nameless reviewer does not even tell its name.
type nameless struct{ review.Func }

func (nameless) Name() string { panic("no name") }

// TestNamesMayPanic: what Name panics with is an error of that reviewer.
func TestNamesMayPanic(t *testing.T) {
	list := review.Reviewers{nameless{}, review.Func{Label: "ops"}}
	if err := list.Validate(); err == nil ||
		!strings.Contains(err.Error(), "reviewer 0: the reviewer panicked: no name") {
		t.Errorf("%v", err)
	}
	if r := list[:1].Ask(t.Context(), review.Request{}); r[0].Error != "the reviewer panicked: no name" {
		t.Errorf("%+v", r)
	}
	if name := review.Work(nameless{}).Info().Name; name != "work-review" {
		t.Errorf("the gate is called %q", name)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(`{"verdict":"APPROVE"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := read("ops", text)
		if len(r.Objections()) == 0 &&
			(r.Verdict != "APPROVE" || !strings.Contains(string(text), "APPROV")) &&
			!strings.Contains(string(text), `\u`) {
			t.Errorf("%q approves", text)
		}
	})
}

func Example() {
	quality := review.Func{Label: "quality", Ask: func(_ context.Context, d review.Request) (review.Review, error) {
		return d.Read([]byte(`{"verdict":"REJECT","flags":{"critical":["no seed"],"warnings":[]},
			"checks":{"requirements_passed":false},"proposed_jobs":[]}`))
	}}
	reviews := review.Reviewers{quality}.Ask(context.Background(), review.Request{Task: "1"})
	objections, _ := review.Decide(reviews)
	for _, objection := range objections {
		fmt.Println(objection)
	}
	// Output:
	// quality: the verdict is "REJECT"
	// quality: critical: no seed
}
