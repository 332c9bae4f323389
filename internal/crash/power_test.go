package crash

import (
	"fmt"
	"hash/maphash"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	w := (&world{plot: p, locked: newLock(t, p), lore: &lore{}}).enter(filepath.Join(dir, "base"))
	w.seen = map[plan.Address]deed{}
	if err := furnish(w.dir); err != nil {
		t.Fatal(err)
	}
	if w.witnessed { // the folder is a person's, and older than the run
		if err := os.MkdirAll(filepath.Dir(w.witness().File(journal(w.dir, "any"))), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	before, err := look(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	if w.rec, err = powercut.New(w.home, first); err != nil {
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
	if w.story, err = newStory(before, w.locked.Plan().Tasks, w.seen, end); err != nil {
		t.Fatal(err)
	}
	w.seen = nil
	trace := w.rec.Trace()
	t.Logf("a run of %d steps: %d operations that change something, %d records, %v", len(w.story.deeds), trace.Len(),
		w.acknowledged(trace.Len()), took.Round(time.Millisecond))
	return w, trace
}

// TestPower lets the power go. Each class of losses is a subtest.
func TestPower(t *testing.T) {
	dose := theDose(t)
	dir := fast(t)
	base, trace := undisturbed(t, dir, dose.plot)
	ofEach(t, dose, dir, base, trace)
	if base.lore.disowned.Load() == 0 {
		t.Error("no crash left an end of a journal that nobody signed")
	}
}

// ofEach tries what a dose says of each class of losses.
func ofEach(t *testing.T, dose dose, dir string, base *world, trace *powercut.Trace) {
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
	seed, seen := maphash.MakeSeed(), different{}
	all := func(name, life string, choose powercut.Choice) iter.Seq[trial] {
		return func(yield func(trial) bool) {
			n := 0
			for k := 0; k <= trace.Len(); k += dose.every {
				tr := cut(name, k, choose)
				tr.life = life
				if seen.already(tr, trace.At(k).Sum(seed, choose)) {
					continue
				}
				n++
				tr.brief, tr.proved = n%4 > 0, true
				if !yield(tr) {
					return
				}
			}
		}
	}
	class("NothingLost", all("nothing is lost", "life 2", powercut.Nothing))
	class("Killed", all("the machine lives on", first, powercut.Nothing))
	class("EverythingLost", all("everything is lost", "life 2", powercut.Everything))
	class("OneLost", func(yield func(trial) bool) {
		n := 0
		for l := range trace.Losses(seed) {
			tr := cut("", l.Moment, powercut.Only(l.Operation))
			if l.Moment%dose.singles != 0 ||
				(l.Moment+l.Operation)%dose.layers != 0 && inLayer(trace.Operation(l.Operation)) ||
				seen.already(tr, l.Sum(seed)) {
				continue
			}
			n++
			tr.name = fmt.Sprintf("operation %d is lost (%s)", l.Operation, trace.Operation(l.Operation))
			tr.brief, tr.proved = true, n%8 == 0
			if !yield(tr) {
				return
			}
		}
	})
	class("AnyLost", func(yield func(trial) bool) {
		for seed := range uint64(dose.seeds) {
			k := rand.New(rand.NewPCG(seed, 1)).IntN(trace.Len() + 1)
			tr := cut(fmt.Sprintf("seed %d", seed), k, powercut.Random(seed))
			tr.brief, tr.proved = seed%8 > 0, seed%8 == 1 // one in eight goes on to the very end
			if !yield(tr) {
				return
			}
		}
	})
}

// inLayer reports whether an operation is one in a folder that is made anew
// whenever a run is taken up: what is lost of those is found by none that came
// after it, and there are many.
func inLayer(operation string) bool {
	return strings.Contains(operation, string(filepath.Separator)+"lanes"+string(filepath.Separator)) ||
		strings.Contains(operation, string(filepath.Separator)+"clone"+string(filepath.Separator))
}

// different is what was tried: bytes on the disk, how many records were
// acknowledged, and the life of the machine.
type different map[state]bool

type state struct {
	sum   uint64
	acked int
	life  string
}

// already reports whether a trial finds what another one found, and keeps it in
// mind.
func (d different) already(tr trial, sum uint64) bool {
	s := state{sum, tr.base.acknowledged(tr.moment), tr.life}
	again := d[s]
	d[s] = true
	return again
}

// TestPowerAgain lets the power go during the recovery, and during the recovery
// from that.
func TestPowerAgain(t *testing.T) {
	dose := theDose(t)
	dose.witnessed = true
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

// TestPowerIsolated lets the power go while a run works in a clone, or is
// delivered.
func TestPowerIsolated(t *testing.T) {
	dose := theDose(t)
	dose.isolate = true
	dose.unsigned = true
	ofAll(t, dose)
}

// TestPowerUnseen lets the power go while a run that nobody observes completes
// steps whose records the disk is still busy with.
func TestPowerUnseen(t *testing.T) {
	dose := theDose(t)
	dose.unseen, dose.stopAfter, dose.backTo = true, "", ""
	base, _, _ := ofAll(t, dose)
	synced := 0
	for _, c := range base.journals {
		synced += c.synced
	}
	if synced < 7 {
		t.Errorf("%d completions were synced later, want more: all of them were waited for", synced)
	}
}

// TestPowerWitnessed lets the power go while a journal has a witness outside of
// the workspace, on the same disk: it must never know of more than what is
// left, also where it alone is left of what was not durable.
func TestPowerWitnessed(t *testing.T) {
	dose := theDose(t)
	dose.witnessed = true
	base, trace, dir := ofAll(t, dose)
	state := string(filepath.Separator) + "state" + string(filepath.Separator)
	outside := func(operation int) powercut.Fate {
		return powercut.Fate{Lost: !strings.Contains(trace.Operation(operation), state)}
	}
	try(&crew{t: t, dir: dir}, seeds(trace.Len()+1), func(k uint64, dir string) (string, []string) {
		tr := trial{name: "only the witness is kept", base: base, trace: trace, moment: int(k), life: "life 2",
			choose: outside, still: true}
		_, problems := tr.run(dir)
		return tr.String(), problems
	})
}

// ofAll tries some of each class of losses.
func ofAll(t *testing.T, dose dose) (base *world, trace *powercut.Trace, dir string) {
	dir = fast(t)
	base, trace = undisturbed(t, dir, dose.plot)
	c, start := &crew{t: t, dir: dir}, time.Now()
	try(c, seeds(dose.some), func(seed uint64, dir string) (string, []string) {
		rng := rand.New(rand.NewPCG(seed, 4))
		tr := trial{name: fmt.Sprintf("seed %d", seed), base: base, trace: trace, moment: rng.IntN(trace.Len() + 1),
			life: "life 2", choose: powercut.Random(seed)}
		switch pending := trace.At(tr.moment).Pending(); seed % 5 {
		case 0:
			tr.choose = powercut.Everything
		case 1:
			tr.choose, tr.life = powercut.Nothing, first
		case 2:
			if len(pending) > 0 {
				tr.choose = powercut.Only(pending[rng.IntN(len(pending))])
			}
		}
		_, problems := tr.run(dir)
		return tr.String(), problems
	})
	t.Logf("%d power cuts, %v", c.done.Load(), time.Since(start).Round(time.Millisecond))
	return base, trace, dir
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
