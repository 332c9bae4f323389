package crash

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/internal/disk/powercut"
	"github.com/planlock/planlock/plan"
)

// first is the life of the machine in which a run begins.
const first = "life 1"

// undisturbed runs a plan once in a folder of dir, notes all of it, and what
// it comes to.
func undisturbed(t testing.TB, dir string, p plot) (*world, *powercut.Trace) {
	t.Helper()
	w := &world{plot: p, dir: filepath.Join(dir, "base"), locked: newLock(t, p.tasks), seen: map[plan.Address]string{}, completed: map[plan.Address]bool{}, journals: map[string]*chronicle{}}
	if err := furnish(w.dir); err != nil {
		t.Fatal(err)
	}
	var err error
	if w.rec, err = powercut.New(w.dir, first); err != nil {
		t.Fatal(err)
	}
	w.disk = disk.New(w.rec)
	start := time.Now()
	if err := w.drive(); err != nil {
		t.Fatalf("%v\n%s", err, w.why())
	}
	took := time.Since(start)
	if err := w.rec.Check(); err != nil {
		t.Error(err)
	}
	end, err := look(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range w.problems {
		t.Error(p)
	}
	w.story = &story{before: w.seen, end: end}
	w.seen = nil
	trace := w.rec.Trace()
	t.Logf("a run of %d steps: %d operations that change something, %d records, %v", 7*p.tasks, trace.Len(), w.acknowledged(trace.Len()), took.Round(time.Millisecond))
	return w, trace
}

// A trial is a power cut, and what comes after it.
type trial struct {
	name   string
	base   *world
	trace  *powercut.Trace
	moment int
	choose powercut.Choice
	life   string // of the machine, afterwards
	brief  bool   // it is enough to see one more step
	noted  bool   // what is done afterwards is noted too
}

// run builds in dir what is left, lets a new controller carry on there, and
// returns what is wrong.
func (tr trial) run(dir string) (w *world, problems []string) {
	w = tr.base.enter(dir)
	w.brief = tr.brief
	complain := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if err := tr.trace.At(tr.moment).Build(dir, tr.choose); err != nil {
		complain("%v", err)
		return w, problems
	}
	left := tr.examine(dir, complain)
	w.disk = disk.New(newLife(tr.life))
	if tr.noted {
		rec, err := powercut.New(dir, tr.life)
		if err != nil {
			complain("%v", err)
			return w, problems
		}
		w.rec, w.disk = rec, disk.New(rec)
		for run, records := range left {
			if len(records) > 0 { // else it never began
				w.journals[run] = &chronicle{records: records, acks: []ack{{0, len(records)}}}
			}
		}
	}
	if err := w.drive(); err != nil {
		complain("it cannot go on: %v\n%s", err, w.why())
		return w, append(problems, w.problems...)
	}
	if w.rec != nil {
		if err := w.rec.Check(); err != nil {
			complain("%v", err)
		}
	}
	w.conclude(left, complain)
	return w, append(problems, w.problems...)
}

// examine looks at what a power cut left: the records of each journal.
func (tr trial) examine(dir string, complain func(string, ...any)) map[string][][]byte {
	return tr.base.examine(dir, tr.moment, complain)
}

func (w *world) examine(dir string, moment int, complain func(string, ...any)) map[string][][]byte {
	left := map[string][][]byte{}
	for run, c := range w.journals {
		records, err := survivors(dir, run)
		if err != nil {
			complain("the journal cannot be read: %v", err)
			continue
		}
		if n := c.acknowledged(moment); len(records) < n {
			complain("%d records were acknowledged, and %d are left", n, len(records))
		}
		if !isPrefix(records, c.records) && !isPrefix(records, c.earlier) {
			complain("of the %d records that are left some were never written", len(records))
		}
		left[run] = records
	}
	return left
}

// conclude looks at the end: the journals, which began with left, and the tree.
func (w *world) conclude(left map[string][][]byte, complain func(string, ...any)) {
	for run, records := range left {
		now, err := survivors(w.dir, run)
		if err != nil || !isPrefix(records, now) {
			complain("the journal had %d records before, and does not begin with them now: %v", len(records), err)
		}
	}
	for run := range w.journals {
		if _, err := (exec.Workspace{Dir: w.dir}).Records(context.Background(), run); err != nil {
			complain("the journal does not verify: %v", err)
		}
	}
	if w.brief {
		return
	}
	if end, err := look(w.dir); err != nil || end != w.story.end {
		complain("at the end the tree is another: %v\n%s", err, difference(w.story.end, end))
	}
}

// A newLife is the machine after a power cut.
type newLife string

func (newLife) Do(_ *disk.Op, run func() error) error { return run() }
func (l newLife) Boot() string                        { return string(l) }

// A crew tries many things, as many at a time as there are processors.
type crew struct {
	t      testing.TB
	dir    string
	done   atomic.Int64
	failed atomic.Int64
}

// enough is after how many failures a crew gives up.
const enough = 10

// try calls do with a folder of its own for each thing there is to try. do returns what is wrong.
func try[T any](c *crew, things iter.Seq[T], do func(thing T, dir string) (name string, problems []string)) {
	work := make(chan T)
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for thing := range work {
				dir := filepath.Join(c.dir, fmt.Sprintf("try-%d", c.done.Add(1)))
				name, problems := do(thing, dir)
				if err := os.RemoveAll(dir); err != nil {
					c.t.Error(err)
				}
				if len(problems) > 0 && c.failed.Add(1) <= enough {
					c.t.Errorf("%s:\n%s", name, strings.Join(problems, "\n"))
				}
			}
		})
	}
	for thing := range things {
		if c.failed.Load() >= enough {
			break
		}
		work <- thing
	}
	close(work)
	wait.Wait()
}

func (tr trial) String() string {
	during := "at the end"
	if tr.moment < tr.trace.Len() {
		during = "before " + tr.trace.Operation(tr.moment)
	}
	return fmt.Sprintf("%s, power cut at %d, %s", tr.name, tr.moment, during)
}

// TestPower lets the power go. Each class of losses is a subtest.
func TestPower(t *testing.T) {
	dose := theDose(t)
	dir := fast(t)
	base, trace := undisturbed(t, dir, dose.plot)
	cut := func(name string, k int, choose powercut.Choice) trial {
		return trial{name: name, base: base, trace: trace, moment: k, choose: choose, life: "life 2"}
	}
	class := func(name string, trials iter.Seq[trial]) {
		t.Run(name, func(t *testing.T) {
			c, start := &crew{t: t, dir: dir}, time.Now()
			try(c, trials, func(tr trial, dir string) (string, []string) {
				_, problems := tr.run(dir)
				return tr.String(), problems
			})
			t.Logf("%d power cuts, %v", c.done.Load(), time.Since(start).Round(time.Millisecond))
		})
	}
	class("NothingLost", different(every(trace, dose.every, func(k int, yield func(trial) bool) bool {
		return yield(cut("nothing is lost", k, powercut.Nothing))
	})))
	class("Killed", different(every(trace, dose.every, func(k int, yield func(trial) bool) bool {
		tr := cut("the machine lives on", k, powercut.Nothing)
		tr.life = first
		return yield(tr)
	})))
	class("EverythingLost", different(every(trace, dose.every, func(k int, yield func(trial) bool) bool {
		return yield(cut("everything is lost", k, powercut.Everything))
	})))
	class("OneLost", different(every(trace, dose.singles, func(k int, yield func(trial) bool) bool {
		for _, p := range trace.At(k).Pending() {
			tr := cut(fmt.Sprintf("operation %d is lost (%s)", p, trace.Operation(p)), k, powercut.Only(p))
			if tr.brief = true; !yield(tr) {
				return false
			}
		}
		return true
	})))
	class("AnyLost", func(yield func(trial) bool) {
		for seed := range uint64(dose.seeds) {
			k := rand.New(rand.NewPCG(seed, 1)).IntN(trace.Len() + 1)
			tr := cut(fmt.Sprintf("seed %d", seed), k, powercut.Random(seed))
			tr.brief = seed%4 > 0 // one in four goes on to the very end
			if !yield(tr) {
				return
			}
		}
	})
}

// every goes through the moments of a trace.
func every(trace *powercut.Trace, step int, at func(k int, yield func(trial) bool) bool) iter.Seq[trial] {
	return func(yield func(trial) bool) {
		for k := 0; k <= trace.Len(); k += step {
			if !at(k, yield) {
				return
			}
		}
	}
}

// different leaves out trials that find what another one found: the same bytes on
// the disk, and as many records acknowledged.
func different(trials iter.Seq[trial]) iter.Seq[trial] {
	seed := maphash.MakeSeed()
	return func(yield func(trial) bool) {
		type state struct {
			sum   uint64
			acked int
		}
		seen := map[state]bool{}
		for tr := range trials {
			s := state{tr.trace.At(tr.moment).Sum(seed, tr.choose), tr.base.acknowledged(tr.moment)}
			if seen[s] {
				continue
			}
			if seen[s] = true; !yield(tr) {
				return
			}
		}
	}
}

// TestPowerAgain lets the power go during the recovery, and during the recovery
// from that.
func TestPowerAgain(t *testing.T) {
	dose := theDose(t)
	dir := fast(t)
	base, trace := undisturbed(t, dir, dose.plot)
	c, start := &crew{t: t, dir: dir}, time.Now()
	try(c, seeds(dose.again), func(seed uint64, dir string) (string, []string) {
		rng := rand.New(rand.NewPCG(seed, 2))
		tr := trial{base: base, trace: trace}
		for life := 2; ; life++ {
			tr.name, tr.life = fmt.Sprintf("seed %d, cut %d", seed, life-1), fmt.Sprintf("life %d", life)
			tr.moment, tr.choose = rng.IntN(tr.trace.Len()+1), powercut.Random(rng.Uint64())
			tr.noted = life < 4
			sub := filepath.Join(dir, tr.life)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return tr.String(), []string{err.Error()}
			}
			w, problems := tr.run(sub)
			if len(problems) > 0 || !tr.noted {
				return tr.String(), problems
			}
			tr.base, tr.trace = w, w.rec.Trace()
		}
	})
	t.Logf("%d times three power cuts, %v", c.done.Load(), time.Since(start).Round(time.Millisecond))
}

// TestPowerIsolated lets the power go while a run works in a clone, or is delivered.
func TestPowerIsolated(t *testing.T) {
	dose := theDose(t)
	dose.isolate = true
	dir := fast(t)
	base, trace := undisturbed(t, dir, dose.plot)
	c, start := &crew{t: t, dir: dir}, time.Now()
	try(c, seeds(dose.seeds), func(seed uint64, dir string) (string, []string) {
		rng := rand.New(rand.NewPCG(seed, 4))
		tr := trial{name: fmt.Sprintf("seed %d", seed), base: base, trace: trace, moment: rng.IntN(trace.Len() + 1), life: "life 2", choose: powercut.Random(seed)}
		switch seed % 4 {
		case 0:
			tr.choose = powercut.Everything
		case 1:
			tr.choose, tr.life = powercut.Nothing, first
		}
		_, problems := tr.run(dir)
		return tr.String(), problems
	})
	t.Logf("%d power cuts, %v", c.done.Load(), time.Since(start).Round(time.Millisecond))
}

func seeds(n int) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for seed := range uint64(n) {
			if !yield(seed) {
				return
			}
		}
	}
}
