package exec_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// A waiter answers nothing, yet.
type waiter struct{}

func (waiter) Ask(context.Context, ask.Question) (ask.Answer, error) {
	return ask.Answer{}, ask.ErrLater
}

// changing is a script whose only step writes what is now in text.
func changing(text *string) exectest.Script {
	return exectest.Script{"1.1": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		return exectest.Write("a", *text)(ctx, w)
	}}
}

// twice runs a plan, puts its workspace back, and runs it again with another
// output.
func twice(t *testing.T, head string, second string) (b *exectest.Bench, first, again *exectest.Result) {
	t.Helper()
	text := "one\n"
	b = exectest.New(t, steps(head, "a"), nil, changing(&text))
	first = b.Run(t)
	first.Want(t, history.Achieved)
	if err := os.Remove(filepath.Join(b.Dir, "a")); err != nil {
		t.Fatal(err)
	}
	text = second
	return b, first, b.Run(t)
}

// TestSameInputsOtherOutput runs a step twice in one workspace.
func TestSameInputsOtherOutput(t *testing.T) {
	t.Run("the same again is as it should be", func(t *testing.T) {
		_, _, again := twice(t, "", "one\n")
		again.Want(t, history.Achieved)
		if d := again.Report.Run.Steps[0].Last().Differs; d != nil {
			t.Errorf("flagged: %+v", d)
		}
	})
	t.Run("another output is flagged", func(t *testing.T) {
		_, first, again := twice(t, "", "two\n")
		again.Want(t, history.Achieved)
		d := again.Report.Run.Steps[0].Last().Differs
		if len(d) != 1 || d[0].Run != first.Report.Run.Started.Run || d[0].Attempt != 1 || d[0].Refused ||
			fmt.Sprint(d[0].Paths) != "[a]" {
			t.Errorf("got %+v", d)
		}
	})
	t.Run("and refused in deterministic mode", func(t *testing.T) {
		b, _, again := twice(t, "[execution]\ndeterministic = true\n", "two\n")
		again.Want(t, history.NotAchieved)
		s := again.Report.Run.Steps[0]
		if len(s.Attempts) != 1 || s.Attempts[0].Failure.Class != history.Nondeterministic ||
			len(s.Attempts[0].Differs) != 1 || !s.Attempts[0].Differs[0].Refused || !s.Failed.Halts {
			t.Errorf("got %+v in %d attempts", s.Failed, len(s.Attempts))
		}
		if got := again.Read(t, "a"); got != "" {
			t.Errorf("a holds %q: the step was not undone", got)
		}
		if b.Tree(t).Digest() != again.Report.Run.Started.Base.Tree {
			t.Error("the tree is not what it was before the step")
		}
	})
	t.Run("a person decides", func(t *testing.T) {
		text := "one\n"
		b := exectest.New(t, steps("[execution]\ndeterministic = true\n", "a"), nil, changing(&text))
		b.Run(t).Want(t, history.Achieved)
		if err := os.Remove(filepath.Join(b.Dir, "a")); err != nil {
			t.Fatal(err)
		}
		text = "two\n"
		who := &person{choices: []string{"x"}}
		b.Controller.Escalator = who
		b.Run(t).Want(t, history.NotAchieved)
		if len(who.asked) != 1 || !strings.Contains(strings.Join(who.asked[0].Evidence, "\n"), "another tree") {
			t.Errorf("asked %+v", who.asked)
		}
	})
	t.Run("another method, another tree before it, or another word of feedback are other inputs", func(t *testing.T) {
		text := "one\n"
		b := exectest.New(t, steps("[execution]\ndeterministic = true\n", "a"), nil, changing(&text))
		b.Run(t).Want(t, history.Achieved)
		if err := exectest.Put(b.Dir, "other", "o"); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(b.Dir, "a")); err != nil {
			t.Fatal(err)
		}
		text = "two\n"
		b.Run(t).Want(t, history.Achieved)
	})
}

// TestOtherOutputAfterARollback sets a run back and lets its step make
// something else.
func TestOtherOutputAfterARollback(t *testing.T) {
	text := "one\n"
	script := changing(&text)
	script["2.1"] = exectest.Fail("no")
	b := exectest.New(t, steps("", "a", "b"), nil, script)
	b.Controller.Escalator = waiter{}
	locked := b.Lock(t)
	report, err := b.Controller.Run(context.Background(), locked)
	if !errors.Is(err, exec.ErrWaiting) {
		t.Fatal(err)
	}
	id := report.Run.Started.Run
	if _, err := b.Controller.Rollback(context.Background(), id, "1.1", "", ""); err != nil {
		t.Fatal(err)
	}
	text, script["2.1"] = "two\n", exectest.Write("b", "b\n")
	report, err = b.Controller.Resume(context.Background(), locked, id)
	if err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
	d := report.Run.Step("1.1").Last().Differs
	if len(d) != 1 || d[0].Run != id || d[0].Attempt != 1 {
		t.Errorf("got %+v", d)
	}
}

// TestDeterminismAtEveryRecord cuts a run whose step makes something else than
// in the run before.
func TestDeterminismAtEveryRecord(t *testing.T) {
	for _, head := range []string{"", "[execution]\ndeterministic = true\n"} {
		everyCut(t, func(t *testing.T) *exectest.Bench {
			text := "one\n"
			b := exectest.New(t, steps(head, "a", "b"), nil, nil)
			script := changing(&text)
			script["2.1"] = exectest.Write("b", "b\n")
			for name := range b.Controller.Executors {
				b.Controller.Executors[name] = script
			}
			b.Run(t).Want(t, history.Achieved)
			for _, name := range []string{"a", "b"} {
				if err := os.Remove(filepath.Join(b.Dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			text = "two\n"
			return b
		}, func(t *testing.T, run *history.Run) any {
			last := run.Steps[0].Last()
			class := history.Class("")
			if last.Failure != nil {
				class = last.Failure.Class
			}
			return []any{run.Status, class, run.Flow.Tasks[0].Status}
		})
	}
}

// TestExecutedTwice runs a step of code in this process, which does something
// else each time.
func TestExecutedTwice(t *testing.T) {
	const deterministic = "[execution]\ndeterministic = true\n"
	t.Run("another output is refused, and named", func(t *testing.T) {
		calls := 0
		b := exectest.New(t, steps(deterministic, "a"), nil, exectest.Script{"1.1": func(ctx context.Context, w exec.Work) (
			exec.Outcome, error) {
			calls++
			return exectest.Write("a", fmt.Sprintf("same\ncall %d\n", calls))(ctx, w)
		}})
		res := b.Run(t)
		res.Want(t, history.NotAchieved)
		a := res.Report.Run.Steps[0].Attempts[0]
		want := history.Unlike{Path: "a", How: `line 2 is "call 1", and "call 2" the second time`}
		if calls != 2 || len(a.Repeated.Unlike) != 1 || a.Repeated.Unlike[0] != want ||
			a.Failure.Class != history.Nondeterministic {
			t.Errorf("%d calls: %+v, %+v", calls, a.Repeated, a.Failure)
		}
		if got := res.Read(t, "a"); got != "" {
			t.Errorf("a holds %q", got)
		}
	})
	t.Run("each is shown the same", func(t *testing.T) {
		var shown []string
		b := exectest.New(t, steps(deterministic, "a", "b"), exectest.Files{"c": "c\n"}, exectest.Script{
			"1.1": exectest.Write("a", "a\n"),
			"2.1": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
				names, err := filepath.Glob(filepath.Join(w.Dir, "?"))
				if err != nil {
					return exec.Outcome{}, err
				}
				shown = append(shown, fmt.Sprint(len(names), w.Attempt, w.Feedback, w.Earlier))
				return exectest.Write("b", "b\n")(ctx, w)
			}})
		res := b.Run(t)
		res.Want(t, history.Achieved)
		if len(shown) != 2 || shown[0] != shown[1] || !res.Report.Run.Steps[1].Last().Repeated.Same() {
			t.Errorf("shown %q, came to %+v", shown, res.Report.Run.Steps[1].Last().Repeated)
		}
	})
	t.Run("not an agent in the process", func(t *testing.T) {
		calls := 0
		text := strings.Replace(steps(deterministic, "a"), `run = "true"`, `prompt = "Write a"`, 1)
		b := exectest.New(t, text, nil, exectest.Script{"1.1": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			calls++
			return exectest.Write("a", "a\n")(ctx, w)
		}})
		res := b.Run(t)
		res.Want(t, history.Achieved)
		if said := res.Report.Run.Steps[0].Last().Repeated; calls != 1 || !strings.Contains(said.Not, "may use the network") {
			t.Errorf("%d calls, %+v", calls, said)
		}
	})
	t.Run("stopped the second time it is carried out again", func(t *testing.T) {
		calls := 0
		ctx, stop := context.WithCancelCause(context.Background())
		b := exectest.New(t, steps(deterministic, "a"), nil, exectest.Script{"1.1": func(c context.Context, w exec.Work) (
			exec.Outcome, error) {
			if calls++; calls == 2 {
				stop(errors.New("enough"))
				return exec.Outcome{}, context.Cause(ctx)
			}
			return exectest.Write("a", "a\n")(c, w)
		}})
		locked := b.Lock(t)
		report, err := b.Controller.Run(ctx, locked)
		if err == nil || report.Run.Steps[0].Status == history.Completed {
			t.Fatalf("%v\n%s", err, report)
		}
		report, err = b.Controller.Resume(context.Background(), locked, report.Run.Started.Run)
		if err != nil {
			t.Fatalf("%v\n%s", err, report)
		}
		s := report.Run.Steps[0]
		if calls != 4 || len(s.Attempts) != 2 || s.Attempts[0].Failure.Class != history.Interrupted ||
			!s.Last().Repeated.Same() {
			t.Errorf("%d calls, %d attempts: %+v", calls, len(s.Attempts), s.Attempts[0].Failure)
		}
	})
}
