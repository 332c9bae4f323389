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
	dir := fast(t)
	base, trace := undisturbed(t, dir, short)
	c, start := &crew{t: t, dir: dir}, time.Now()
	try(c, base.inControls(), func(moment int, dir string) (string, []string) {
		tr := trial{name: "everything is lost", base: base, trace: trace, moment: moment, life: "life 2",
			choose: powercut.Everything, brief: true, proved: true}
		if moment%2 == 0 {
			tr.name, tr.choose, tr.life = "the machine lives on", powercut.Nothing, first
		}
		_, problems := tr.run(dir)
		return tr.String(), problems
	})
	if c.done.Load() < 50 {
		t.Errorf("%d power cuts, want more: controls took place", c.done.Load())
	}
	t.Logf("%d power cuts, %v", c.done.Load(), time.Since(start).Round(time.Millisecond))
}

// inControls are the moments between the record before that of controls, and
// the latter.
func (w *world) inControls() iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, c := range w.journals {
			before := ack{}
			for _, a := range c.acks {
				if slices.ContainsFunc(c.records[before.records:max(before.records, a.records)], isControls) {
					for k := before.moment; k <= a.moment; k++ {
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

func isControls(record []byte) bool { return bytes.Contains(record, []byte("controlled")) }
