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
)

// theirs is what a person makes of a.txt.
const theirs = "a person's work\n"

// meets is a bench whose second step adds a line to a.txt, while a person saves
// another content there, once.
func meets(t *testing.T) *exectest.Bench {
	t.Helper()
	b := exectest.New(t, twoSteps(), workspace, nil)
	saved := false
	b.Controller.Executors["script"] = exectest.Script{"1.1": goodScript["1.1"], "1.2": func(ctx context.Context,
		w exec.Work) (exec.Outcome, error) {
		if !saved {
			saved = true
			must(t, exectest.Put(b.Dir, "a.txt", theirs))
		}
		text, err := os.ReadFile(filepath.Join(w.Dir, "a.txt"))
		if err != nil {
			return exec.Outcome{}, err
		}
		return exectest.Write("a.txt", string(text)+"two\n")(ctx, w)
	}}
	return b
}

// TestAConflictIsAQuestion: a person changed what a step changed. Theirs is kept
// and the step runs again on it; or the step's is put in its place; or the run
// stops, and asks again.
func TestAConflictIsAQuestion(t *testing.T) {
	for _, tt := range []struct {
		choices []string
		want    string
	}{
		{[]string{"t"}, theirs + "two\n"},
		{[]string{"o"}, "one\ntwo\n"},
		{[]string{"s", "t"}, theirs + "two\n"},
		{[]string{"s", "o"}, "one\ntwo\n"},
	} {
		t.Run(fmt.Sprint(tt.choices), func(t *testing.T) {
			b := meets(t)
			someone := &person{choices: slices.Clone(tt.choices)}
			b.Controller.Escalator = someone
			one := onlyOneQuestion(t, b.Controller)
			locked := b.Lock(t)
			report, err := b.Controller.Run(t.Context(), locked)
			for range tt.choices[1:] {
				if text, _ := os.ReadFile(filepath.Join(b.Dir, "a.txt")); !errors.Is(err, exec.ErrWaiting) || string(text) != theirs {
					t.Fatalf("it was stopped: a.txt holds %q, %v\n%s", text, err, report)
				}
				report, err = b.Controller.Resume(t.Context(), locked, "")
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, report)
			}
			run := &exectest.Result{Report: report, Err: err, Dir: b.Dir}
			run.Want(t, history.Achieved)
			if got := run.Read(t, "a.txt"); got != tt.want {
				t.Errorf("a.txt holds %q, want %q", got, tt.want)
			}
			wantKept(t, run, theirs)
			for _, q := range someone.asked {
				var keys []string
				for _, c := range q.Choices {
					keys = append(keys, c.Key)
				}
				if q.Kind != ask.Conflict || q.Step != "1.2" || strings.Join(keys, "") != "tos" || !strings.Contains(strings.Join(q.Evidence, "\n"), "a.txt") {
					t.Errorf("asked %+v", q)
				}
			}
			if one() != len(tt.choices) {
				t.Errorf("%d questions were answered, want %d", one(), len(tt.choices))
			}
		})
	}
}

// TestAConflictThatNobodyAnswers lets go of the run, which goes on once what the
// person did is taken back.
func TestAConflictThatNobodyAnswers(t *testing.T) {
	b := meets(t)
	locked := b.Lock(t)
	_, err := b.Controller.Run(t.Context(), locked)
	wantExternal(t, err, "a.txt")
	if text, err := os.ReadFile(filepath.Join(b.Dir, "a.txt")); string(text) != theirs {
		t.Errorf("a.txt holds %q, %v", text, err)
	}
	must(t, exectest.Put(b.Dir, "a.txt", "one\n"))
	report, err := b.Controller.Resume(t.Context(), locked, "")
	if err != nil || report.Status() != history.Achieved {
		t.Fatal(err, report)
	}
	if text, err := os.ReadFile(filepath.Join(b.Dir, "a.txt")); string(text) != "one\ntwo\n" {
		t.Errorf("a.txt holds %q, %v", text, err)
	}
}

// TestWhatWasDeliveredAndRemovedIsNamed: while a conflict waits for an answer,
// a person removes what was delivered beside it. That is no return to what the
// step found: it is named before it is delivered again.
func TestWhatWasDeliveredAndRemovedIsNamed(t *testing.T) {
	b := exectest.New(t, strings.Replace(steps("", "x"), `create = ["x"]`, `create = ["x", "y"]`, 1), nil, nil)
	b.Controller.Executors["script"] = exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		must(t, exectest.Put(b.Dir, "x", theirs))
		return exectest.All(exectest.Write("x", "step\n"), exectest.Write("y", "step\n"))(ctx, w)
	})
	someone := &person{choices: []string{"s", "o"}}
	b.Controller.Escalator = someone
	locked := b.Lock(t)
	report, err := b.Controller.Run(t.Context(), locked)
	if !errors.Is(err, exec.ErrWaiting) {
		t.Fatalf("it was stopped: %v\n%s", err, report)
	}
	must(t, os.Remove(filepath.Join(b.Dir, "y")))
	if report, err = b.Controller.Resume(t.Context(), locked, ""); err != nil || len(someone.asked) != 2 {
		t.Fatalf("%v, after %d questions\n%s", err, len(someone.asked), report)
	}
	for i, want := range []bool{false, true} {
		text := strings.Join(someone.asked[i].Evidence, "\n")
		if strings.Contains(text, "delete y") != want || !strings.Contains(text, "create x") && !strings.Contains(text, "modify x") {
			t.Errorf("question %d names\n%s", i+1, text)
		}
	}
	if text, err := os.ReadFile(filepath.Join(b.Dir, "y")); string(text) != "step\n" {
		t.Errorf("what the person let the step put there holds %q, %v", text, err)
	}
}

// TestAllKindsOfConflicts: what the step does, and what the person does at the
// same path.
func TestAllKindsOfConflicts(t *testing.T) {
	put := func(text string) func(path string) error {
		return func(path string) error { return os.WriteFile(path, []byte(text), 0o644) }
	}
	folder := func(path string) error {
		return errors.Join(os.RemoveAll(path), os.Mkdir(path, 0o755), os.WriteFile(filepath.Join(path, "in"), nil, 0o644))
	}
	for name, tt := range map[string]struct {
		artifacts string
		step      exec.Func
		person    func(path string) error
		ours      string // "": no file
		check     string
	}{
		"both create":                     {`create = ["x"]`, exectest.Write("x", "step\n"), put("person\n"), "step\n", `{ kind = "file_contains", path = "x", text = "step" }`},
		"one creates, one makes a folder": {`create = ["x"]`, exectest.Write("x", "step\n"), folder, "step\n", `{ kind = "file_contains", path = "x", text = "step" }`},
		"both change":                     {`modify = ["f"]`, exectest.Write("f", "step\n"), put("person\n"), "step\n", `{ kind = "file_contains", path = "f", text = "step" }`},
		"the step changes, they delete":   {`modify = ["f"]`, exectest.Write("f", "step\n"), os.Remove, "step\n", `{ kind = "file_contains", path = "f", text = "step" }`},
		"the step deletes, they change":   {`delete = ["f"]`, exectest.Remove("f"), put("person\n"), "", `{ kind = "file_absent", path = "f" }`},
	} {
		for _, choice := range []string{"s", "o"} {
			t.Run(name+" "+choice, func(t *testing.T) {
				path := "f"
				if strings.Contains(tt.artifacts, `"x"`) {
					path = "x"
				}
				text := strings.Replace(steps("", "a"), `artifacts = { create = ["a"] }
postconditions = [{ kind = "file_contains", path = "a", matches = "." }]`, `artifacts = { `+tt.artifacts+` }
postconditions = [`+tt.check+`]`, 1)
				text = strings.Replace(text, `semantic_change = "extending"`, `semantic_change = "modifying"`, 1)
				b := exectest.New(t, text, exectest.Files{"f": "before\n"}, nil)
				var after map[string]string
				b.Controller.Executors["script"] = exectest.Script{"1.1": then(func() {
					must(t, tt.person(filepath.Join(b.Dir, path)))
					after = held(t, b.Dir)
				}, tt.step)}
				someone := &person{choices: []string{choice}}
				b.Controller.Escalator = someone
				run := b.Run(t)
				if len(someone.asked) != 1 || someone.asked[0].Kind != ask.Conflict {
					t.Fatalf("asked %+v: %v\n%s", someone.asked, run.Err, run.Report)
				}
				if choice == "s" {
					wantHeld(t, after, b.Dir)
					return
				}
				run.Want(t, history.Achieved)
				if got, err := os.ReadFile(filepath.Join(b.Dir, path)); string(got) != tt.ours || tt.ours != "" && err != nil {
					t.Errorf("%s holds %q, %v, want %q", path, got, err, tt.ours)
				}
			})
		}
	}
}

// TestAConflictSurvivesACrashAnywhere cuts the journal after every record of a
// run with a conflict, also between the question and the answer, and between
// that and what it stands for.
func TestAConflictSurvivesACrashAnywhere(t *testing.T) {
	for _, choice := range []string{"t", "o"} {
		t.Run(choice, func(t *testing.T) {
			for cut := 2; ; cut += stride() {
				b := meets(t)
				log := &cutLog{MemoryLog: &checkpoint.MemoryLog{}, left: cut}
				b.Controller.Runs = exectest.Logs(b.Controller.Dir, func(context.Context, string) (checkpoint.Log, error) { return log, nil })
				var kind ask.Kind
				b.Controller.Escalator = asker(func(q ask.Question) (ask.Answer, error) {
					if kind = q.Kind; kind == ask.External { // the attempt that met it was lost
						return answer(q, "t"), nil
					}
					return answer(q, choice), nil
				})
				onlyOneQuestion(t, b.Controller)
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
				text, err := os.ReadFile(filepath.Join(b.Dir, "a.txt"))
				if got := string(text); kind == "" && got != "" && got != "one\n" && got != theirs {
					t.Errorf("cut %d: a.txt holds %q, %v, and nobody was asked", cut, got, err)
				}
				log.MemoryLog, log.left = log.MemoryLog.Reopen(), 1<<30
				if report, err = b.Controller.Resume(t.Context(), locked, report.Run.Started.Run); err != nil {
					t.Fatalf("cut %d: resume: %v\n%s", cut, err, report)
				}
				want := theirs + "two\n"
				if kind == ask.Conflict && choice == "o" {
					want = "one\ntwo\n"
				}
				if text, err := os.ReadFile(filepath.Join(b.Dir, "a.txt")); string(text) != want {
					t.Errorf("cut %d: a.txt holds %q, %v, want %q", cut, text, err, want)
				}
			}
		})
	}
}

// TestWhatWasAdoptedSurvivesARollback: a rollback to before the adoption leaves
// it, takes the steps back, and the run goes on from there.
func TestWhatWasAdoptedSurvivesARollback(t *testing.T) {
	for name, work := range personsWork {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, steps("", "a", "b", "c"), personsFiles, nil)
			ctx, cancel := context.WithCancelCause(t.Context())
			var after map[string]string
			b.Controller.Executors["script"] = exectest.Script{"1.1": exectest.Write("a", "a\n"),
				"2.1": exectest.Attempts(exectest.Fail("no"), exectest.Fail("no"), exectest.All(then(func() {
					must(t, work.do(b.Dir))
					after = held(t, b.Dir, "a")
				}, exectest.Fail("no"))), exectest.Write("b", "b\n")),
				"3.1": func(ctx context.Context, _ exec.Work) (exec.Outcome, error) {
					cancel(errors.New("stop"))
					return exec.Outcome{}, context.Cause(ctx)
				}}
			b.Controller.Escalator = &person{choices: []string{"r", "t"}}
			locked := b.Lock(t)
			report, err := b.Controller.Run(ctx, locked)
			if err == nil || len(report.Run.Concluded()) != 2 || len(report.Run.Adopted) != 1 {
				t.Fatalf("adopted %v: %v\n%s", report.Run.Adopted, err, report)
			}
			done, err := b.Controller.Rollback(t.Context(), "", "1.1", "", "")
			if err != nil {
				t.Fatal(err)
			}
			if done.Clone != "" {
				t.Errorf("what was set back is the workspace, and it says %s", done.Clone)
			}
			wantHeld(t, after, b.Dir)
			b.Controller.Executors["script"] = exectest.Script{"1.1": exectest.Write("a", "a\n"), "2.1": exectest.Write("b", "b\n"), "3.1": exectest.Write("c", "c\n")}
			if report, err = b.Controller.Resume(t.Context(), locked, ""); err != nil {
				t.Errorf("resumed: %v\n%s", err, report)
			}
			wantHeld(t, after, b.Dir, "a", "b", "c")
		})
	}
}

// TestARollbackTakesNothingOfAPersons is refused where a person changed what a
// step made, of a run that waits and of one that ended; what no step made is no
// concern of it.
func TestARollbackTakesNothingOfAPersons(t *testing.T) {
	for _, ended := range []bool{false, true} {
		for name, does := range map[string]func(path string) error{
			"edited":           func(path string) error { return os.WriteFile(path, []byte("person\n"), 0o644) },
			"made a folder of": func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) },
		} {
			t.Run(fmt.Sprintf("%s, ended %v", name, ended), func(t *testing.T) {
				b := exectest.New(t, steps("", "a", "b"), personsFiles, nil)
				ctx, cancel := context.WithCancelCause(t.Context())
				b.Controller.Executors["script"] = exectest.Script{"1.1": exectest.Write("a", "a\n"),
					"2.1": func(context.Context, exec.Work) (exec.Outcome, error) {
						cancel(errors.New("stop"))
						return exec.Outcome{}, errors.New("stopped")
					}}
				if ended {
					b.Controller.Executors["script"] = exectest.Script{"1.1": exectest.Write("a", "a\n"), "2.1": exectest.Write("b", "b\n")}
				}
				report, err := b.Controller.Run(ctx, b.Lock(t))
				if (err == nil) != ended {
					t.Fatal(err, report)
				}
				id, path := report.Run.Started.Run, filepath.Join(b.Dir, "a")
				must(t, errors.Join(does(path), exectest.Put(b.Dir, "new.txt", "n\n")))
				before := held(t, b.Dir)
				_, err = b.Controller.Rollback(t.Context(), id, "1.1", "", "")
				var refused *exec.RefusedError
				if !errors.As(err, &refused) || !slices.ContainsFunc(refused.Reasons, func(r string) bool { return strings.HasPrefix(r, "a: ") }) {
					t.Errorf("got %v, want a refusal that names a", err)
				}
				wantHeld(t, before, b.Dir)
				if now, err := (exec.Workspace{Dir: b.Dir}).History(t.Context(), id); err != nil || now.Head != report.Run.Head {
					t.Errorf("the journal moved from %v to %v, %v", report.Run.Head, now.Head, err)
				}
				// Put back what the step made, it is rolled back, and new.txt stays.
				must(t, errors.Join(os.RemoveAll(path), exectest.Put(b.Dir, "a", "a\n")))
				if _, err := b.Controller.Rollback(t.Context(), id, "1.1", "", ""); err != nil {
					t.Error(err)
				}
				if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("a is still there: %v", err)
				}
				if text, err := os.ReadFile(filepath.Join(b.Dir, "new.txt")); string(text) != "n\n" {
					t.Errorf("new.txt holds %q, %v", text, err)
				}
			})
		}
	}
}
