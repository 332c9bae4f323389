package exec_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan"
)

// inPlace is a plan whose steps work in the workspace itself.
func inPlace(text string) string { return layered(text, plan.InPlace) }

// layered is a plan whose steps work in a layer.
func layered(text string, layer plan.Layer) string {
	if strings.Contains(text, "[sandbox]\n") {
		return strings.Replace(text, "[sandbox]\n", "[sandbox]\nlayer = \""+string(layer)+"\"\n", 1)
	}
	return strings.Replace(text, "[defaults]\n", "[sandbox]\nlayer = \""+string(layer)+"\"\n\n[defaults]\n", 1)
}

// held is all that a folder holds besides the controller's own and some names:
// each path with its mode and its content.
func held(t *testing.T, dir string, besides ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		switch {
		case err != nil || name == ".":
			return err
		case name == exec.Own:
			return fs.SkipDir
		case slices.Contains(besides, name):
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all[name] = info.Mode().String()
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			all[name] += " " + string(text)
			return err
		}
		return nil
	}))
	return all
}

// wantHeld fails the test unless a folder holds what it did.
func wantHeld(t *testing.T, before map[string]string, dir string, besides ...string) {
	t.Helper()
	if diff := cmp.Diff(before, held(t, dir, besides...)); diff != "" {
		t.Errorf("the workspace (-before +now):\n%s", diff)
	}
}

// wantExternal fails the test unless a run was let go because of what somebody
// else did at a path.
func wantExternal(t *testing.T, err error, path string) {
	t.Helper()
	var refused *exec.RefusedError
	if !errors.As(err, &refused) || !slices.ContainsFunc(refused.Reasons, func(reason string) bool {
		return strings.HasPrefix(reason, "external change: nobody in this run did") && strings.Contains(reason, path)
	}) {
		t.Errorf("got %v, want a refusal because of an external change of %s", err, path)
	}
}

// personsWork is what somebody does in a workspace that holds mine.txt and d/f,
// the path that is named of it, and how it is taken back.
var personsWork = map[string]struct {
	do    func(dir string) error
	names string
	back  func(dir string) error
}{
	"a file edited": {
		func(dir string) error { return os.WriteFile(filepath.Join(dir, "mine.txt"), []byte("edited\n"), 0o644) },
		"mine.txt",
		func(dir string) error { return os.WriteFile(filepath.Join(dir, "mine.txt"), []byte("mine\n"), 0o644) },
	},
	"a file renamed over": {
		func(dir string) error {
			return errors.Join(os.WriteFile(filepath.Join(dir, "mine.tmp"), []byte("saved\n"), 0o644),
				os.Rename(filepath.Join(dir, "mine.tmp"), filepath.Join(dir, "mine.txt")))
		},
		"mine.txt",
		func(dir string) error { return os.WriteFile(filepath.Join(dir, "mine.txt"), []byte("mine\n"), 0o644) },
	},
	"a file created": {
		func(dir string) error { return exectest.Put(dir, "new/file", "new\n") },
		"new/file",
		func(dir string) error { return os.RemoveAll(filepath.Join(dir, "new")) },
	},
	"a file deleted": {
		func(dir string) error { return os.Remove(filepath.Join(dir, "mine.txt")) },
		"mine.txt",
		func(dir string) error { return os.WriteFile(filepath.Join(dir, "mine.txt"), []byte("mine\n"), 0o644) },
	},
	"a folder moved": {
		func(dir string) error { return os.Rename(filepath.Join(dir, "d"), filepath.Join(dir, "e")) },
		"e/f",
		func(dir string) error { return os.Rename(filepath.Join(dir, "e"), filepath.Join(dir, "d")) },
	},
}

var personsFiles = exectest.Files{"mine.txt": "mine\n", "d/f": "f\n"}

// TestWhatAPersonDoesIsLeftAlone has a person work in the workspace during a
// run. The run goes on, delivers what it does, and is let go before it ends;
// nothing of the person's is touched. It ends once that is taken back.
func TestWhatAPersonDoesIsLeftAlone(t *testing.T) {
	// moments are when the person works: whoever is asked at one calls do.
	moments := map[string]func(b *exectest.Bench, do func()){
		"during a step": func(b *exectest.Bench, do func()) {
			b.Controller.Executors["script"] = exectest.Script{"1.1": then(do, exectest.Write("a", "a\n")), "2.1": exectest.Write("b", "b\n")}
		},
		"during an attempt that fails": func(b *exectest.Bench, do func()) {
			b.Controller.Executors["script"] = exectest.Script{"1.1": exectest.Attempts(exectest.All(exectest.Write("junk", "j\n"),
				then(do, exectest.Fail("no"))), exectest.Write("a", "a\n")), "2.1": exectest.Write("b", "b\n")}
		},
		"between two steps": func(b *exectest.Bench, do func()) {
			b.Controller.Observe = event.On(func(e event.Event, _ *history.StepCompleted) {
				if e.Step == "1.1" {
					do()
				}
			})
		},
		"after a delivery": func(b *exectest.Bench, do func()) {
			done := false
			b.Controller.Observe = event.On(func(event.Event, *history.Delivered) {
				if !done {
					done = true
					do()
				}
			})
		},
		"during the last step": func(b *exectest.Bench, do func()) {
			b.Controller.Executors["script"] = exectest.Script{"1.1": exectest.Write("a", "a\n"), "2.1": then(do, exectest.Write("b", "b\n"))}
		},
	}
	for when, at := range moments {
		for name, work := range personsWork {
			t.Run(name+" "+when, func(t *testing.T) {
				b := exectest.New(t, steps("", "a", "b"), personsFiles,
					exectest.Script{"1.1": exectest.Write("a", "a\n"), "2.1": exectest.Write("b", "b\n")})
				before := held(t, b.Dir)
				var after map[string]string
				at(b, func() {
					must(t, work.do(b.Dir))
					after = held(t, b.Dir, "a", "b")
				})
				locked := b.Lock(t)
				report, err := b.Controller.Run(t.Context(), locked)
				wantExternal(t, err, work.names)
				wantHeld(t, after, b.Dir, "a", "b")
				for _, name := range []string{"a", "b"} {
					if text, err := os.ReadFile(filepath.Join(b.Dir, name)); string(text) != name+"\n" {
						t.Errorf("%s, which was accepted, holds %q, %v", name, text, err)
					}
				}
				if n := len(report.Run.Concluded()); n != 2 {
					t.Errorf("%d steps were completed, want 2", n)
				}
				must(t, work.back(b.Dir))
				if report, err = b.Controller.Resume(t.Context(), locked, ""); err != nil {
					t.Errorf("resumed: %v\n%s", err, report)
				}
				wantHeld(t, before, b.Dir, "a", "b")
			})
		}
	}
}

// then does something before an action.
func then(do func(), action exec.Func) exec.Func {
	return func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		do()
		return action(ctx, w)
	}
}

// TestWhatAPersonDoesAtTheEndIsLeftAlone: final gates look at the layer, so that
// what comes then is not theirs, nor the run's.
func TestWhatAPersonDoesAtTheEndIsLeftAlone(t *testing.T) {
	for name, work := range personsWork {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, twoSteps(), personsFiles, goodScript)
			var after map[string]string
			b.Controller.Gates = append(builtin.Gates(), gate.New(gate.Info{Name: "slow", Doc: "takes its time",
				Level: gate.BlocksStep, Phases: []gate.Phase{gate.Final}},
				func(context.Context, *gate.Pass) error {
					err := work.do(b.Dir)
					after = held(t, b.Dir)
					return err
				}))
			b.Run(t)
			wantHeld(t, after, b.Dir)
		})
	}
}

// TestAnExternalChangeIsAQuestion: what a person did is adopted, and the run
// goes on with it; or the workspace is put back to what the run left; or it
// stops, and asks again when it is resumed.
func TestAnExternalChangeIsAQuestion(t *testing.T) {
	for name, work := range personsWork {
		for _, choices := range [][]string{{"t"}, {"s", "t"}, {"s", "s", "t"}, {"o"}, {"s", "o"}} {
			t.Run(fmt.Sprint(name, choices), func(t *testing.T) {
				b := exectest.New(t, steps("", "a", "b"), personsFiles, nil)
				before := held(t, b.Dir, "a", "b")
				var after map[string]string
				b.Controller.Executors["script"] = exectest.Script{"1.1": then(func() {
					must(t, work.do(b.Dir))
					after = held(t, b.Dir, "a", "b")
				}, exectest.Write("a", "a\n")), "2.1": exectest.Write("b", "b\n")}
				someone := &person{choices: slices.Clone(choices)}
				b.Controller.Escalator = someone
				one := onlyOneQuestion(t, b.Controller)
				locked := b.Lock(t)
				report, err := b.Controller.Run(t.Context(), locked)
				for range choices[1:] {
					if !errors.Is(err, exec.ErrWaiting) {
						t.Fatalf("it was stopped, and the run goes on: %v\n%s", err, report)
					}
					wantHeld(t, after, b.Dir, "a", "b")
					report, err = b.Controller.Resume(t.Context(), locked, "")
				}
				if err != nil || report.Status() != history.Achieved {
					t.Fatalf("it was settled: %v\n%s", err, report)
				}
				if slices.Contains(choices, "o") {
					after = before
				}
				wantHeld(t, after, b.Dir, "a", "b")
				if got := b.Tree(t).Digest(); got != report.Run.Tree.Tree {
					t.Error("the workspace is not the tree of the run")
				}
				for _, q := range someone.asked {
					if q.Kind != ask.External || len(q.Choices) != 3 || !strings.Contains(strings.Join(q.Evidence, "\n"), work.names) {
						t.Errorf("asked %+v", q)
					}
				}
				if one() != len(choices) {
					t.Errorf("asked %d times, want %d", one(), len(choices))
				}
			})
		}
	}
}

// onlyOneQuestion watches a run: no question is put while another is open. It
// returns how many were answered.
func onlyOneQuestion(t *testing.T, c *exec.Controller) (answered func() int) {
	t.Helper()
	open, n, before := map[string]bool{}, 0, c.Observe
	c.Observe = func(ctx context.Context, e event.Event) {
		switch f := e.Fact.(type) {
		case *history.Asked:
			open[f.Question.ID] = true
			if len(open) > 1 {
				t.Errorf("questions %v are open at a time", open)
			}
		case *history.Answered:
			delete(open, f.Answer.Question)
			n++
		case *history.Unanswered:
			if f.Final {
				delete(open, f.Question)
			}
		}
		if before != nil {
			before(ctx, e)
		}
	}
	return func() int { return n }
}

// TestWhatIsAdoptedReachesTheSteps: a step that begins after a person's work was
// adopted works on it.
func TestWhatIsAdoptedReachesTheSteps(t *testing.T) {
	b := exectest.New(t, steps("", "a", "b"), personsFiles, nil)
	b.Controller.Executors["script"] = exectest.Script{
		"1.1": exectest.Attempts(then(func() { must(t, exectest.Put(b.Dir, "mine.txt", "edited\n")) }, exectest.Fail("no")),
			exectest.Fail("no"), exectest.Fail("no"), exectest.Write("a", "a\n")),
		"2.1": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			if text, err := os.ReadFile(filepath.Join(w.Dir, "mine.txt")); string(text) != "edited\n" {
				t.Errorf("the step finds %q, %v", text, err)
			}
			return exectest.Write("b", "b\n")(ctx, w)
		}}
	someone := &person{choices: []string{"r", "t"}}
	b.Controller.Escalator = someone
	one := onlyOneQuestion(t, b.Controller)
	run := b.Run(t)
	run.Want(t, history.Achieved)
	if len(someone.asked) != 2 || someone.asked[1].Kind != ask.External || one() != 2 {
		t.Errorf("asked %+v", someone.asked)
	}
}

// TestMoreComesWhileAQuestionIsOpen: a question about external changes that
// nobody has answered yet is put anew when there are others by then, and not at
// all when they are gone.
func TestMoreComesWhileAQuestionIsOpen(t *testing.T) {
	for name, more := range map[string]struct {
		do    func(dir string) error
		asked int
	}{
		"others":     {func(dir string) error { return exectest.Put(dir, "more.txt", "more\n") }, 2},
		"none":       {func(string) error { return nil }, 2},
		"taken back": {func(dir string) error { return exectest.Put(dir, "mine.txt", "mine\n") }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := exectest.New(t, twoSteps(), personsFiles, exectest.Script{"1.1": goodScript["1.1"]})
			b.Controller.Executors["script"] = exectest.Script{"1.1": goodScript["1.1"], "1.2": then(func() {
				must(t, exectest.Put(b.Dir, "mine.txt", "edited\n"))
			}, goodScript["1.2"])}
			var asked []ask.Question
			later := true
			b.Controller.Escalator = asker(func(q ask.Question) (ask.Answer, error) {
				if asked = append(asked, q); later {
					return ask.Answer{}, ask.ErrLater
				}
				return answer(q, "t"), nil
			})
			onlyOneQuestion(t, b.Controller)
			locked := b.Lock(t)
			if report, err := b.Controller.Run(t.Context(), locked); !errors.Is(err, exec.ErrWaiting) {
				t.Fatal(err, report)
			}
			must(t, more.do(b.Dir))
			before := held(t, b.Dir)
			later = false
			report, err := b.Controller.Resume(t.Context(), locked, "")
			if err != nil || report.Status() != history.Achieved {
				t.Fatal(err, report)
			}
			wantHeld(t, before, b.Dir)
			if len(asked) != more.asked {
				t.Errorf("asked %d times, want %d", len(asked), more.asked)
			}
			if name == "others" && !strings.Contains(strings.Join(asked[1].Evidence, "\n"), "more.txt") {
				t.Errorf("asked %+v, want more.txt in it", asked[1])
			}
		})
	}
}

// TestTheWorkspaceIsLookedAtBeforeAnIrreversibleStep: it is not attempted on what
// a person did meanwhile.
func TestTheWorkspaceIsLookedAtBeforeAnIrreversibleStep(t *testing.T) {
	var record exectest.Record
	b := exectest.New(t, steps("", "a", "b\nrollback = \"irreversible\""), personsFiles, nil)
	b.Controller.Executors["script"] = record.Of(exectest.Script{"1.1": then(func() {
		must(t, exectest.Put(b.Dir, "mine.txt", "edited\n"))
	}, exectest.Write("a", "a\n")), "2.1": exectest.Write("b", "b\n")})
	run := b.Run(t)
	wantExternal(t, run.Err, "mine.txt")
	if got := record.Attempts(); len(got) != 1 {
		t.Errorf("attempts %q, want that of 1.1 alone", got)
	}
	if got := run.Read(t, "mine.txt"); got != "edited\n" {
		t.Errorf("mine.txt holds %q", got)
	}
}

// TestTheWorkspaceIsLookedAtBeforeEachStep where the plan says so: what a person
// did during a step, or between two, keeps the next one from its attempt.
func TestTheWorkspaceIsLookedAtBeforeEachStep(t *testing.T) {
	for head, attempts := range map[string]int{"execution.external = \"every-step\"": 2, "execution.external = \"checkpoints\"": 3} {
		for _, when := range []string{"during", "between"} {
			t.Run(head+" "+when, func(t *testing.T) {
				var record exectest.Record
				b := exectest.New(t, steps(head, "a", "b", "c"), personsFiles, nil)
				edit := func() { must(t, exectest.Put(b.Dir, "mine.txt", "edited\n")) }
				script := exectest.Script{"1.1": exectest.Write("a", "a\n"), "2.1": exectest.Write("b", "b\n"), "3.1": exectest.Write("c", "c\n")}
				if when == "during" {
					script["2.1"] = then(edit, script["2.1"])
				} else {
					b.Controller.Observe = event.On(func(e event.Event, _ *history.StepCompleted) {
						if e.Step == "2.1" {
							edit()
						}
					})
				}
				b.Controller.Executors["script"] = record.Of(script)
				run := b.Run(t)
				wantExternal(t, run.Err, "mine.txt")
				if got := record.Attempts(); len(got) != attempts {
					t.Errorf("attempts %q, want %d", got, attempts)
				}
				if got := run.Read(t, "mine.txt"); got != "edited\n" {
					t.Errorf("mine.txt holds %q", got)
				}
			})
		}
	}
}

// TestDeliveredAfterEachStepThatChangedSomething looks for the fact.
func TestDeliveredAfterEachStepThatChangedSomething(t *testing.T) {
	var heard []string
	b := exectest.New(t, strings.Replace(steps("", "a", "b", "c"), `artifacts = { create = ["b"] }
postconditions = [{ kind = "file_contains", path = "b", matches = "." }]`, `artifacts = {}
postconditions = [{ kind = "file_exists", path = "a" }]`, 1), nil, nil)
	b.Controller.Executors["script"] = exectest.Script{"1.1": exectest.Write("a", "a\n"), "2.1": exectest.Nothing(), "3.1": exectest.Write("c", "c\n")}
	b.Controller.Observe = func(_ context.Context, e event.Event) {
		switch e.Fact.(type) {
		case *history.StepCompleted:
			heard = append(heard, string(e.Step))
		case *history.Delivered:
			heard = append(heard, "delivered")
			if got := b.Tree(t).Digest(); got != e.State.Tree.Tree {
				t.Errorf("the workspace is %s, and the run has %s", got.Short(), e.State.Tree.Tree.Short())
			}
		}
	}
	b.Run(t).Want(t, history.Partial)
	if got, want := strings.Join(heard, " "), "1.1 delivered 2.1 3.1 delivered"; got != want {
		t.Errorf("heard %s, want %s", got, want)
	}
}

// TestAWorkspaceThatIsALinkByNow has a step put a link in place of the
// workspace: nothing is touched where it leads, and the run does not go on.
func TestAWorkspaceThatIsALinkByNow(t *testing.T) {
	for _, when := range []string{"during a step", "after its delivery", "before a step is undone"} {
		t.Run(when, func(t *testing.T) {
			b := exectest.New(t, twoSteps(), workspace, nil)
			victim, moved := t.TempDir(), b.Dir+".moved"
			t.Cleanup(func() { os.RemoveAll(moved) })
			for name, text := range map[string]string{"a.txt": "victim\n", "b.txt": "victim\n", "precious/f": "p\n"} {
				must(t, exectest.Put(victim, name, text))
			}
			before := held(t, victim)
			swap := func() { must(t, errors.Join(os.Rename(b.Dir, moved), os.Symlink(victim, b.Dir))) }
			script := exectest.Script{"1.1": goodScript["1.1"], "1.2": goodScript["1.2"]}
			switch when {
			case "during a step":
				script["1.2"] = exectest.All(goodScript["1.2"], then(swap, exectest.Nothing()))
			case "before a step is undone":
				script["1.2"] = exectest.All(goodScript["1.2"], then(swap, exectest.Fail("no")))
			default:
				b.Controller.Observe = event.On(func(e event.Event, _ *history.StepCompleted) {
					if e.Step == "1.2" {
						swap()
					}
				})
			}
			b.Controller.Executors["script"] = script
			locked := b.Lock(t)
			report, err := b.Controller.Run(t.Context(), locked)
			if err == nil || report.Status() == history.Achieved {
				t.Errorf("the run goes on: %v\n%s", err, report)
			}
			wantHeld(t, before, victim)
			if left, err := os.ReadDir(filepath.Join(victim, exec.Own)); len(left) > 0 {
				t.Errorf("the controller left %v behind the link, %v", left, err)
			}
			want := "one\n"
			if when == "after its delivery" {
				want += "two\n"
			}
			if text, err := os.ReadFile(filepath.Join(moved, "a.txt")); string(text) != want {
				t.Errorf("a.txt holds %q where the workspace is now, %v", text, err)
			}
			// Put back, it is as good as before.
			must(t, errors.Join(os.Remove(b.Dir), os.Rename(moved, b.Dir)))
			b.Controller.Executors["script"], b.Controller.Observe = goodScript, nil
			if report, err = b.Controller.Resume(t.Context(), locked, ""); err != nil {
				t.Errorf("resumed: %v\n%s", err, report)
			}
		})
	}
}
