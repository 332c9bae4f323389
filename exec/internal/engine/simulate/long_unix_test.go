//go:build unix

package simulate_test

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/guard"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/disturbance"
	"github.com/planlock/planlock/exec/internal/engine"
	"github.com/planlock/planlock/exec/internal/flow"
	"github.com/planlock/planlock/exec/preset"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// long are how many steps the runs of TestLongRuns have, and beside how many of them are
// at work at once.
var (
	long   = flag.String("long", "500", "how many steps the runs of TestLongRuns have, as in 10000,100000,1000000")
	beside = flag.Int("beside", 8, "how many of them are carried out at once in lanes")
)

// TestLongRuns has the decider carry runs of many steps to their end, in a world in which
// all goes well, and says what each step takes of the processor and of memory:
//
//	go test -run TestLongRuns -long 10000,100000,1000000 -timeout 1h -v .
func TestLongRuns(t *testing.T) {
	for text := range strings.SplitSeq(*long, ",") {
		steps, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, jobs := range slices.Compact([]int{1, *beside}) {
			t.Run(fmt.Sprintf("%d/%d", steps, jobs), func(t *testing.T) { carry(t, steps, jobs) })
		}
	}
}

// longPlan is a plan of tasks of ten steps, which run beside each other where there is
// more than one job.
func longPlan(steps, jobs int) *plan.Plan {
	const each = 10
	p := &plan.Plan{Schema: 1, Goal: "simulate", Profile: plan.Observe}
	for first := 0; first < steps; first += each {
		task := plan.Task{ID: fmt.Sprint(first/each + 1), Title: "task", Description: "task"}
		if jobs > 1 {
			task.Wave = "1"
		}
		for n := 1; n <= min(each, steps-first); n++ {
			a := plan.Address(fmt.Sprintf("%s.%d", task.ID, n))
			task.Steps = append(task.Steps, plan.Step{ID: fmt.Sprint(n), Address: a, Description: "step", Run: "true",
				Rollback: plan.Reversible, OnFailure: plan.Block, Artifacts: &plan.Artifacts{Modify: []string{task.ID}}})
		}
		p.Tasks = append(p.Tasks, task)
	}
	return p
}

// A calm world is one in which each attempt succeeds.
type calm struct {
	run  *history.Run
	seen guard.Seen
	now  time.Time
	seq  uint64
	err  error
}

func (w *calm) tree() record.Snapshot {
	d := ledger.Digest(fmt.Sprintf("sha256:%064x", w.seq))
	return record.Snapshot{Tree: d, Manifest: d}
}

func (w *calm) fold(facts ...history.Located) {
	for _, l := range facts {
		w.seq++
		w.now = w.now.Add(time.Second)
		rec := record.Record{Seq: w.seq, Time: w.now, Fact: record.Fact{Type: l.Fact.Type(), Step: string(l.Where.Step),
			Attempt: l.Where.Attempt}}
		if err := w.run.Fold(rec, l.Fact); err != nil && w.err == nil {
			w.err = err
		}
	}
	w.seen.Forget(disturbance.Recorded...)
}

// done is what is recorded of an attempt that succeeds.
func (w *calm) done(s *history.Step, before ...history.Fact) {
	w.fold(s.Where(s.Tried()).Locate(append([]history.Fact{&history.AttemptEnded{Took: time.Second}}, before...)...)...)
	w.fold(s.Where(s.Tried()).Locate(&history.StepCompleted{Snapshot: w.tree(), Method: s.Last().Method.Method})...)
	w.seen.Saw(guard.Tree)
}

// act does what is wanted.
func (w *calm) act(wanted engine.Wanted) {
	s := w.run.Step(wanted.Step)
	switch a := wanted.Action.(type) {
	case engine.Record:
		w.fold(a.Facts...)
	case engine.Look:
		w.seen.Saw(guard.Tree)
		if s != nil {
			w.seen.Of = s.Address
		}
		w.seen.Saw(guard.Bindings)
		w.seen.Saw(a.What)
	case engine.Begin:
		w.fold(s.Where(0).Locate(a.Start)...)
		w.seen.Forget(disturbance.StrangersRan...)
	case engine.Attempt:
		w.fold(s.Where(s.Tried() + 1).Locate(&history.AttemptStarted{Method: a.Method})...)
		w.seen.Forget(disturbance.Attempted...)
		w.done(s)
	case engine.Group:
		began := &history.GroupBegun{}
		facts := history.Where{}.Locate(began)
		for _, m := range a.Members {
			s := w.run.Step(m.Step)
			began.Steps = append(began.Steps, m.Step)
			facts = append(facts, s.Where(s.Tried()+1).Locate(&history.AttemptStarted{Method: m.Method})...)
		}
		w.fold(facts...)
		w.seen.Forget(disturbance.Attempted...)
		w.seen.Saw(guard.Tree)
		w.seen.Back = append(w.seen.Back, began.Steps...)
	case engine.Join:
		for i, back := range w.seen.Back {
			if back == s.Address {
				w.seen.Back = append(w.seen.Back[:i:i], w.seen.Back[i+1:]...)
				break
			}
		}
		w.seen.Forget(guard.Tree)
		w.done(s, &history.Joined{Onto: w.run.Tree})
	case engine.Deliver:
		w.fold(history.Where{}.Locate(&history.Delivered{Tree: w.run.Tree})...)
	case engine.End:
		w.fold(history.Where{}.Locate(&history.Ended{Status: history.Achieved})...)
	case engine.Seal:
		w.fold(history.Where{}.Locate(&history.Sealed{})...)
	default:
		w.err = fmt.Errorf("%T is wanted of step %q", a, wanted.Step)
	}
}

// carry carries a run out, and says what it took.
func carry(t *testing.T, steps, jobs int) {
	before := live()
	p := longPlan(steps, jobs)
	ofPlan := live() - before
	d := engine.New(&guard.Contract{Plan: p}, preset.All()[0].Ladder)
	w := &calm{run: &history.Run{}, now: time.Unix(1_700_000_000, 0).UTC()}
	started := &history.Started{Run: "SIMULATED", Goal: p.Goal, Format: plan.Native, Profile: p.Profile, Plan: "sha256:p",
		Envelope: &envelope.Envelope{}, Base: w.tree(), Layer: plan.Clone,
		Policy: history.Policy{Preset: preset.All()[0].Name, Mode: plan.Silent, Jobs: jobs}}
	for _, a := range flow.Order(p, plan.Native) {
		task, step := d.Contract.At(a)
		started.Steps = append(started.Steps, history.Outline{Address: a, Task: task.ID, Title: "step", Rollback: step.Rollback})
	}
	begun := processor(t)
	w.fold(history.Where{}.Locate(started)...)
	decisions := 0
	for w.err == nil {
		wanted := d.Decide(w.run, &w.seen)
		if len(wanted) == 0 {
			break
		}
		for _, one := range wanted {
			w.act(one)
		}
		decisions++
	}
	took := processor(t) - begun
	after := live()
	if w.err != nil || w.run.Sealed == nil {
		t.Fatalf("it does not end: %v", w.err)
	}
	t.Logf("%d steps, %d at once: %d decisions, %d records; %.1f µs of the processor for each step; live: %.0f B for each step of the plan, %.0f of the history",
		steps, jobs, decisions, w.seq, float64(took.Microseconds())/float64(steps), float64(ofPlan)/float64(steps),
		float64(after-before-ofPlan)/float64(steps))
	runtime.KeepAlive(p)
	runtime.KeepAlive(w)
	runtime.KeepAlive(d)
}

// processor is how long this process has had a processor.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// live is how many bytes are held in memory.
func live() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
