package crash

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/internal/disk/faulty"
	"github.com/planlock/planlock/internal/disk/powercut"
	"github.com/planlock/planlock/plan"
)

// TestFaults lets operation 1, 2, 3 … of a whole run fail, with every kind of
// error, until a run gets through in which nothing failed. What the steps do
// themselves fails too. The plan is the short one, whatever the dose: it has
// each kind of step twice, and a fault is met by what stands at that place,
// however many steps were done before.
func TestFaults(t *testing.T) { eachFails(t, theDose(t), short) }

// TestFaultsLanes is the same where steps run at once.
func TestFaultsLanes(t *testing.T) {
	dose := theDose(t)
	dose.faults *= 2
	eachFails(t, dose, inLanes)
}

// eachFails lets each operation of a run fail, as far as a dose says.
func eachFails(t *testing.T, dose dose, p plot) {
	dir := fast(t)
	base, _ := undisturbed(t, dir, p)
	for _, fault := range []struct {
		name string
		err  error
	}{
		{"EIO", syscall.EIO}, {"ENOSPC", syscall.ENOSPC}, {"EDQUOT", faulty.Quota}, {"EROFS", syscall.EROFS},
		{"EMFILE", syscall.EMFILE}, {"EXDEV", syscall.EXDEV}, {"ShortWrite", io.ErrShortWrite},
	} {
		for kind, forever := range []bool{false, true} {
			if forever && fault.err == io.ErrShortWrite {
				continue
			}
			t.Run(fault.name+[]string{"Once", "FromThenOn"}[kind], func(t *testing.T) {
				c, start := &crew{t: t, dir: dir}, time.Now()
				var through atomic.Bool
				numbers := func(yield func(int) bool) {
					for at := 1; !through.Load() && yield(at); at += dose.faults {
					}
				}
				try(c, numbers, func(at int, dir string) (string, []string) {
					l := &faulty.Layer{Err: fault.err, At: at, Forever: forever}
					problems := base.suffer(dir, l)
					if !l.Hit() {
						through.Store(true)
					}
					return fmt.Sprintf("operation %d fails (%s)", at, l.What()), problems
				})
				t.Logf("%d runs, %v", c.done.Load(), time.Since(start).Round(time.Millisecond))
			})
		}
	}
}

// suffer runs the plan on a disk that fails, and again when it is mended: one
// run in four to its end, the others until one more step is complete.
func (w *world) suffer(dir string, l *faulty.Layer) (problems []string) {
	complain := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	s := w.enter(dir)
	if err := furnish(s.dir); err != nil {
		return []string{err.Error()}
	}
	s.disk, s.life.name = disk.New(l), first
	l.Next = &s.life
	err := s.drive()
	var outcome *exec.OutcomeError
	ended := errors.As(err, &outcome)
	if err != nil && !ended && !strings.Contains(err.Error(), l.Err.Error()) {
		complain("the error does not name the cause: %v", err)
	}
	if err == nil && !l.Hit() {
		return append(problems, s.problems...)
	}
	left := s.examine(s.journals, 1<<40, complain)
	if ended { // a step failed, lawfully, and was undone
		s.undone(l.Err.Error(), complain)
		return append(problems, s.problems...)
	}
	s.brief = l.At%4 > 0
	l.Heal()
	switch err := s.drive(); {
	case errors.As(err, &outcome): // the last attempt of a step was the one that met the fault
		s.undone(l.Err.Error(), complain)
	case err != nil:
		complain("it cannot go on: %v\n%s", err, s.why())
	default:
		s.conclude(left, !s.life.over.Load(), complain)
	}
	return append(problems, s.problems...)
}

// undone looks at a run that ended because a step failed: the tree is what the
// others made, and the journal says why.
func (w *world) undone(cause string, complain func(string, ...any)) {
	run, _, err := w.know()
	if err != nil {
		complain("%v", err)
		return
	}
	now, err := look(w.dir)
	if err != nil {
		complain("%v", err)
	}
	completed := map[plan.Address]bool{}
	for _, s := range run.Steps {
		completed[s.Address] = s.Status == history.Completed
	}
	for _, s := range run.Steps {
		if s.Status == history.Failed {
			var why []string
			for _, a := range s.Attempts {
				why = append(why, a.Failure.Reasons...)
			}
			if text := strings.Join(why, "\n"); !strings.Contains(text, cause) {
				complain("step %s failed, and the cause is not named: %s", s.Address, text)
			}
			if want := w.story.tree(completed); now != want {
				complain("step %s failed, and the tree is not what the others made:\n%s", s.Address, difference(want, now))
			}
			return
		}
	}
}

// TestKilledThenPower kills the controller, or lets one operation of it fail,
// lets another one carry on, and cuts the power while that is at work: what the
// first one did not sync is lost too.
func TestKilledThenPower(t *testing.T) {
	dose := theDose(t)
	dose.witnessed = true
	dir := fast(t)
	base, trace := undisturbed(t, dir, dose.plot)
	c, start := &crew{t: t, dir: dir}, time.Now()
	try(c, seeds(dose.killed), func(seed uint64, dir string) (string, []string) {
		rng := rand.New(rand.NewPCG(seed, 3))
		l := &faulty.Layer{Err: errKilled, At: 1 + rng.IntN(2*trace.Len()), Forever: true}
		switch seed % 4 {
		case 1:
			l.Err, l.Forever = syscall.EIO, false
		case 2, 3: // a sync
			l.Err, l.Forever = syscall.EIO, false
			l.Only, l.At = syncs, 1+rng.IntN(trace.Len()/5)
		}
		return base.twice(dir, l, rng)
	})
	t.Logf("%d times, %v", c.done.Load(), time.Since(start).Round(time.Millisecond))
}

func syncs(op *disk.Op) bool { return op.Kind == disk.Sync || op.Kind == disk.SyncData }

var errKilled = errors.New("killed")

func (w *world) twice(dir string, l *faulty.Layer, rng *rand.Rand) (string, []string) {
	name := func(s string) string {
		return fmt.Sprintf("%v at operation %d (%s), then %s", l.Err, l.At, l.What(), s)
	}
	s := w.enter(filepath.Join(dir, "ws"))
	if err := furnish(s.dir); err != nil {
		return name("furnish"), []string{err.Error()}
	}
	rec, err := powercut.New(s.home, first)
	if err != nil {
		return name("record"), []string{err.Error()}
	}
	l.Next, s.rec = rec, rec
	s.disk, s.desk = disk.New(l), disk.New(rec)
	if l.Err == errKilled {
		s.desk = s.disk
	}
	var outcome *exec.OutcomeError
	if err := s.drive(); errors.As(err, &outcome) {
		return name("a step failed"), s.problems // lawfully: see TestFaults
	}
	killed := rec.Now()
	s.disk, s.desk = disk.New(rec), nil
	if err := s.drive(); err != nil {
		return name("it cannot go on"), append(s.problems, err.Error())
	}
	if len(s.problems) > 0 {
		return name("another controller"), s.problems
	}
	trace := rec.Trace()
	tr := trial{name: name("another controller"), base: s, trace: trace,
		moment: killed + rng.IntN(trace.Len()+1-killed),
		choose: powercut.Random(rng.Uint64()), life: "life 2"}
	if rng.IntN(3) == 0 {
		tr.choose = powercut.Everything
	}
	_, problems := tr.run(filepath.Join(dir, "fresh"))
	return tr.String(), problems
}
