package exec_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/checkpoint/folder"
	"github.com/planlock/planlock/checkpoint/hold"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/advice"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// begunPlan has two tasks; its second step stops to ask.
const begunPlan = `schema = 1
goal.description = "grow"
profile = "observe"

[[requirements]]
id = "R1"
text = "it grows"

[[tasks]]
id = "1"
description = "first"

[[tasks.steps]]
id = "1"
description = "write a"
run = "a"
postconditions = [{ kind = "file_contains", path = "a.txt", text = "a" }]
requirements = ["R1"]

[[tasks.steps]]
id = "2"
description = "write b"
run = "b"
postconditions = [{ kind = "file_contains", path = "b.txt", text = "b" }]
requirements = ["R1"]
on_failure = "ask"

[[tasks]]
id = "2"
description = "second"
depends_on = ["1"]

[[tasks.steps]]
id = "1"
description = "write c"
run = "c"
postconditions = [{ kind = "file_contains", path = "c.txt", text = "c" }]
requirements = ["R1"]
`

const (
	furtherStep = `
[[tasks.steps]]
id = "2"
description = "write d"
run = "d"
postconditions = [{ kind = "file_contains", path = "d.txt", text = "d" }]
requirements = ["R1"]
`
	furtherTask = `
[[requirements]]
id = "R2"
text = "it grows more"

[[tasks]]
id = "3"
description = "third"

[[tasks.steps]]
id = "1"
description = "write e"
run = "e"
postconditions = [{ kind = "file_contains", path = "e.txt", text = "e" }]
requirements = ["R2"]
`
)

// waits is a run of begunPlan that stopped at its second step.
func waits(t *testing.T) (b *exectest.Bench, run string, fixed *bool) {
	t.Helper()
	b, locked, fixed := prepared(t)
	report, err := b.Controller.Run(t.Context(), locked)
	if !errors.Is(err, exec.ErrWaiting) {
		t.Fatalf("%v\n%s", err, report)
	}
	return b, report.Run.Started.Run, fixed
}

// prepared is a bench whose run stops at its second step until that is fixed.
func prepared(t *testing.T) (b *exectest.Bench, locked *plan.Locked, fixed *bool) {
	t.Helper()
	fixed = new(bool)
	write := func(name string) exec.Func { return exectest.Write(name+".txt", name+"\n") }
	b = exectest.New(t, begunPlan, exectest.Files{"old.txt": "old\n"}, exectest.Script{
		"1.1": write("a"), "2.1": write("c"), "2.2": write("d"), "3.1": write("e"),
		"1.2": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			if !*fixed {
				return exec.Outcome{}, errors.New("not yet")
			}
			return write("b")(ctx, w)
		},
	})
	b.Controller.Escalator = choose(map[ask.Kind]string{ask.StepFailed: "s"})
	return b, b.Lock(t), fixed
}

func read(t *testing.T, text string) *plan.Draft {
	t.Helper()
	d, err := native.Read("plan.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func amendment(d *plan.Draft) exec.Amendment {
	return exec.Amendment{Draft: d, Acknowledged: []string{exec.AmendmentCode(&d.Plan)}, By: "tester", Reason: "more is wanted"}
}

// TestAmend adds steps to a run that waits. It goes on under the new plan
// alone, and everything that was added is done.
func TestAmend(t *testing.T) {
	b, run, fixed := waits(t)
	ws := exec.Workspace{Dir: b.Dir}
	before, err := ws.History(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	d := read(t, begunPlan+furtherStep+furtherTask)

	var missing *plan.AckError
	if _, err := b.Controller.Amend(t.Context(), run, exec.Amendment{Draft: d}); !errors.As(err, &missing) ||
		len(missing.Missing) != 1 || missing.Missing[0].Code != exec.AmendmentCode(&d.Plan) ||
		!strings.Contains(err.Error(), "2.2 (write d), 3.1 (write e)") {
		t.Fatalf("not confirmed: %v", err)
	}
	if now, err := ws.History(t.Context(), run); err != nil || now.Head != before.Head {
		t.Fatalf("what was refused is in the journal: %v", err)
	}

	amended, err := b.Controller.Amend(t.Context(), run, amendment(d))
	if err != nil {
		t.Fatal(err)
	}
	if want := []plan.Address{"2.2", "3.1"}; !slices.Equal(amended.Added, want) || amended.Run != run ||
		amended.Locked.Options().Amends != before.RecordDigest() {
		t.Errorf("%+v", amended)
	}
	now, err := ws.History(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	if now.Status != before.Status || now.Paused == nil || now.Paused.Why != before.Paused.Why ||
		len(now.UnderWay()) != 1 || now.UnderWay()[0].Address != "1.2" {
		t.Errorf("the run stands otherwise: %s, %+v", now.Status, now.Paused)
	}
	if a := now.Amendments[0]; a.By != "tester" || a.Reason != "more is wanted" || a.Prev != before.RecordDigest() ||
		now.RecordDigest() != a.Digest ||
		!slices.Equal(a.Requirements, []string{"R2"}) || !slices.Equal(a.Tasks, []string{"3"}) {
		t.Errorf("%+v", a)
	}

	if _, err := b.Controller.Resume(t.Context(), b.Lock(t), run); !refusedFor(err, "the plan moved") {
		t.Errorf("the old lock: %v", err)
	}
	if _, err := b.Controller.Run(t.Context(), amended.Locked); !refusedFor(err,
		"adds steps to a run that is under way") {
		t.Errorf("the new lock for another run: %v", err)
	}
	*fixed, b.Draft, b.Controller.Escalator = true, d, choose(map[ask.Kind]string{ask.StepFailed: "r"})
	report, err := b.Controller.Resume(t.Context(), amended.Locked, run)
	result := &exectest.Result{Report: report, Err: err, Dir: b.Dir}
	result.Want(t, history.Achieved)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		if got := result.Read(t, name+".txt"); got != name+"\n" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if _, err := ws.Verify(t.Context(), run); err != nil {
		t.Error(err)
	}
	if _, err := b.Controller.Amend(t.Context(), run, amendment(d)); !refusedFor(err, "has ended") {
		t.Errorf("after the end: %v", err)
	}
}

func refusedFor(err error, why string) bool {
	var refused *exec.RefusedError
	return errors.As(err, &refused) && strings.Contains(err.Error(), why)
}

// TestAmendmentsThatAreNone are plans that do more than to add steps behind
// what has begun. Each is refused by name, and leaves the journal as it was.
func TestAmendmentsThatAreNone(t *testing.T) {
	more := begunPlan + furtherStep
	swap := func(old, new string) string {
		if !strings.Contains(more, old) {
			t.Fatalf("the plan has no %q", old)
		}
		return strings.Replace(more, old, new, 1)
	}
	step := func(id string) string {
		return "[[tasks.steps]]\nid = \"" + id + "\"\ndescription = \"more\"\nrun = \"x\"\nrequirements = [\"R1\"]\n\n"
	}
	second := "[[tasks.steps]]\nid = \"2\"\ndescription = \"write b\""
	third := "[[tasks]]\nid = \"2\""
	for name, tt := range map[string]struct{ text, why string }{
		"nothing new":   {begunPlan, "no step that the run has not"},
		"a step before": {swap(second, step("0")+second), "1.0 would come before 1.2, which has begun"},
		"a task before": {swap("[[tasks]]\nid = \"1\"",
			"[[tasks]]\nid = \"0\"\ndescription = \"zero\"\n\n"+step("1")+"[[tasks]]\nid = \"1\""), "0.1 would come before 1.2"},
		"a step is gone":         {strings.Replace(more, begunPlan[strings.Index(begunPlan, third):], "[[tasks]]\nid = \"2\"\ndescription = \"second\"\ndepends_on = [\"1\"]\n", 1), "step 2.1 is gone"},
		"another command":        {swap(`run = "c"`, `run = "rm -rf /"`), "step 2.1 is not what it was: run"},
		"another command, begun": {swap(`run = "b"`, `run = "x"`), "step 1.2 is not what it was: run"},
		"another name":           {swap(`description = "second"`, `description = "2nd"`), "task 2 is not what it was: description"},
		"another goal":           {swap(`description = "grow"`, `description = "shrink"`), "goal is not what it was"},
		"the network":            {more + "\n[sandbox]\nnetwork = true\n", "[sandbox] is not what it was"},
		"more time":              {swap(`run = "c"`, "run = \"c\"\ntimeout = \"9h\""), "step 2.1 is not what it was: timeout"},
		"more paths":             {swap(`run = "c"`, "run = \"c\"\nartifacts = { create = [\"**\"] }"), "step 2.1 is not what it was: artifacts"},
		"fewer eyes":             {more + "\n[ledger]\nignore = [\"**/*.go\"]\n", "[ledger] is not what it was"},
		"another check":          {more + "\n[[invariants]]\nid = \"I1\"\ntext = \"i\"\ncheck = { kind = \"file_exists\", path = \"x\" }\n", "invariants is not what it was"},
		"another end":            {more + "\n[completion_criteria]\nacceptance_criteria = [\"none\"]\n", "[completion_criteria] is not what it was"},
		"another order":          {swap(`depends_on = ["1"]`, ``), "task 2 is not what it was: depends_on"},
		"a setting":              {more + "\n[software_stack]\nlanguage = \"Go\"\n", "[software_stack] is not what it was"},
		"another requirement": {swap(`text = "it grows"`, `text = "it shrinks"`),
			"requirements is not what it was"},
		"a plan that is none":     {swap(`requirements = ["R1"]`, `requirements = ["R9"]`), "R9"},
		"what must be accepted":   {more + "rollback = \"irreversible\"\n", "irreversible:2.2"},
		"another retry":           {swap(`on_failure = "ask"`, `on_failure = "retry"`), "step 1.2 is not what it was: on_failure"},
		"a strategy of execution": {more + "\n[execution]\nstrategy = \"direct\"\n", "[execution] is not what it was"},
	} {
		t.Run(name, func(t *testing.T) {
			b, run, _ := waits(t)
			before, err := exec.Workspace{Dir: b.Dir}.History(t.Context(), run)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = b.Controller.Amend(t.Context(), run, amendment(read(t, tt.text))); err == nil ||
				!strings.Contains(err.Error(), tt.why) {
				t.Errorf("%v, want %q", err, tt.why)
			}
			after, err := exec.Workspace{Dir: b.Dir}.History(t.Context(), run)
			if err != nil || after.Head != before.Head {
				t.Errorf("the journal moved: %v", err)
			}
			if diff := cmp.Diff(before.Started.Plan, after.Started.Plan); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAmendAtEveryRecord lets the machine die at every record of an amendment
// and of what follows it. Each time the run comes to its end, with or without
// the amendment where it had not been confirmed as written.
func TestAmendAtEveryRecord(t *testing.T) {
	d := read(t, begunPlan+furtherStep+furtherTask)
	for cut := 0; ; cut += stride() {
		b, _, fixed := prepared(t)
		log := &cutLog{MemoryLog: &checkpoint.MemoryLog{}, left: 1 << 30}
		b.Controller.Runs = exectest.Logs(b.Controller.Dir, func(context.Context, string) (checkpoint.Log, error) { return log, nil })
		b.Controller.Blobs = &checkpoint.Memory{} // it outlives the controller, as a folder would
		report, err := b.Controller.Run(t.Context(), b.Lock(t))
		if !errors.Is(err, exec.ErrWaiting) {
			t.Fatal(err)
		}
		run := report.Run.Started.Run
		log.left, *fixed = cut, true
		b.Controller.Escalator = choose(map[ask.Kind]string{ask.StepFailed: "r"})
		var amended *exec.Amended
		whole := true
		for { // the controller dies once, and whoever wanted the amendment says so again
			amended, err = b.Controller.Amend(t.Context(), run, amendment(d))
			if err == nil {
				report, err = b.Controller.Resume(t.Context(), amended.Locked, run)
			}
			if !errors.Is(err, errCut) {
				break
			}
			whole = false
			log.MemoryLog, log.left = log.MemoryLog.Reopen(), 1<<30
			if amended != nil {
				report, err = b.Controller.Resume(t.Context(), amended.Locked, run)
				break
			}
		}
		b.Draft = d
		(&exectest.Result{Report: report, Err: err, Dir: b.Dir}).Want(t, history.Achieved)
		if completedTwice(report.Run) || len(report.Run.Amendments) != 1 || len(report.Run.Steps) != 5 {
			t.Errorf("cut %d: %d amendments, %d steps\n%s", cut, len(report.Run.Amendments), len(report.Run.Steps),
				report)
		}
		if t.Failed() || whole {
			return
		}
	}
}

// TestAmendTwice adds steps, sets the run back before them, and adds more: each
// link continues the record, answers among them.
func TestAmendTwice(t *testing.T) {
	b, run, fixed := waits(t)
	once, twice := read(t, begunPlan+furtherStep), read(t, begunPlan+furtherStep+furtherTask)
	if _, err := b.Controller.Amend(t.Context(), run, amendment(once)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Controller.Rollback(t.Context(), run, "1.1", "", ""); err != nil {
		t.Fatal(err)
	}
	amended, err := b.Controller.Amend(t.Context(), run, amendment(twice))
	if err != nil {
		t.Fatal(err)
	}
	if want := []plan.Address{"3.1"}; !slices.Equal(amended.Added, want) {
		t.Errorf("added %v, want %v", amended.Added, want)
	}
	*fixed, b.Draft = true, twice
	report, err := b.Controller.Resume(t.Context(), amended.Locked, run)
	(&exectest.Result{Report: report, Err: err, Dir: b.Dir}).Want(t, history.Achieved)
	a := report.Run.Amendments
	if len(a) != 2 || a[1].Prev != a[0].Digest || len(report.Run.Addenda) != 1 ||
		a[0].Prev != report.Run.Addenda[0].Digest {
		t.Errorf("the chain: %+v\n%+v", report.Run.Addenda, a)
	}
	if _, err := (exec.Workspace{Dir: b.Dir}).Verify(t.Context(), run); err != nil {
		t.Error(err)
	}
}

// TestAmendedTasksAreLookedAtAgain: who approved a task is asked again when it
// gained steps, and about no other one.
func TestAmendedTasksAreLookedAtAgain(t *testing.T) {
	b, _, fixed := prepared(t)
	var shown []string
	b.Controller.Reviewers = []review.Reviewer{reviewer("ops", func(d review.Request) bool {
		shown = append(shown, fmt.Sprintf("%s:%d", d.Task, len(d.Steps)))
		return len(d.Steps) < 3
	})}
	b.Controller.Advisors = exec.Advisors{advice.Reflection: nil}
	report, err := b.Controller.Run(t.Context(), b.Lock(t))
	if !errors.Is(err, exec.ErrWaiting) {
		t.Fatal(err)
	}
	run := report.Run.Started.Run
	*fixed, b.Controller.Escalator = true, choose(map[ask.Kind]string{ask.StepFailed: "r", ask.Dependency: "w"})
	third := "[[tasks]]\nid = \"2\""
	d := read(t, strings.Replace(begunPlan, third, "[[tasks.steps]]\nid = \"3\"\ndescription = \"more\"\nrun = \"x\"\nrequirements = [\"R1\"]\n\n"+third, 1))
	amended, err := b.Controller.Amend(t.Context(), run, amendment(d))
	if err != nil {
		t.Fatal(err)
	}
	b.Draft = d
	report, err = b.Controller.Resume(t.Context(), amended.Locked, run)
	result := &exectest.Result{Report: report, Err: err, Dir: b.Dir}
	result.Want(t, history.Partial)
	if want := []string{"1:2", "1:3"}; !slices.Equal(shown[:min(2, len(shown))], want) {
		t.Errorf("shown %v, want %v first", shown, want)
	}
	if s := report.Run.Step("1.3"); s.Status != history.Skipped || report.Run.Step("1.2").Status != history.Completed {
		t.Errorf("1.3 is %s, 1.2 is %s", s.Status, report.Run.Step("1.2").Status)
	}
}

// TestAmendPhases: steps that are added to an orchestrated run belong to
// phases.
func TestAmendPhases(t *testing.T) {
	b, _, fixed := prepared(t)
	b.Controller.Strategy = history.Orchestrated
	report, err := b.Controller.Run(t.Context(), b.Lock(t))
	if !errors.Is(err, exec.ErrWaiting) {
		t.Fatal(err)
	}
	run := report.Run.Started.Run
	*fixed, b.Controller.Escalator = true, choose(map[ask.Kind]string{ask.StepFailed: "r"})
	b.Draft = read(t, begunPlan+furtherStep+furtherTask)
	amended, err := b.Controller.Amend(t.Context(), run, amendment(b.Draft))
	if err != nil {
		t.Fatal(err)
	}
	report, err = b.Controller.Resume(t.Context(), amended.Locked, run)
	(&exectest.Result{Report: report, Err: err, Dir: b.Dir}).Want(t, history.Achieved)
	f := report.Run.Flow
	want := []history.Phase{{Name: "task 1: first", Steps: []plan.Address{"1.2"}},
		{Name: "task 2: second", Steps: []plan.Address{"2.1", "2.2"}}, {Name: "task 3: third", Steps: []plan.Address{"3.1"}}}
	if diff := cmp.Diff(want, f.Strategy.Phases); diff != "" || len(f.Phases) != len(want) || len(f.Switched) != 1 {
		t.Errorf("phases: %s\n%+v", diff, f)
	}
}

// TestAmendWithAnotherExecutor: a further step may bring an executor of its
// own. One that was there must be what it was.
func TestAmendWithAnotherExecutor(t *testing.T) {
	for name, moved := range map[string]bool{"new": false, "moved": true} {
		t.Run(name, func(t *testing.T) {
			b, run, fixed := waits(t)
			b.Draft = read(t, begunPlan+furtherStep+"executor = \"other\"\n")
			was := b.Controller.Executors[""]
			b.Controller.Executors = exec.Executors{"": was, "other": &versioned{was, "1"}}
			if moved {
				b.Controller.Executors[""] = &versioned{was, "2"}
			}
			amended, err := b.Controller.Amend(t.Context(), run, amendment(b.Draft))
			if moved {
				if !refusedFor(err, "agent executor default") {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			*fixed, b.Controller.Escalator = true, choose(map[ask.Kind]string{ask.StepFailed: "r"})
			report, err := b.Controller.Resume(t.Context(), amended.Locked, run)
			(&exectest.Result{Report: report, Err: err, Dir: b.Dir}).Want(t, history.Achieved)
		})
	}
}

// TestAmendAfterACrash adds a task to a run whose controller died at any of its
// records: what was under way is done again or not, as it would be without the
// amendment.
func TestAmendAfterACrash(t *testing.T) {
	for _, isolate := range []bool{false, true} {
		t.Run(fmt.Sprintf("isolate=%t", isolate), func(t *testing.T) { amendAfterACrash(t, isolate) })
	}
}

func amendAfterACrash(t *testing.T, isolate bool) {
	d := read(t, begunPlan+furtherTask)
	for cut := 2; ; cut += stride() {
		b, _, fixed := prepared(t)
		b.Controller.Isolate = isolate
		*fixed = true
		log := &cutLog{MemoryLog: &checkpoint.MemoryLog{}, left: cut}
		b.Controller.Runs = exectest.Logs(b.Controller.Dir, func(context.Context, string) (checkpoint.Log, error) { return log, nil })
		b.Controller.Blobs = &checkpoint.Memory{}
		locked := b.Lock(t)
		report, err := b.Controller.Run(t.Context(), locked)
		if !errors.Is(err, errCut) {
			return
		}
		log.MemoryLog, log.left = log.MemoryLog.Reopen(), 1<<30
		run, steps := report.Run.Started.Run, 4
		amended, err := b.Controller.Amend(t.Context(), run, amendment(d))
		if refusedFor(err, "has ended") || refusedFor(err, "moved what it made into the workspace") {
			amended, steps, err = &exec.Amended{Locked: locked}, 3, nil
		} else {
			b.Draft = d
		}
		if err != nil {
			t.Fatalf("cut %d: %v", cut, err)
		}
		report, err = b.Controller.Resume(t.Context(), amended.Locked, run)
		(&exectest.Result{Report: report, Err: err, Dir: b.Dir}).Want(t, history.Achieved)
		if _, there := b.Tree(t).Lookup("e.txt"); there != (steps == 4) {
			t.Errorf("cut %d: e.txt is there: %t", cut, there)
		}
		if report.Run.Count(history.Completed) != steps || completedTwice(report.Run) {
			t.Errorf("cut %d: want %d steps, once each\n%s", cut, steps, report)
		}
		if t.Failed() {
			return
		}
	}
}

// TestALockServesOneRunAlsoAmended: the lock that a run began with serves no
// other one once the run has another.
func TestALockServesOneRunAlsoAmended(t *testing.T) {
	b, locked, fixed := prepared(t)
	report, err := b.Controller.Run(t.Context(), locked)
	if !errors.Is(err, exec.ErrWaiting) {
		t.Fatal(err)
	}
	if _, err := b.Controller.Amend(t.Context(), report.Run.Started.Run,
		amendment(read(t, begunPlan+furtherStep))); err != nil {
		t.Fatal(err)
	}
	*fixed = true
	if _, err := b.Controller.Run(t.Context(), locked); !refusedFor(err, "a lock serves one run") {
		t.Errorf("%v", err)
	}
}

// TestAmendAnIsolatedRun: what is added is done in the clone, and delivered
// with all else.
func TestAmendAnIsolatedRun(t *testing.T) {
	b, locked, fixed := prepared(t)
	b.Controller.Isolate = true
	report, err := b.Controller.Run(t.Context(), locked)
	if !errors.Is(err, exec.ErrWaiting) {
		t.Fatal(err)
	}
	*fixed, b.Controller.Escalator = true, choose(map[ask.Kind]string{ask.StepFailed: "r"})
	b.Draft = read(t, begunPlan+furtherStep+furtherTask)
	amended, err := b.Controller.Amend(t.Context(), report.Run.Started.Run, amendment(b.Draft))
	if err != nil {
		t.Fatal(err)
	}
	if _, there := b.Tree(t).Lookup("a.txt"); there {
		t.Error("the workspace moved")
	}
	report, err = b.Controller.Resume(t.Context(), amended.Locked, amended.Run)
	result := &exectest.Result{Report: report, Err: err, Dir: b.Dir}
	result.Want(t, history.Achieved)
	if got := result.Read(t, "e.txt"); got != "e\n" {
		t.Errorf("e.txt: %q", got)
	}
}

// TestAmendAcceptsOfNewStepsAlone: with an amendment somebody accepts what its
// steps need, that they are done too, and nothing about those that were there.
func TestAmendAcceptsOfNewStepsAlone(t *testing.T) {
	b, run, _ := waits(t)
	a := amendment(read(t, begunPlan+furtherStep))
	a.Acknowledged = append(a.Acknowledged, plan.Address("2.1").DoneCode(), plan.Address("2.2").DoneCode())
	var ack *plan.AckError
	if _, err := b.Controller.Amend(t.Context(), run, a); !errors.As(err, &ack) ||
		!slices.Equal(ack.Unknown, []string{"done:2.1"}) || len(ack.Missing) > 0 {
		t.Errorf("%v", err)
	}
	d := read(t, begunPlan+furtherStep+"rollback = \"irreversible\"\n")
	a = amendment(d)
	a.Acknowledged = append(a.Acknowledged, "irreversible:2.2")
	if _, err := b.Controller.Amend(t.Context(), run, a); err != nil {
		t.Errorf("of a step that is new: %v", err)
	}
}

// TestAmendedPlansAreAskedAbout: what was to be remembered of a plan answers no
// question of the plan that took its place.
func TestAmendedPlansAreAskedAbout(t *testing.T) {
	b, _, fixed := prepared(t)
	asked := 0
	script := maps.Clone(b.Controller.Executors[""].(exectest.Script))
	ctx, interrupt := context.WithCancel(t.Context())
	script["2.1"] = exectest.Attempts(func(ctx context.Context, _ exec.Work) (exec.Outcome, error) {
		interrupt()
		return exec.Outcome{}, ctx.Err()
	}, script["2.1"])
	script["2.2"] = exectest.Attempts(exectest.Fail("not at once"), script["2.2"])
	b.Controller.Executors = exec.Default(script)
	remember := remembering("r", ask.ForPlan, &asked)
	b.Controller.Escalator = policy(func(q ask.Question) ask.Answer {
		*fixed = true
		return remember(q)
	})
	report, err := b.Controller.Run(ctx, b.Lock(t))
	if !errors.Is(err, context.Canceled) || asked != 1 {
		t.Fatalf("asked %d times: %v", asked, err)
	}
	was := report.Run.Started.Plan
	b.Draft = read(t, begunPlan+furtherStep+"on_failure = \"ask\"\n")
	amended, err := b.Controller.Amend(t.Context(), report.Run.Started.Run, amendment(b.Draft))
	if err != nil {
		t.Fatal(err)
	}
	report, err = b.Controller.Resume(t.Context(), amended.Locked, amended.Run)
	(&exectest.Result{Report: report, Err: err, Dir: b.Dir}).Want(t, history.Achieved)
	if asked != 2 {
		t.Errorf("asked %d times, want once of each plan", asked)
	}
	list, err := exec.Workspace{Dir: b.Dir}.Choices().List(t.Context())
	if err != nil || len(list) != 2 || list[0].Plan != was || list[1].Plan != report.Run.Started.Plan {
		t.Errorf("remembered %+v, %v", list, err)
	}
}

// TestAmendAfterObsolete: a run that stopped since its plan no longer holds
// goes on when the plan was amended, and asks about it no more.
func TestAmendAfterObsolete(t *testing.T) {
	b, run, fixed := waits(t)
	ws := exec.Workspace{Dir: b.Dir}
	must(t, ws.Request(t.Context(), ask.Request{Run: run, Kind: ask.Obsolete, By: "tester", Reason: "more is wanted"}))
	*fixed, b.Controller.Escalator = true, choose(map[ask.Kind]string{ask.StepFailed: "r", ask.Obsolete: "n"})
	if _, err := b.Controller.Resume(t.Context(), b.Lock(t), run); !errors.Is(err, exec.ErrWaiting) {
		t.Fatalf("%v, want it to wait", err)
	}
	b.Draft = read(t, begunPlan+furtherStep)
	amended, err := b.Controller.Amend(t.Context(), run, amendment(b.Draft))
	if err != nil {
		t.Fatal(err)
	}
	report, err := b.Controller.Resume(t.Context(), amended.Locked, run)
	(&exectest.Result{Report: report, Err: err, Dir: b.Dir}).Want(t, history.Achieved)
}

// TestAnswersToQuestionsOfThePlanBefore: a question was open when the run was
// amended. Its answer counts for what it asked, and not for the plan that took
// the place: that it no longer holds is no matter any more, and what was to be
// remembered of it is remembered of it.
func TestAnswersToQuestionsOfThePlanBefore(t *testing.T) {
	waiting := puts(func() error { return ask.ErrLater })
	t.Run("obsolete", func(t *testing.T) {
		b, run, fixed := waits(t)
		*fixed, b.Controller.Escalator = true, waiting
		must(t, exec.Workspace{Dir: b.Dir}.Request(t.Context(),
			ask.Request{Run: run, Kind: ask.Obsolete, By: "tester", Reason: "more is wanted"}))
		report, err := b.Controller.Resume(t.Context(), b.Lock(t), run)
		if q := report.Run.Questions(); !errors.Is(err, exec.ErrWaiting) || len(q) != 1 || q[0].Kind != ask.Obsolete {
			t.Fatalf("%v, %+v", err, q)
		}
		b.Draft = read(t, begunPlan+furtherStep)
		amended, err := b.Controller.Amend(t.Context(), run, amendment(b.Draft))
		must(t, err)
		b.Controller.Escalator = choose(map[ask.Kind]string{ask.Obsolete: "n", ask.StepFailed: "r"})
		report, err = b.Controller.Resume(t.Context(), amended.Locked, run)
		(&exectest.Result{Report: report, Err: err, Dir: b.Dir}).Want(t, history.Achieved)
	})
	t.Run("remembered", func(t *testing.T) {
		b, _, _ := prepared(t)
		b.Controller.Escalator = waiting
		report, err := b.Controller.Run(t.Context(), b.Lock(t))
		if !errors.Is(err, exec.ErrWaiting) {
			t.Fatal(err)
		}
		was, asked := report.Run.Started.Plan, 0
		b.Draft = read(t, begunPlan+furtherStep)
		amended, err := b.Controller.Amend(t.Context(), report.Run.Started.Run, amendment(b.Draft))
		must(t, err)
		b.Controller.Escalator = policy(func(q ask.Question) ask.Answer {
			if asked++; asked > 1 {
				return answer(q, "s")
			}
			a := answer(q, "r")
			a.Remember, a.Confirmed = ask.ForPlan, q.RememberWords("r", ask.ForPlan)
			return a
		})
		report, err = b.Controller.Resume(t.Context(), amended.Locked, amended.Run)
		if !errors.Is(err, exec.ErrWaiting) || asked != 2 || len(report.Run.Remembered) != 1 ||
			report.Run.Remembered[0].Plan != was {
			t.Errorf("asked %d times: %v\n%+v", asked, err, report.Run.Remembered)
		}
	})
}

// puts is a way to ask that only fails.
type puts func() error

func (w puts) Ask(context.Context, ask.Question) (ask.Answer, error) { return ask.Answer{}, w() }

// TestAmendATrial: a trial stays without steps that act outside of its clone.
func TestAmendATrial(t *testing.T) {
	b, locked, _ := prepared(t)
	b.Controller.Shadow = true
	report, err := b.Controller.Run(t.Context(), locked)
	if !errors.Is(err, exec.ErrWaiting) {
		t.Fatal(err)
	}
	a := amendment(read(t, begunPlan+furtherStep+"rollback = \"irreversible\"\n"))
	a.Acknowledged = append(a.Acknowledged, "irreversible:2.2")
	b.Controller.Shadow = false // the run knows what it is
	if _, err := b.Controller.Amend(t.Context(), report.Run.Started.Run, a); !refusedFor(err, "would be no trial") {
		t.Errorf("%v", err)
	}
}

// TestAmendIsExclusive: nobody adds steps to a run that somebody has in hand,
// and what was left out is said.
func TestAmendIsExclusive(t *testing.T) {
	b, run, _ := waits(t)
	held, err := hold.Workspace(t.Context(), b.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var holder *checkpoint.HeldError
	if _, err := b.Controller.Amend(t.Context(), run, amendment(read(t, begunPlan+furtherStep))); !errors.As(err,
		&holder) {
		t.Errorf("%v", err)
	}
	if err := held.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Controller.Amend(t.Context(), run, exec.Amendment{}); !refusedFor(err, "no plan") {
		t.Errorf("%v", err)
	}
	if _, err := b.Controller.Amend(t.Context(), "7", amendment(read(t, begunPlan+furtherStep))); !errors.Is(err,
		exec.ErrNoRun) {
		t.Errorf("%v", err)
	}
}

// TestVerifyFindsAForgedAmendment: a journal whose amendment changes what was
// there holds in itself, and is found all the same.
func TestVerifyFindsAForgedAmendment(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		why  string // "" for an amendment as it should be
	}{
		"as it should be": {begunPlan + furtherStep, ""},
		"forged":          {strings.Replace(begunPlan, `run = "c"`, `run = "rm -rf /"`, 1) + furtherStep, "step 2.1 is not what it was: run"},
	} {
		t.Run(name, func(t *testing.T) {
			b, run, _ := waits(t)
			ws := exec.Workspace{Dir: b.Dir}
			was, err := ws.History(t.Context(), run)
			must(t, err)
			p := &read(t, tt.text).Plan
			text, err := json.Marshal(p)
			must(t, err)
			blobs, err := folder.Open(t.Context(), filepath.Join(b.Dir, exec.Own, "objects"))
			must(t, err)
			store := checkpoint.NewStore(blobs)
			blob, err := store.Put(t.Context(), text)
			must(t, errors.Join(err, store.Flush(t.Context()), blobs.Close()))

			f := history.Amended{Plan: p.Digest(), PlanBlob: blob, Lock: "L", Envelope: was.Started.Envelope,
				Added: []plan.Address{"2.2"},
				Steps: append(slices.Clone(was.Started.Steps), history.Outline{Address: "2.2", Task: "2"})}
			f, err = f.Seal(1, was.RecordDigest())
			must(t, err)
			fact, err := history.Located{Fact: &f}.Encode()
			must(t, err)
			log, err := filelog.Open(t.Context(), filepath.Join(ws.RunDir(run), "journal"))
			must(t, err)
			journal, err := checkpoint.OpenJournal(t.Context(), log, run, time.Now, nil)
			must(t, err)
			_, err = journal.Append(t.Context(), fact)
			must(t, errors.Join(err, journal.Close()))

			_, err = ws.Verify(t.Context(), run)
			var proof *exec.ProofError
			if tt.why == "" {
				must(t, err)
				return
			}
			if !errors.As(err, &proof) || proof.What != "plan" || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("%v, want %q", err, tt.why)
			}
		})
	}
}
