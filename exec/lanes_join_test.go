package exec_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// counted is sideBySide of three steps, of which the second must write how many
// of the files there are by then, and may not be retried.
func counted() string {
	text := postcondition(strings.Replace(sideBySide(3, ""), "max_retries = 2", "max_retries = 0", 1), "o2",
		`[ "$(cat o2)" = "$(ls o? | wc -l | tr -d ' ')" ]`)
	return strings.Replace(text, `create = ["o3"] }`, "create = [\"o3\"] }\nsupersedes = [\"2.1\"]", 1)
}

// postcondition gives the step that writes a file a command which must hold.
func postcondition(text, name, command string) string {
	have := fmt.Sprintf("{ kind = \"file_contains\", path = %q, matches = \".\" }", name)
	return strings.Replace(text, have, have+fmt.Sprintf(", { kind = \"command\", run = %q }", command), 1)
}

// counts writes how many of the files there are, with what is written now.
func counts(w exec.Work) error {
	all, err := filepath.Glob(filepath.Join(w.Dir, "o?"))
	return errors.Join(err, put(w, own(w), fmt.Sprint(len(all)+1)))
}

// What a step is judged by is the tree that others of its group changed, too.
// Where it does not hold there it is carried out once more, alone, and that
// costs no retry; the others are joined.
func TestAStepThatDoesNotHoldIsSetAside(t *testing.T) {
	told := ""
	b := exectest.New(t, counted(), nil, exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
		if own(w) != "o2" {
			return exec.Outcome{}, put(w, own(w), "x")
		}
		told = strings.Join(w.Feedback, "\n")
		return exec.Outcome{}, counts(w)
	}))
	r := b.Run(t)
	r.Want(t, history.Achieved)
	s := r.Report.Run.Step("2.1")
	if len(s.Attempts) != 2 || len(s.Recoveries) != 0 || len(s.Questions) != 0 || r.Read(t, "o2") != "3" {
		t.Fatalf("%d attempts, %v, o2 is %q", len(s.Attempts), s.Recoveries, r.Read(t, "o2"))
	}
	first, second := s.Attempts[0], s.Attempts[1]
	if first.Aside == nil || !slices.Equal(first.Aside.With, []plan.Address{"1.1"}) ||
		first.InLane() != history.LaneAside || first.Discarded.Tree == "" || second.Lane != nil {
		t.Errorf("set aside: %+v, %s; then %+v", first.Aside, first.InLane(), second.Lane)
	}
	if !strings.Contains(told, "joined with 1.1") || !strings.Contains(told, "ended with status 1") {
		t.Errorf("the second attempt was told %q", told)
	}
	var order []plan.Address
	for _, s := range r.Report.Run.Concluded() {
		order = append(order, s.Address)
	}
	if !slices.Equal(order, []plan.Address{"1.1", "3.1", "2.1"}) {
		t.Errorf("completed in the order %v", order)
	}
}

// After the attempt alone the ladder decides.
func TestAStepThatDoesNotHoldAloneEither(t *testing.T) {
	b := exectest.New(t, strings.Replace(counted(), "max_retries = 0", "max_retries = 1", 1), nil,
		exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) { return exec.Outcome{}, put(w, own(w), "1") }))
	s := b.Run(t).Report.Run.Step("2.1")
	if len(s.Attempts) != 3 || len(s.Recoveries) != 1 || s.Status != history.Failed {
		t.Errorf("%s, %d attempts, %v", s.Status, len(s.Attempts), s.Recoveries)
	}
	for _, a := range s.Attempts[1:] {
		if a.Lane != nil || a.Aside != nil {
			t.Errorf("attempt %d was carried out in a lane", a.Number)
		}
	}
}

// What held after a step of the group must hold with the work of those that are
// joined after it: the one that breaks it is set aside. Alone it is judged as
// any step is that comes after others.
func TestAStepThatBreaksAnother(t *testing.T) {
	text := postcondition(strings.Replace(sideBySide(3, ""), "max_retries = 2", "max_retries = 0", 1), "o1", "! grep -q bad o?")
	b := exectest.New(t, text, nil, exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
		if own(w) == "o3" && w.Attempt == 1 {
			return exec.Outcome{}, put(w, own(w), "bad")
		}
		return exec.Outcome{}, put(w, own(w), "x")
	}))
	r := b.Run(t)
	r.Want(t, history.Achieved)
	s := r.Report.Run.Step("3.1")
	if a := s.Attempts[0]; a.Aside == nil || !slices.Equal(a.Aside.With, []plan.Address{"1.1", "2.1"}) ||
		!strings.Contains(strings.Join(a.Failure.Reasons, "\n"), "a postcondition of step 1.1 does not hold") {
		t.Errorf("set aside: %+v, %+v", a.Aside, a.Failure)
	}
	if len(s.Attempts) != 2 || len(s.Recoveries) != 0 {
		t.Errorf("%d attempts, %v", len(s.Attempts), s.Recoveries)
	}
}

// A step that fails by itself costs what it costs alone: its executor, what it
// did that it did not declare, and whatever fails of the first that is joined.
func TestAStepThatFailsByItselfIsNotSetAside(t *testing.T) {
	for name, do := range map[string]func(exec.Work) error{
		"its executor": func(w exec.Work) error { return errors.New("the ground is soft") },
		"a breach":     func(w exec.Work) error { return errors.Join(put(w, own(w), "x"), put(w, "more", "x")) },
	} {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, sideBySide(3, ""), nil, exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
				if own(w) == "o2" && w.Attempt == 1 {
					return exec.Outcome{}, do(w)
				}
				return exec.Outcome{}, put(w, own(w), "x")
			}))
			s := b.Run(t).Report.Run.Step("2.1")
			if s.Attempts[0].Aside != nil || s.Attempts[0].InLane() != history.LaneFailed || len(s.Recoveries) != 1 {
				t.Errorf("%s, %v", s.Attempts[0].InLane(), s.Recoveries)
			}
		})
	}
	t.Run("the first", func(t *testing.T) {
		text := postcondition(sideBySide(3, ""), "o1", "grep -q good o1")
		b := exectest.New(t, text, nil, exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
			return exec.Outcome{}, put(w, own(w), []string{"bad", "good"}[w.Attempt-1])
		}))
		s := b.Run(t).Report.Run.Step("1.1")
		if s.Attempts[0].Aside != nil || len(s.Recoveries) != 1 {
			t.Errorf("%+v, %v", s.Attempts[0].Aside, s.Recoveries)
		}
	})
}

// TestAsideAfterEveryRecord ends the controller behind each record of a run in
// which a step is set aside, and goes on: the others stay, and the step is never
// carried out beside others again.
func TestAsideAfterEveryRecord(t *testing.T) {
	afterEveryRecord(t, history.Achieved, func(t *testing.T) *exectest.Bench {
		return exectest.New(t, counted(), nil, exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
			if own(w) != "o2" {
				return exec.Outcome{}, put(w, own(w), "x")
			}
			return exec.Outcome{}, counts(w)
		}))
	}, func(t *testing.T, r *exec.Report) {
		s := r.Run.Step("2.1")
		if s.Status != history.Completed || len(s.Recoveries) != 0 {
			t.Errorf("step 2.1 is %s, with %d retries", s.Status, len(s.Recoveries))
		}
		aside := slices.IndexFunc(s.Attempts, func(a *history.Attempt) bool { return a.Aside != nil })
		for _, a := range s.Attempts[max(0, aside+1):] {
			if aside >= 0 && a.Lane != nil {
				t.Errorf("attempt %d after one that was set aside is carried out in a lane", a.Number)
			}
		}
	})
}

// The group is delivered when all of it is joined: no lane is open then.
func TestNothingIsDeliveredBeforeAllIsJoined(t *testing.T) {
	b := exectest.New(t, sideBySide(3, ""), nil, exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
		return exec.Outcome{}, put(w, own(w), "x")
	}))
	r := b.Run(t)
	r.Want(t, history.Achieved)
	if _, err := os.Stat(filepath.Join(b.Dir, "o3")); err != nil {
		t.Fatal(err)
	}
	ws := exec.Workspace{Dir: b.Dir}
	records, err := ws.Records(context.Background(), r.Report.Run.Started.Run)
	must(t, err)
	var seen []string
	for _, rec := range records {
		if rec.Type == "step-completed" || rec.Type == "delivered" {
			seen = append(seen, rec.Type)
		}
	}
	want := []string{"step-completed", "step-completed", "step-completed", "delivered"}
	if !slices.Equal(seen, want) {
		t.Errorf("%v, want %v", seen, want)
	}
}

// appended is sideBySide of three steps that change files which are there, and
// what carries them out; somebody else saves two of the files meanwhile, once.
func appended(t *testing.T) *exectest.Bench {
	t.Helper()
	text := strings.ReplaceAll(sideBySide(3, ""), "create = [", "modify = [")
	b := exectest.New(t, strings.ReplaceAll(text, `matches = "."`, `matches = "ours"`),
		exectest.Files{"o1": "base\n", "o2": "base\n", "o3": "base\n"}, nil)
	b.Controller.Executors = exec.Default(exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
		name := own(w)
		if w.Attempt == 1 && name != "o2" {
			must(t, exectest.Put(b.Dir, name, "theirs\n"))
		}
		text, err := os.ReadFile(filepath.Join(w.Dir, name))
		return exec.Outcome{}, errors.Join(err, put(w, name, string(text)+"ours\n"))
	}))
	return b
}

// Where the work of several steps of a group met what somebody else did, it is
// asked about one after another, in the order of the plan; no other step of the
// group is carried out again.
func TestConflictsOfAGroup(t *testing.T) {
	for _, choices := range []string{"tt", "to", "ot", "oo", "stst"} {
		t.Run(choices, func(t *testing.T) {
			b := appended(t)
			someone := &person{choices: strings.Split(choices, "")}
			b.Controller.Escalator = someone
			locked := b.Lock(t)
			report, err := b.Controller.Run(t.Context(), locked)
			for range strings.Count(choices, "s") {
				if !errors.Is(err, exec.ErrWaiting) {
					t.Fatal(err)
				}
				report, err = b.Controller.Resume(t.Context(), locked, "")
			}
			if err != nil {
				t.Fatal(err, report)
			}
			want := map[string]string{"t": "theirs\nours\n", "o": "base\nours\n"}
			kept := strings.ReplaceAll(choices, "s", "")
			for name, text := range map[string]string{"o1": want[kept[:1]], "o2": want["o"], "o3": want[kept[1:]]} {
				if got, err := os.ReadFile(filepath.Join(b.Dir, name)); err != nil || string(got) != text {
					t.Errorf("%s holds %q, want %q (%v)", name, got, text, err)
				}
			}
			if n := report.Run.Step("2.1").Tried(); n != 1 {
				t.Errorf("2.1 was carried out %d times", n)
			}
			last := plan.Address("")
			for _, q := range someone.asked {
				if q.Kind != ask.Conflict || q.Step < last || q.Step == "2.1" {
					t.Errorf("after step %q was asked about: %s of step %s", last, q.Kind, q.Step)
				}
				last = q.Step
			}
		})
	}
}

// TestConflictsOfAGroupAfterEveryRecord cuts the journal behind every record of
// such a run, and goes on: nothing that somebody else did is lost unasked.
func TestConflictsOfAGroupAfterEveryRecord(t *testing.T) {
	for cut := 2; ; cut += stride() {
		b := appended(t)
		log := &cutLog{MemoryLog: &checkpoint.MemoryLog{}, left: cut}
		b.Controller.Runs = exectest.Logs(b.Controller.Dir, func(context.Context, string) (checkpoint.Log, error) { return log, nil })
		b.Controller.Escalator = asker(func(q ask.Question) (ask.Answer, error) { return answer(q, "t"), nil })
		locked := b.Lock(t)
		report, err := b.Controller.Run(t.Context(), locked)
		if err == nil {
			if cut < 10 {
				t.Errorf("the run was over after %d appends: nothing was cut", cut)
			}
			return
		}
		if !errors.Is(err, errCut) {
			t.Fatalf("cut %d: %v", cut, err)
		}
		log.MemoryLog, log.left = log.MemoryLog.Reopen(), 1<<30
		if report, err = b.Controller.Resume(t.Context(), locked, report.Run.Started.Run); err != nil {
			t.Fatalf("cut %d: resume: %v\n%s", cut, err, report)
		}
		for _, name := range []string{"o1", "o3"} {
			text, err := os.ReadFile(filepath.Join(b.Dir, name))
			if got := string(text); err != nil || got != "theirs\nours\n" && (report.Run.Step("1.1").Tried() > 0 && got != "base\nours\n") {
				t.Errorf("cut %d: %s holds %q, %v", cut, name, got, err)
			}
		}
	}
}
