package exec_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recovery"
	"github.com/planlock/planlock/ledger"
)

// reflecting is a ladder that reflects and then fails.
var reflecting = recovery.Ladder{recovery.Reflect{}}

// prompted is a plan with one step that an agent carries out.
func prompted() string {
	return strings.Replace(strings.Replace(twoSteps(), "run = \"true\"\n", "prompt = \"write it\"\n", 2), "max_retries = 1\n", "max_retries = 1\n", 1)
}

// advising is an advisor that says the same every time.
func advising(a advice.Advice) exec.Advisors {
	return exec.Advisors{advice.Reflection: advice.Func(func(context.Context, advice.Case) (advice.Advice,
		error) {
		return a, nil
	})}
}

func TestAPatchIsTriedAndStandsInTheJournal(t *testing.T) {
	text := strings.Replace(twoSteps(), "run = \"true\"\n", "run = \"write --lines 2\"\n", 1)
	var tried []string
	script := exectest.Script{
		"1.1": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			tried = append(tried, w.Method.ID+": "+w.Method.Run)
			if w.Method.ID == "primary" {
				return exec.Outcome{}, errors.New("too many lines")
			}
			return exectest.Write("a.txt", "one\n")(ctx, w)
		},
		"1.2": goodScript["1.2"],
	}
	b := exectest.New(t, text, workspace, script)
	b.Controller.Ladder = reflecting
	b.Controller.Advisors = advising(advice.Advice{Advisor: "a", Confidence: 0.7, RootCause: "lines", Note: "n",
		Patch: &advice.Patch{Summary: "fewer lines", Args: map[string]string{"lines": "1"}}})
	run := b.Run(t)
	run.Want(t, history.Achieved)
	if diff := cmp.Diff([]string{"primary: write --lines 2", "patch_1: write --lines 1"}, tried); diff != "" {
		t.Errorf("tried (-want +got):\n%s", diff)
	}
	s := run.Report.Run.Step("1.1")
	p := s.Patch("patch_1")
	if p == nil || p.Attempt != "1.1#1" || p.Base != "primary" || p.Summary != "fewer lines" || p.Refused {
		t.Fatalf("the patch in the journal is %+v", p)
	}
	if want := ledger.Sum([]byte(`{"summary":"fewer lines","args":{"lines":"1"}}`)); p.Checksum != want {
		t.Errorf("its checksum is %s, want %s", p.Checksum, want)
	}
	if !strings.Contains(p.Diff, "-run: write --lines 2\n+run: write --lines 1\n") {
		t.Errorf("its diff is\n%s", p.Diff)
	}
	if a := s.Advised[0]; a.Rung != "reflect" || a.Attempt != 1 || a.Patch != "patch_1" || a.RootCause != "lines" {
		t.Errorf("the advice in the journal is %+v", a)
	}
}

func TestAPatchThatWouldWidenIsAFact(t *testing.T) {
	b := exectest.New(t, twoSteps(), workspace, exectest.Script{"1.1": exectest.Fail("no")})
	b.Controller.Ladder = reflecting
	b.Controller.Advisors = advising(advice.Advice{Confidence: 1, Patch: &advice.Patch{Summary: "s", Run: ptr("sudo true")}})
	run := b.Run(t)
	run.Want(t, history.NotAchieved)
	s := run.Report.Run.Step("1.1")
	if p := s.Patch("patch_1"); p == nil || !p.Refused || len(p.Why) != 1 || !strings.Contains(p.Why[0], "sudo") {
		t.Errorf("the patch in the journal is %+v", p)
	}
	if len(s.Attempts) != 1 {
		t.Errorf("%d attempts, want 1", len(s.Attempts))
	}
	if s.Failed == nil || len(s.Failed.Passed) != 1 || s.Failed.Passed[0].Rung != "reflect" {
		t.Errorf("nothing says why the reflection was not used: %+v", s.Failed)
	}
}

func TestAdviceThatIsNone(t *testing.T) {
	tests := []struct {
		name     string
		advisors exec.Advisors
		why      string
	}{
		{"nobody is asked", exec.Advisors{advice.Reflection: nil}, "nobody gives advice"},
		{"nothing to say", exec.Advisors{advice.Reflection: advice.Func(func(context.Context,
			advice.Case) (advice.Advice, error) {
			return advice.Advice{}, advice.ErrNothing
		})}, "nothing to say"},
		{"an advisor that breaks", exec.Advisors{advice.Reflection: advice.Func(func(context.Context,
			advice.Case) (advice.Advice, error) {
			panic("out of ideas")
		})}, "out of ideas"},
		{"not sure enough", advising(advice.Advice{Confidence: 0.6, Patch: &advice.Patch{Run: ptr("true --x")}}), "0.60, and 0.70 is needed"},
		{"changes nothing", advising(advice.Advice{Confidence: 1, Patch: &advice.Patch{Feedback: []string{"a command cannot read"}}}), "changes nothing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := exectest.New(t, twoSteps(), workspace, exectest.Script{"1.1": exectest.Fail("no")})
			b.Controller.Ladder = recovery.Ladder{recovery.Reflect{}, recovery.Ask{}}
			b.Controller.Advisors = tt.advisors
			p := &person{choices: []string{"x"}}
			b.Controller.Escalator = p
			b.Run(t).Want(t, history.NotAchieved)
			if len(p.asked) != 1 || !slices.ContainsFunc(p.asked[0].Evidence, func(line string) bool {
				return strings.HasPrefix(line, "not tried: reflect: ") && strings.Contains(line, tt.why)
			}) {
				t.Errorf("the question does not say why: %+v", p.asked)
			}
		})
	}
}

// TestBuiltInAdvisorsNeedNothing runs without any advisor of the host.
func TestBuiltInAdvisorsNeedNothing(t *testing.T) {
	script := exectest.Script{"1.1": exectest.Methods(map[string]exec.Func{
		"primary": exectest.Fail("RuntimeError: CUDA out of memory"),
		"patch_1": exectest.Write("a.txt", "one\n"),
	}), "1.2": goodScript["1.2"]}
	text := strings.Replace(twoSteps(), "run = \"true\"\n", "run = \"train --batch-size 32\"\n", 1)
	b := exectest.New(t, text, workspace, script)
	b.Controller.Ladder = reflecting
	run := b.Run(t)
	run.Want(t, history.Achieved)
	if p := run.Report.Run.Step("1.1").Patch("patch_1"); p == nil || p.Method.Run != "train --batch-size 16" {
		t.Errorf("the patch is %+v", p)
	}
}

func TestFeedbackOfAPatchReachesTheAgent(t *testing.T) {
	var heard []string
	b := exectest.New(t, prompted(), workspace, exectest.Script{"1.1": func(ctx context.Context,
		w exec.Work) (exec.Outcome, error) {
		heard = w.Feedback
		return exectest.Attempts(exectest.Fail("no"), exectest.Write("a.txt", "one\n"))(ctx, w)
	}, "1.2": goodScript["1.2"]})
	b.Controller.Ladder = reflecting
	b.Controller.Advisors = advising(advice.Advice{Confidence: 1,
		Patch: &advice.Patch{Summary: "s", Feedback: []string{"look here"}}})
	b.Run(t).Want(t, history.Achieved)
	if !slices.Contains(heard, "look here") {
		t.Errorf("the agent heard %q", heard)
	}
}

// TestRetryWaits lets a retry wait as long as the journal says, and no longer.
func TestRetryWaits(t *testing.T) {
	ladder := recovery.Ladder{recovery.Retry{Backoff: recovery.Backoff{First: time.Hour, Most: 24 * time.Hour,
		Always: true}}}
	synctest.Test(t, func(t *testing.T) {
		b := exectest.New(t, twoSteps(), workspace, exectest.Script{
			"1.1": exectest.Attempts(exectest.Fail("busy"), goodScript["1.1"]), "1.2": exectest.Attempts(exectest.Fail("no"), goodScript["1.2"])})
		b.Controller.Ladder = ladder
		begin := time.Now()
		run := b.Run(t)
		run.Want(t, history.Achieved)
		var waited time.Duration
		for _, s := range run.Report.Run.Steps {
			if d := s.Recoveries[0].After; d < 30*time.Minute || d > time.Hour {
				t.Errorf("%s waits %s, want from 30m to 1h", s.Address, d)
			}
			waited += s.Recoveries[0].After
		}
		if got := time.Since(begin); got != waited {
			t.Errorf("the run took %s, want %s", got, waited)
		}
	})
}

// TestAWaitCanBeInterrupted stops a run while a retry waits, and resumes it.
func TestAWaitCanBeInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := exectest.New(t, twoSteps(), workspace, exectest.Script{
			"1.1": exectest.Attempts(exectest.Fail("busy"), goodScript["1.1"]), "1.2": goodScript["1.2"]})
		b.Controller.Ladder = recovery.Ladder{recovery.Retry{Backoff: recovery.Backoff{First: time.Hour,
			Most: 24 * time.Hour, Always: true}}}
		stop := errors.New("stop")
		ctx, cancel := context.WithTimeoutCause(context.Background(), time.Minute, stop)
		defer cancel()
		locked := b.Lock(t)
		report, err := b.Controller.Run(ctx, locked)
		if !errors.Is(err, stop) {
			t.Fatalf("got %v, want the cause", err)
		}
		report, err = b.Controller.Resume(context.Background(), locked, report.Run.Started.Run)
		if err != nil {
			t.Fatal(err)
		}
		if n := report.Run.Step("1.1").Rungs("retry"); n != 1 {
			t.Errorf("%d retries, want 1: waiting again is no retry", n)
		}
	})
}

// TestAWaitGoesOnWhereItWas stops a run every minute of a wait. Together the
// pieces are as long as the wait; where the clock is set back, the piece that
// follows is as long as the whole wait again, and no longer.
func TestAWaitGoesOnWhereItWas(t *testing.T) {
	const resumed = 30
	// what the clock is set by when the run is resumed for the nth time
	for name, steps := range map[string][]time.Duration{
		"a clock that goes":        nil,
		"set back":                 {0, -365 * 24 * time.Hour},
		"set forward, and it ends": {0, 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := exectest.New(t, twoSteps(), workspace, exectest.Script{
					"1.1": exectest.Attempts(exectest.Fail("busy"), goodScript["1.1"]), "1.2": goodScript["1.2"]})
				b.Controller.Ladder = recovery.Ladder{
					recovery.Retry{Backoff: recovery.Backoff{First: 20 * time.Minute, Most: 24 * time.Hour,
						Always: true}}}
				var set time.Duration
				b.Controller.Now = func() time.Time { return time.Now().Add(set) }
				begin, locked := time.Now(), b.Lock(t)
				minute := func() (context.Context, context.CancelFunc) {
					return context.WithTimeout(context.Background(), time.Minute)
				}
				ctx, cancel := minute()
				report, err := b.Controller.Run(ctx, locked)
				cancel()
				after := report.Run.Step("1.1").Recoveries[0].After
				n := 0
				for ; err != nil && n < resumed; n++ {
					if n < len(steps) {
						set += steps[n]
					}
					ctx, cancel := minute()
					report, err = b.Controller.Resume(ctx, locked, report.Run.Started.Run)
					cancel()
				}
				want := map[string]time.Duration{"a clock that goes": after, "set back": min(2*time.Minute, after), "set forward, and it ends": 2 * time.Minute}[name]
				if took := time.Since(begin); name != "set back" && (err != nil || took != want) {
					t.Errorf("it took %s, want %s: %v", took, want, err)
				}
				if name == "set back" { // until the clock is where it was, each piece begins anew
					set = 0
					_, err = b.Controller.Resume(context.Background(), locked, report.Run.Started.Run)
					if took := time.Since(begin); err != nil || n != resumed || took != (resumed+1)*time.Minute {
						t.Errorf("it took %s and %d resumptions: %v", took, n, err)
					}
				}
			})
		})
	}
}

// TestAnAdvisorHasFiveMinutes gives an advisor just as long as it takes, and a
// second less.
func TestAnAdvisorHasFiveMinutes(t *testing.T) {
	for _, takes := range []time.Duration{5*time.Minute - time.Second, 5*time.Minute + time.Second} {
		synctest.Test(t, func(t *testing.T) {
			b := exectest.New(t, twoSteps(), workspace, exectest.Script{"1.1": exectest.Fail("no")})
			b.Controller.Ladder = reflecting
			b.Controller.Advisors = exec.Advisors{advice.Reflection: advice.Func(func(ctx context.Context,
				_ advice.Case) (advice.Advice, error) {
				select {
				case <-ctx.Done():
					return advice.Advice{}, context.Cause(ctx)
				case <-time.After(takes):
					return advice.Advice{Note: "done", Confidence: 1}, nil
				}
			})}
			said := b.Run(t).Report.Run.Step("1.1").Advised[0]
			if late := takes > 5*time.Minute; late != (said.Error != "") || late != (said.Note == "") {
				t.Errorf("after %s the journal says %+v", takes, said)
			}
			if got, want := said.Cost.Took, min(takes, 5*time.Minute); got != want {
				t.Errorf("it took %v, want %v", got, want)
			}
		})
	}
}

// TestAPatchIsBounded proposes a patch of the largest size, and one byte more.
func TestAPatchIsBounded(t *testing.T) {
	const frame = len(`{"summary":"s","prompt":""}`)
	for _, size := range []int{64 << 10, 64<<10 + 1} {
		b := exectest.New(t, prompted(), workspace, exectest.Script{"1.1": exectest.Methods(map[string]exec.Func{
			"primary": exectest.Fail("no"), "patch_1": goodScript["1.1"]}), "1.2": goodScript["1.2"]})
		b.Controller.Ladder = reflecting
		b.Controller.Advisors = advising(advice.Advice{Confidence: 1,
			Patch: &advice.Patch{Summary: "s", Prompt: ptr(strings.Repeat("x", size-frame))}})
		p := b.Run(t).Report.Run.Step("1.1").Patch("patch_1")
		if p == nil || p.Refused != (size > 64<<10) {
			t.Errorf("a patch of %d bytes: refused is not %v: %+v", size, size > 64<<10, p != nil)
		}
	}
}

// TestAdviceIsBounded lets an advisor say far too much: the journal takes it
// all the same.
func TestAdviceIsBounded(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	b := exectest.New(t, twoSteps(), workspace, exectest.Script{"1.1": exectest.Fail("no")})
	b.Controller.Ladder = reflecting
	b.Controller.Advisors = advising(advice.Advice{Note: long, Confidence: 7, Severity: -1,
		Findings:     slices.Repeat([]string{long}, 300),
		Alternatives: make([]history.Approach, 300)})
	said := b.Run(t).Report.Run.Step("1.1").Advised[0]
	if len(said.Note) > 5000 || len(said.Findings) != 201 || len(said.Alternatives) != 200 || said.Confidence != 1 ||
		said.Severity != 0 {
		t.Errorf("note %d bytes, %d findings, %d alternatives, confidence %v, severity %v", len(said.Note),
			len(said.Findings),
			len(said.Alternatives), said.Confidence, said.Severity)
	}
}

func ptr[T any](v T) *T { return &v }
