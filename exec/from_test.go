package exec_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/action"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// A half is a run of which a part was completed, and what carries out the rest.
type half struct {
	*exectest.Bench
	id     string // of the run
	record exectest.Record
}

// partOf runs a plan of which some steps fail, with a script in which a step
// that is not there does; then rest is what carries out steps.
func partOf(t *testing.T, text string, first, rest exectest.Script) *half {
	t.Helper()
	h := &half{Bench: exectest.New(t, text, exectest.Files{"seen.txt": "seen\n"}, first)}
	run := h.Run(t)
	h.id = run.Report.Run.Started.Run
	if run.Report.Run.Ended == nil {
		t.Fatalf("the first run did not end: %v\n%s", run.Err, run.Report)
	}
	for name := range h.Controller.Executors {
		h.Controller.Executors[name] = h.record.Of(rest)
	}
	return h
}

// amended has the plan be another one from here on.
func (h *half) amended(t *testing.T, old, now string) {
	t.Helper()
	text := strings.ReplaceAll(threeTasks("", halting), old, now)
	draft, err := native.Read("plan.toml", []byte(text))
	must(t, err)
	h.Draft = draft
}

// finish runs the plan from the run.
func (h *half) finish(t *testing.T) *exectest.Result {
	t.Helper()
	report, err := h.Controller.RunFrom(t.Context(), h.Lock(t), h.id)
	return &exectest.Result{Report: report, Err: err, Dir: h.Dir}
}

// over are the steps that were carried over, with what they rest on.
func over(run *history.Run) map[plan.Address]history.Basis {
	all := map[plan.Address]history.Basis{}
	for _, s := range run.Steps {
		if s.Carried != nil {
			all[s.Address] = s.Carried.Basis
		}
	}
	return all
}

const halting = "on_failure = \"retry\"\nmax_retries = 0\n"

// onlyFirst and allThree write the files of threeTasks: the first alone, and all
// of them.
var (
	onlyFirst = exectest.Script{"1.1": exectest.Write("1.txt", "1\n"), "2.1": exectest.Fail("the second one cannot be written")}
	allThree  = exectest.Script{"1.1": exectest.Write("1.txt", "other\n"), "2.1": exectest.Write("2.txt", "2\n"), "3.1": exectest.Write("3.txt", "3\n")}
)

// TestRunFrom: an ended run is finished by another one. What it accepted is not
// carried out again, and rests on what it rested on; the journal says which
// record of which run proves it.
func TestRunFrom(t *testing.T) {
	h := partOf(t, threeTasks("", halting), onlyFirst, allThree)
	before, err := exec.Workspace{Dir: h.Dir}.History(t.Context(), h.id)
	must(t, err)
	done := h.finish(t)
	done.Want(t, history.Achieved)
	if got := h.record.Attempts(); count(got, "1.1") > 0 || len(got) != 2 {
		t.Errorf("carried out: %q, want 2.1 and 3.1 alone", got)
	}
	run := done.Report.Run
	if diff := cmp.Diff(map[plan.Address]history.Basis{"1.1": history.Proved}, over(run)); diff != "" {
		t.Errorf("carried over (-want +got):\n%s", diff)
	}
	c, from := run.Step("1.1").Carried, run.Started.From
	if c.Run != h.id || c.Seq != before.Step("1.1").EndedAt || c.Head != before.Head || from.Head != before.Head {
		t.Errorf("carried over from %+v of %+v, want record %d of run %s, whose head is %v", c, from,
			before.Step("1.1").EndedAt, h.id, before.Head)
	}
	if run.Started.Base != before.Started.Base || from.Left != before.Tree {
		t.Errorf("it began with base %v and tree %v, want those of the first run", run.Started.Base, from.Left)
	}
	if got := contents(t, h.Dir, "1.txt"); got != "1\n" {
		t.Errorf("1.txt is %q: it was made again", got)
	}
	for _, want := range []string{"carried over from run " + h.id, "1 carried over", "3 proved"} {
		if !strings.Contains(done.Report.String(), want) {
			t.Errorf("the report does not say %q:\n%s", want, done.Report)
		}
	}
	if _, err := (exec.Workspace{Dir: h.Dir}).Verify(t.Context(), run.Started.Run); err != nil {
		t.Error(err)
	}
}

// TestWhatARunFromTakesOver: a step is taken over if its contract, the steps that
// it needs and what it reads are what they were.
func TestWhatARunFromTakesOver(t *testing.T) {
	first := exectest.Script{"1.1": allThree["1.1"], "2.1": allThree["2.1"], "3.1": exectest.Fail("no")}
	for name, tt := range map[string]struct {
		change func(t *testing.T, h *half)
		want   map[plan.Address]history.Basis
		anew   string // of what From says
	}{
		"nothing changed": {nil, map[plan.Address]history.Basis{"1.1": history.Proved, "2.1": history.Proved}, ""},
		"the plan says something else of a step that others need": {func(t *testing.T, h *half) {
			h.amended(t, `description = "Write file 1"`, `description = "Write the first file"`)
		}, map[plan.Address]history.Basis{}, "1.1: the plan says something else of it than it did · 2.1: it needs 1.1, which is carried out"},
		"of one that nothing needs": {func(t *testing.T, h *half) {
			h.amended(t, "max_lines = 1 }\n", "max_lines = 1 }\n")
			h.amended(t, `description = "Write file 2"`, `description = "Write the second file"`)
		}, map[plan.Address]history.Basis{"1.1": history.Proved}, "2.1: the plan says something else of it than it did"},
		"of the task": {func(t *testing.T, h *half) {
			h.amended(t, `description = "File 2"`, `description = "The second file"`)
		}, map[plan.Address]history.Basis{"1.1": history.Proved}, "2.1: the plan says something else of it than it did"},
		"of what must not be touched": {func(t *testing.T, h *half) {
			h.amended(t, "non_goals = []", `non_goals = [{ id = "N1", text = "not this one", paths = ["secret.txt"] }]`)
		}, map[plan.Address]history.Basis{}, "1.1: the plan says something else of it than it did · 2.1: the plan says something else of it than it did"},
		"of another step": {func(t *testing.T, h *half) {
			h.amended(t, `description = "Write file 3"`, `description = "Write the third file"`)
		}, map[plan.Address]history.Basis{"1.1": history.Proved, "2.1": history.Proved}, ""},
		"of the goal": {func(t *testing.T, h *half) {
			h.amended(t, `description = "Write three files"`, `description = "Write all files"`)
		}, map[plan.Address]history.Basis{"1.1": history.Proved, "2.1": history.Proved}, ""},
		"somebody changed what a step wrote": {func(t *testing.T, h *half) {
			must(t, exectest.Put(h.Dir, "2.txt", "by hand\n"))
		}, map[plan.Address]history.Basis{"1.1": history.Proved, "2.1": history.Unverified}, ""},
		"somebody changed something else": {func(t *testing.T, h *half) {
			must(t, exectest.Put(h.Dir, "4.txt", "by hand\n"))
		}, map[plan.Address]history.Basis{"1.1": history.Proved, "2.1": history.Proved}, ""},
		"somebody changed what a step reads": {func(t *testing.T, h *half) {
			must(t, exectest.Put(h.Dir, "seen.txt", "by hand\n"))
		}, map[plan.Address]history.Basis{"1.1": history.Proved, "2.1": history.Proved}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := partOf(t, threeTasks("", halting), first, allThree)
			if tt.change != nil {
				tt.change(t, h)
			}
			h.Controller.Escalator = policy(func(q ask.Question) ask.Answer {
				if q.Kind == ask.StepFailed || q.Kind == ask.Deviation {
					return answer(q, "x") // it is told to write again what is there
				}
				return answer(q, "t")
			})
			run := h.finish(t).Report.Run
			if diff := cmp.Diff(tt.want, over(run)); diff != "" {
				t.Errorf("carried over (-want +got):\n%s", diff)
			}
			if got := strings.Join(run.Started.From.Anew, " · "); got != tt.anew {
				t.Errorf("carried out anew: %q, want %q", got, tt.anew)
			}
			for a := range tt.want {
				if count(h.record.Attempts(), string(a)) > 0 {
					t.Errorf("%s was carried out again", a)
				}
			}
		})
	}
}

// TestRunFromWhatWasRead: a step that declares what it reads is carried out again
// where somebody changed that.
func TestRunFromWhatWasRead(t *testing.T) {
	text := strings.Replace(threeTasks("", halting), `artifacts = { create = ["1.txt"] }`,
		"artifacts = { create = [\"1.txt\"] }\naccess = { reads = [\"seen.txt\"], writes = [\"1.txt\"] }", 1)
	h := partOf(t, text, onlyFirst, exectest.Script{"1.1": exectest.Fail("it is there"), "3.1": allThree["3.1"]})
	must(t, exectest.Put(h.Dir, "seen.txt", "by hand\n"))
	h.Controller.Escalator = choose(map[ask.Kind]string{ask.External: "t"})
	run := h.finish(t).Report.Run
	if want := []string{"1.1: seen.txt was changed since, which it reads"}; !slices.Equal(run.Started.From.Anew, want) ||
		count(h.record.Attempts(), "1.1") != 1 {
		t.Errorf("anew %q, carried out %q", run.Started.From.Anew, h.record.Attempts())
	}
}

// TestWhatChangedSinceIsAskedAbout: what somebody did since the run ended is a
// question; where nobody is there, it is a refusal that names it. Nothing of it
// is touched.
func TestWhatChangedSinceIsAskedAbout(t *testing.T) {
	h := partOf(t, threeTasks("", halting), onlyFirst, allThree)
	must(t, exectest.Put(h.Dir, "theirs.txt", "theirs\n"))
	done := h.finish(t)
	var refused *exec.RefusedError
	if !errors.As(done.Err, &refused) || !strings.Contains(refused.Error(), "theirs.txt") || len(h.record.Attempts()) > 0 {
		t.Fatalf("got %v after %q, want a refusal that names theirs.txt", done.Err, h.record.Attempts())
	}
	id := done.Report.Run.Started.Run
	h.Controller.Escalator = choose(map[ask.Kind]string{ask.External: "t"})
	report, err := h.Controller.Resume(t.Context(), h.Lock(t), id)
	if err != nil || contents(t, h.Dir, "theirs.txt") != "theirs\n" || count(h.record.Attempts(), "1.1") > 0 {
		t.Errorf("it went on with %v, %q\n%s", err, h.record.Attempts(), report)
	}
}

// TestRunsThatAreNotFinishedSo: nothing is taken over of a run that goes on, was
// a trial, or whose journal is not what the controller wrote; nothing is begun.
func TestRunsThatAreNotFinishedSo(t *testing.T) {
	signed := func(c *exec.Controller) { c.Signer = owner }
	for name, tt := range map[string]struct {
		before, after func(c *exec.Controller)
		edit          func(t *testing.T, journal string)
		says          string
	}{
		"a trial": {before: func(c *exec.Controller) { c.Shadow = true }, after: func(c *exec.Controller) { c.Shadow = false }, says: "was a trial"},
		"edited": {edit: func(t *testing.T, journal string) {
			rewrite(t, journal, "the second one cannot be written", "the second one was not written..")
		}, says: "its journal does not hold"},
		"cut": {edit: func(t *testing.T, journal string) {
			text, err := os.ReadFile(journal)
			must(t, err)
			must(t, os.WriteFile(journal, text[:len(text)*2/3], 0o644))
		}, says: "does not hold"},
		"of another key": {before: signed, after: func(c *exec.Controller) { c.Signer = foreigner }, says: "is not known here"},
		"of no key":      {after: signed, says: "nobody signed its journal"},
	} {
		t.Run(name, func(t *testing.T) {
			h := partOf(t, threeTasks("", halting), onlyFirst, allThree)
			if tt.before != nil {
				h = &half{Bench: exectest.New(t, threeTasks("", halting), nil, onlyFirst)}
				tt.before(h.Controller)
				h.id = h.Run(t).Report.Run.Started.Run
			}
			if tt.after != nil {
				tt.after(h.Controller)
			}
			ws := exec.Workspace{Dir: h.Dir}
			if tt.edit != nil {
				tt.edit(t, filepath.Join(ws.RunDir(h.id), "journal"))
			}
			done := h.finish(t)
			var refused *exec.RefusedError
			if !errors.As(done.Err, &refused) || !strings.Contains(refused.Error(), tt.says) {
				t.Errorf("got %v, want a refusal that says %q", done.Err, tt.says)
			}
			if ids, _ := ws.IDs(t.Context()); len(ids) != 1 || len(h.record.Attempts()) > 0 {
				t.Errorf("runs %q, carried out %q", ids, h.record.Attempts())
			}
		})
	}
}

// rewrite changes a text in a file, in place.
func rewrite(t *testing.T, file, old, now string) {
	t.Helper()
	text, err := os.ReadFile(file)
	must(t, err)
	edited := strings.ReplaceAll(string(text), old, now)
	if edited == string(text) || len(edited) != len(text) {
		t.Fatalf("%q does not stand in %s, or %q is of another length", old, file, now)
	}
	must(t, os.WriteFile(file, []byte(edited), 0o644))
}

// TestRunFromOneThatGoesOn: a run that has not ended is resumed instead.
func TestRunFromOneThatGoesOn(t *testing.T) {
	b := exectest.New(t, threeTasks("", halting), nil, onlyFirst)
	ctx, stop := context.WithCancel(t.Context())
	b.Controller.Executors["script"] = exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		stop()
		return exec.Outcome{}, ctx.Err()
	})
	report, err := b.Controller.Run(ctx, b.Lock(t))
	if report.Run.Head.Seq == 0 {
		t.Fatal(err)
	}
	id := report.Run.Started.Run
	_, err = b.Controller.RunFrom(t.Context(), b.Lock(t), id)
	var refused *exec.RefusedError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "has not ended") ||
		!slices.ContainsFunc(refused.Actions, func(a action.Action) bool { return a.Kind == action.Resume && a.Run == id }) {
		t.Errorf("got %v, want a refusal that says how to resume it", err)
	}
}

// TestRunFromARunFrom: a chain of three runs: what the first one proved is linked
// to it by the third, too.
func TestRunFromARunFrom(t *testing.T) {
	h := partOf(t, threeTasks("", halting), onlyFirst, exectest.Script{"2.1": allThree["2.1"]})
	first := h.id
	h.id = h.finish(t).Report.Run.Started.Run
	for name := range h.Controller.Executors {
		h.Controller.Executors[name] = h.record.Of(allThree)
	}
	done := h.finish(t)
	done.Want(t, history.Achieved)
	run := done.Report.Run
	if a, b := run.Step("1.1").Carried, run.Step("2.1").Carried; a == nil || b == nil || a.Run != first || b.Run != h.id {
		t.Errorf("carried over: %+v, %+v, want 1.1 of %s and 2.1 of %s", a, b, first, h.id)
	}
	if got := h.record.Attempts(); count(got, "2.1") != 1 || count(got, "3.1") != 2 || count(got, "1.1") != 0 {
		t.Errorf("carried out %q", got)
	}
}

// TestRunFromKindsOfRuns: a run in the workspace itself, one in a clone that was
// never delivered, and what they come to.
func TestRunFromKindsOfRuns(t *testing.T) {
	for name, kind := range map[string]func(b *exectest.Bench){
		"in place":                 func(b *exectest.Bench) { b.Draft.Plan.Sandbox.Layer = plan.InPlace },
		"isolated":                 func(b *exectest.Bench) { b.Controller.Isolate = true },
		"isolated, then delivered": func(b *exectest.Bench) { b.Controller.Isolate = !b.Controller.Isolate },
	} {
		t.Run(name, func(t *testing.T) {
			h := &half{Bench: exectest.New(t, threeTasks("", halting), nil, onlyFirst)}
			kind(h.Bench)
			h.id = h.Run(t).Report.Run.Started.Run
			for name := range h.Controller.Executors {
				h.Controller.Executors[name] = h.record.Of(allThree)
			}
			if name == "isolated, then delivered" {
				kind(h.Bench)
			}
			done, want := h.finish(t), history.Achieved
			if name == "in place" {
				want = history.Partial // nothing can be taken out there to prove anything
			}
			done.Want(t, want)
			if got := contents(t, h.Dir, "1.txt") + contents(t, h.Dir, "2.txt") + contents(t, h.Dir, "3.txt"); got != "1\n2\n3\n" {
				t.Errorf("the workspace has %q", got)
			}
			if count(h.record.Attempts(), "1.1") > 0 {
				t.Errorf("carried out %q", h.record.Attempts())
			}
		})
	}
}

// A toldLog says when something is appended.
type toldLog struct {
	*checkpoint.MemoryLog
	told func()
}

func (l *toldLog) Append(ctx context.Context, batch [][]byte) error {
	l.told()
	return l.MemoryLog.Append(ctx, batch)
}

func (l *toldLog) Close() error { return nil }

// TestWhatIsTakenOverMeetsOthers: what a run takes over, and delivers, may meet
// what somebody did meanwhile. That is left alone, and no step of it can be set
// back: a person keeps it, or takes it away.
func TestWhatIsTakenOverMeetsOthers(t *testing.T) {
	for _, choice := range []string{"t", "o", "s"} {
		t.Run(choice, func(t *testing.T) {
			h := &half{Bench: exectest.New(t, threeTasks("", halting), nil, onlyFirst)}
			h.Controller.Isolate = true
			h.id = h.Run(t).Report.Run.Started.Run
			for name := range h.Controller.Executors {
				h.Controller.Executors[name] = h.record.Of(allThree)
			}
			someone := &person{choices: []string{choice}}
			h.Controller.Isolate, h.Controller.Escalator = false, someone
			log := &toldLog{MemoryLog: &checkpoint.MemoryLog{}, told: sync.OnceFunc(func() {
				must(t, exectest.Put(h.Dir, "1.txt", "theirs\n"))
			})}
			h.Controller.Runs = exectest.Logs(h.Controller.Dir, func(ctx context.Context, run string) (checkpoint.Log, error) {
				if run == h.id {
					return filelog.Open(ctx, filepath.Join((exec.Workspace{Dir: h.Dir}).RunDir(run), "journal"))
				}
				return log, nil
			})
			if done := h.finish(t); choice != "s" {
				done.Want(t, history.Achieved)
			} else if !errors.Is(done.Err, exec.ErrWaiting) {
				t.Error(done.Err)
			}
			if got := contents(t, h.Dir, "1.txt"); (got == "theirs\n") == (choice == "o") {
				t.Errorf("the workspace has %q", got)
			}
			if len(someone.asked) != 1 || !slices.ContainsFunc(someone.asked[0].Evidence, func(line string) bool {
				return strings.Contains(line, "1.txt")
			}) {
				t.Errorf("asked: %+v", someone.asked)
			}
		})
	}
}

// TestRunFromAtEveryRecord cuts the journal of the finishing run after every
// append: resumed without a word of the other run it comes to the same end.
func TestRunFromAtEveryRecord(t *testing.T) {
	for cut := 1; ; cut += stride() {
		h := partOf(t, threeTasks("", halting), onlyFirst, allThree)
		log := &cutLog{MemoryLog: &checkpoint.MemoryLog{}, left: cut}
		h.Controller.Runs = exectest.Logs(h.Controller.Dir, func(ctx context.Context, run string) (checkpoint.Log, error) {
			if run == h.id {
				return filelog.Open(ctx, filepath.Join((exec.Workspace{Dir: h.Dir}).RunDir(run), "journal"))
			}
			return log, nil
		})
		locked := h.Lock(t)
		report, err := h.Controller.RunFrom(t.Context(), locked, h.id)
		if err == nil {
			if cut < 8 {
				t.Fatalf("the run was over after %d appends: nothing was cut", cut)
			}
			return
		}
		if !errors.Is(err, errCut) {
			t.Fatalf("cut %d: %v", cut, err)
		}
		log.MemoryLog, log.left = log.MemoryLog.Reopen(), 1<<30
		report, err = h.Controller.Resume(t.Context(), locked, report.Run.Started.Run)
		if err != nil || len(over(report.Run)) != 1 || count(h.record.Attempts(), "1.1") > 0 {
			t.Fatalf("cut %d: %v, carried out %q\n%s", cut, err, h.record.Attempts(), report)
		}
		if got := contents(t, h.Dir, "1.txt") + contents(t, h.Dir, "2.txt") + contents(t, h.Dir, "3.txt"); got != "1\n2\n3\n" {
			t.Errorf("cut %d: the workspace has %q", cut, got)
		}
	}
}

// TestSettingARunFromBack: setting the finishing run back leaves alone what was
// carried over, wherever that stands in the order.
func TestSettingARunFromBack(t *testing.T) {
	first := exectest.Script{"1.1": exectest.Write("1.txt", "1\n"), "2.1": exectest.Fail("no"), "3.1": exectest.Write("3.txt", "3\n")}
	text := threeTasks("", halting)
	text = strings.Replace(text, "run = \"true\"\nartifacts = { create = [\"2.txt\"] }", "run = \"true\"\ncritical_flag = false\nartifacts = { create = [\"2.txt\"] }", 1)
	h := partOf(t, text, first, allThree)
	done := h.finish(t)
	done.Want(t, history.Achieved)
	if got := h.record.Attempts(); len(got) != 1 || count(got, "2.1") != 1 {
		t.Fatalf("carried out %q, want 2.1 alone", got)
	}
	id := done.Report.Run.Started.Run
	if _, err := h.Controller.Rollback(t.Context(), id, "2.1", "somebody", "it was wrong"); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, h.Dir, "1.txt") + contents(t, h.Dir, "3.txt"); got != "1\n3\n" {
		t.Errorf("what was carried over is %q after the rollback", got)
	}
	if _, err := os.Stat(filepath.Join(h.Dir, "2.txt")); err == nil {
		t.Error("2.txt is there still")
	}
	if _, err := h.Controller.Rollback(t.Context(), id, "1.1", "somebody", ""); err == nil || !strings.Contains(err.Error(), h.id) {
		t.Errorf("rolling back to a step that was carried over: %v, want the run that carried it out", err)
	}
}

// TestWhatPeopleDecidedIsCarriedOver: who answered a checkpoint of the plan is not
// asked again, and the steps that follow are told.
func TestWhatPeopleDecidedIsCarriedOver(t *testing.T) {
	b := exectest.New(t, decidedFirst(), workspace, exectest.Script{"1.1": exectest.Write("a.txt", "one\n"), "1.2": exectest.Fail("no ink")})
	b.Controller.Escalator = policy(func(q ask.Question) ask.Answer {
		if q.Kind != ask.Checkpoint {
			return answer(q, "x")
		}
		a := answer(q, "y")
		a.Reason = "a.txt"
		return a
	})
	id := b.Run(t).Report.Run.Started.Run
	var told exec.Briefing
	b.Controller.Executors["script"] = exec.Func(func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		told = w.Briefing
		return goodScript.Execute(ctx, w)
	})
	b.Controller.Escalator = policy(func(q ask.Question) ask.Answer {
		t.Errorf("%s is asked again: %s", q.Step, q.What)
		return answer(q, "x")
	})
	report, err := b.Controller.RunFrom(t.Context(), b.Lock(t), id)
	if err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
	want := exec.Briefing{
		Earlier: []string{"choose.1 skipped: Choose the name of the file · a person says that it is settled",
			"1.1 completed: Write the first line · created a.txt (1 file +1)"},
		Decisions: []string{"checkpoint choose.1 (Choose the name of the file): it is settled: a.txt (a person)"},
	}
	if diff := cmp.Diff(want, told, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("1.2 is told (-want +got):\n%s", diff)
	}
}

// contents is what a file of a workspace holds.
func contents(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	must(t, err)
	return string(text)
}

// TestWhatIsTakenBackIsAskedAboutFirst: what is to be carried out once more is
// taken back after the question about what others did, and not where that is left
// open, or the run is given up. Put back, or kept, it is taken back then.
func TestWhatIsTakenBackIsAskedAboutFirst(t *testing.T) {
	text := strings.Replace(threeTasks("", halting), `artifacts = { create = ["1.txt"] }`,
		"artifacts = { create = [\"1.txt\"] }\naccess = { reads = [\"seen.txt\"], writes = [\"1.txt\"] }", 1)
	for name, then := range map[string]func(t *testing.T, h *half, id string){
		"given up": func(t *testing.T, h *half, id string) {
			_, err := h.Controller.Abandon(t.Context(), id, "ana", "no")
			must(t, err)
			if got := contents(t, h.Dir, "1.txt"); got != "1\n" {
				t.Errorf("1.txt has %q", got)
			}
		},
		"put back": func(t *testing.T, h *half, id string) {
			must(t, exectest.Put(h.Dir, "seen.txt", "seen\n"))
			must(t, os.Remove(filepath.Join(h.Dir, "theirs.txt")))
			report, err := h.Controller.Resume(t.Context(), h.Lock(t), id)
			if err != nil || contents(t, h.Dir, "1.txt") != "anew\n" || len(report.Run.Adopted) > 0 {
				t.Errorf("%v, %q\n%s", err, h.record.Attempts(), report)
			}
		},
		"kept": func(t *testing.T, h *half, id string) {
			must(t, exectest.Put(h.Dir, "more.txt", "more\n"))
			h.Controller.Escalator = choose(map[ask.Kind]string{ask.External: "t"})
			report, err := h.Controller.Resume(t.Context(), h.Lock(t), id)
			if err != nil || contents(t, h.Dir, "1.txt") != "anew\n" || contents(t, h.Dir, "theirs.txt")+contents(t, h.Dir, "more.txt") != "theirs\nmore\n" {
				t.Errorf("%v, %q\n%s", err, h.record.Attempts(), report)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := partOf(t, text, onlyFirst, exectest.Script{"1.1": exectest.Write("1.txt", "anew\n"),
				"2.1": allThree["2.1"], "3.1": allThree["3.1"]})
			must(t, errors.Join(exectest.Put(h.Dir, "seen.txt", "by hand\n"), exectest.Put(h.Dir, "theirs.txt", "theirs\n")))
			done := h.finish(t)
			var refused *exec.RefusedError
			if !errors.As(done.Err, &refused) || !strings.Contains(refused.Error(), "theirs.txt") ||
				strings.Contains(refused.Error(), "1.txt") || len(h.record.Attempts()) > 0 {
				t.Fatalf("got %v after %q, want a refusal that names theirs.txt", done.Err, h.record.Attempts())
			}
			if got := contents(t, h.Dir, "1.txt"); got != "1\n" {
				t.Errorf("nobody answered yet, and 1.txt has %q", got)
			}
			then(t, h, done.Report.Run.Started.Run)
		})
	}
}
