package exec_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// limited fails so often, as one that is not served, and writes a file then; what
// it wrote before is not to be seen.
func limited(times int, after time.Duration, began *[]time.Time) exec.Func {
	return func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		*began = append(*began, time.Now())
		if len(w.Feedback) > 0 {
			return exec.Outcome{}, fmt.Errorf("it is told of failures: %q", w.Feedback)
		}
		if len(*began) > times {
			return exectest.Write("a", "a\n")(ctx, w)
		}
		if err := exectest.Put(w.Dir, "half", "half\n"); err != nil {
			return exec.Outcome{}, err
		}
		limit := &exec.LimitError{Reason: "usage limit \x1b[31m reached"}
		if after != 0 {
			limit.Until = time.Now().Add(after)
		}
		return exec.Outcome{Usage: exec.Usage{OutputTokens: 1}}, fmt.Errorf("the agent: %w", limit)
	}
}

// A step whose executor is not served waits, without spending an attempt: until
// then, or five minutes and longer each time.
func TestLimitsAreWaitedFor(t *testing.T) {
	for name, tt := range map[string]struct {
		times int
		after time.Duration
		want  []time.Duration // from the first attempt to each
	}{
		"until then":  {1, 3 * time.Hour, []time.Duration{0, 3 * time.Hour}},
		"nobody says": {6, 0, []time.Duration{0, 5 * time.Minute, 15 * time.Minute, 35 * time.Minute, 75 * time.Minute, 135 * time.Minute, 195 * time.Minute}},
		"at once":     {2, time.Millisecond, []time.Duration{0, 5 * time.Second, 15 * time.Second}},
		"long ago":    {1, -time.Hour, []time.Duration{0, 5 * time.Minute}},
		"at no time":  {1, 1000 * 24 * time.Hour, []time.Duration{0, 8 * 24 * time.Hour}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var began []time.Time
				b := exectest.New(t, steps("", "a\nmax_retries = 0\non_failure = \"block\""), nil,
					exectest.Script{"1.1": limited(tt.times, tt.after, &began)})
				var warned []string
				b.Controller.Observe = func(_ context.Context, e event.Event) {
					if e.Kind == event.Warning {
						warned = append(warned, e.Text)
					}
				}
				r := b.Run(t)
				r.Want(t, history.Achieved)
				s := r.Run.Step("1.1")
				if s.Tries().Retries != 0 || r.Run.Flow.Tokens != int64(tt.times) || len(s.Attempts) != tt.times+1 {
					t.Errorf("attempts count: %+v, %d tokens", s.Tries(), r.Run.Flow.Tokens)
				}
				if len(warned) != tt.times || !strings.Contains(warned[0], "1.1 waits until ") {
					t.Errorf("told: %q", warned)
				}
				for i, at := range began {
					if d := at.Sub(began[0]) - tt.want[i]; d < 0 || d > time.Duration(i+1)*time.Second {
						t.Errorf("attempt %d came after %s, want %s", i+1, at.Sub(began[0]), tt.want[i])
					}
				}
			})
		})
	}
}

// A run that is stopped while it waits loses nothing, and waits for what is left
// when it is resumed.
func TestLimitsOutliveAResumption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var began []time.Time
		b := exectest.New(t, steps("", "a"), nil, exectest.Script{"1.1": limited(1, 3*time.Hour, &began)})
		locked := b.Lock(t)
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		report, err := b.Controller.Run(ctx, locked)
		if !errors.Is(err, context.DeadlineExceeded) || report.Run.Paused == nil || len(began) != 1 {
			t.Fatalf("%v\n%v", err, report)
		}
		if _, there := b.Tree(t).Lookup("half"); there {
			t.Error("what it did is there")
		}
		time.Sleep(time.Hour)
		if report, err = b.Controller.Resume(context.Background(), locked, ""); err != nil {
			t.Fatalf("%v\n%v", err, report)
		}
		if d := began[1].Sub(began[0]); len(began) != 2 || d < 3*time.Hour || d > 3*time.Hour+2*time.Second {
			t.Errorf("attempts at %v", began)
		}
	})
}

// A run that would wait longer than for a person is let go, and says until when.
func TestLimitsBeyondPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var began []time.Time
		b := exectest.New(t, steps("", "a"), nil, exectest.Script{"1.1": limited(1, 3*time.Hour, &began)})
		b.Controller.Patience = time.Hour
		locked := b.Lock(t)
		report, err := b.Controller.Run(context.Background(), locked)
		for range 2 {
			until := began[0].Add(3 * time.Hour).UTC().Format("2006-01-02T15:04")
			if !errors.Is(err, exec.ErrWaiting) || !strings.Contains(err.Error(), until) || len(began) != 1 ||
				report.Status() != history.Waiting {
				t.Fatalf("%v\n%v", err, report)
			}
			report, err = b.Controller.Resume(context.Background(), locked, "")
		}
		time.Sleep(150 * time.Minute)
		if report, err = b.Controller.Resume(context.Background(), locked, ""); err != nil || len(began) != 2 {
			t.Errorf("%v\n%v", err, report)
		}
	})
}

// Of steps that run at once the others end, and are accepted, while one is not
// served.
func TestLimitsInLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var began []time.Time
		var done time.Time
		b := exectest.New(t, steps("[execution]\njobs = 2\n", "a", "b")+inSpeclets(2), nil, exectest.Script{
			"1.1": limited(2, time.Hour, &began), "2.1": exectest.Write("b", "b\n")})
		b.Controller.Observe = event.On(func(e event.Event, _ *history.StepCompleted) {
			if e.Step == "2.1" {
				done = time.Now()
			}
		})
		r := b.Run(t)
		r.Want(t, history.Achieved)
		if len(r.Run.Groups) == 0 || len(began) != 3 || done.Sub(began[0]) > time.Minute {
			t.Errorf("the other one was done after %s, attempts at %v, groups %d", done.Sub(began[0]), began, len(r.Run.Groups))
		}
	})
}

// While one is not served, those go on that have other executors, also what had
// not begun by then, one by one or together; whoever has the same is left in peace.
func TestOthersGoOnWhileOneWaits(t *testing.T) {
	for name, jobs := range map[string]int{"together": 3, "one by one": 2} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var began []time.Time
				done := map[plan.Address]time.Time{}
				b := exectest.New(t, steps(fmt.Sprintf("[execution]\njobs = %d\n", jobs), "a", "b\nexecutor = \"other\"",
					"c\nexecutor = \"other\"", "d", "e\nexecutor = \"other\"")+inSpeclets(5), nil, exectest.Script{
					"1.1": limited(2, time.Hour, &began), "2.1": exectest.Write("b", "b\n"), "3.1": exectest.Write("c", "c\n"),
					"4.1": exectest.Write("d", "d\n"), "5.1": exectest.Write("e", "e\n")})
				b.Controller.Executors["other"] = b.Controller.Executors["script"]
				b.Controller.Observe = event.On(func(e event.Event, _ *history.StepCompleted) { done[e.Step] = time.Now() })
				r := b.Run(t)
				r.Want(t, history.Achieved)
				for _, a := range []plan.Address{"2.1", "3.1", "5.1"} {
					if d := done[a].Sub(began[0]); d > time.Minute {
						t.Errorf("%s was done after %s", a, d)
					}
				}
				if d := done["1.1"].Sub(began[0]); len(began) != 3 || d < 2*time.Hour || d > 2*time.Hour+time.Minute {
					t.Errorf("the one that waited was done after %s, attempts at %v", d, began)
				}
				if n := len(r.Run.Step("4.1").Attempts); jobs == 2 && n != 1 {
					t.Errorf("whoever has the same executor was asked %d times", n)
				}
			})
		})
	}
}

// asWaiter makes this test binary a controller that waits for whoever serves its
// executor, in the folder that it names.
const asWaiter = "PLANLOCK_TEST_WAITER"

// A run whose controller is killed while it waits has lost nothing: it is resumed,
// and the attempt made again once the time has come.
func TestLimitsOutliveAKill(t *testing.T) {
	b := exectest.New(t, steps("", "a"), nil, exectest.Script{})
	dir := os.Getenv(asWaiter)
	var began []time.Time
	b.Controller.Executors = exec.Default(limited(1, 3*time.Hour, &began))
	b.Controller.Executors["script"] = b.Controller.Executors[""]
	if dir != "" {
		b.Controller.Dir = dir
		b.Controller.Observe = func(_ context.Context, e event.Event) {
			if e.Kind == event.Warning {
				fmt.Println("waits")
			}
		}
		_, err := b.Controller.Run(t.Context(), b.Lock(t))
		t.Fatal(err)
	}
	self, err := os.Executable()
	must(t, err)
	cmd := osexec.Command(self, "-test.run=^TestLimitsOutliveAKill$")
	cmd.Env = append(os.Environ(), asWaiter+"="+b.Dir)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	if _, err := io.ReadFull(out, make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	began = append(began, time.Now())                                            // the first was in the other process
	b.Controller.Now = func() time.Time { return time.Now().Add(4 * time.Hour) } // that much later
	report, err := b.Controller.Resume(t.Context(), b.Lock(t), "")
	if err != nil || len(began) != 2 || len(report.Run.Step("1.1").Attempts) != 2 || report.Run.Resumptions != 1 {
		t.Errorf("%v\n%v", err, report)
	}
}
