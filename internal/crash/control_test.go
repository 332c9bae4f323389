package crash

import (
	"bytes"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/planlock/planlock/internal/disk/powercut"
)

// TestPowerInControls lets the power go at each operation while checks are held
// against trees that lack the work of a step: the folder in which the run works
// holds another tree then.
func TestPowerInControls(t *testing.T) {
	inMoments(t, short, "controlled", 1)
}

// TestPowerInSecondExecutions lets the power go while what steps do is compared
// with a second execution.
func TestPowerInSecondExecutions(t *testing.T) {
	p := short
	p.twice = true
	run, _, err := inMoments(t, p, "repeated", 3).know()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range run.Steps {
		if !s.Last().Repeated.Same() {
			t.Errorf("step %s: %v", s.Address, s.Last().Repeated)
		}
	}
}

// inMoments lets the power go at every so many operations between records of a kind and the
// records before them.
func inMoments(t *testing.T, p plot, kind string, every int) *world {
	dir := fast(t)
	base, trace := undisturbed(t, dir, p)
	c, start := &crew{t: t, dir: dir}, time.Now()
	try(c, base.before(kind, every), func(moment int, dir string) (string, []string) {
		tr := trial{name: "everything is lost", base: base, trace: trace, moment: moment, life: "life 2",
			choose: powercut.Everything, brief: true, proved: true}
		if moment%2 == 0 {
			tr.name, tr.choose, tr.life = "the machine lives on", powercut.Nothing, first
		}
		_, problems := tr.run(dir)
		return tr.String(), problems
	})
	if c.done.Load() < 50 {
		t.Errorf("%d power cuts, want more: there are records of kind %s", c.done.Load(), kind)
	}
	t.Logf("%d power cuts, %v", c.done.Load(), time.Since(start).Round(time.Millisecond))
	return base
}

// before are moments between records of a kind and the records before them, each
// so manieth.
func (w *world) before(kind string, every int) iter.Seq[int] {
	is := func(record []byte) bool { return bytes.Contains(record, []byte(kind)) }
	return func(yield func(int) bool) {
		for _, c := range w.journals {
			before := ack{}
			for _, a := range c.acks {
				if slices.ContainsFunc(c.records[before.records:max(before.records, a.records)], is) {
					for k := before.moment; k <= a.moment; k += every {
						if !yield(k) {
							return
						}
					}
				}
				before = a
			}
		}
	}
}
