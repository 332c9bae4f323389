package crash

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/internal/disk/powercut"
	"github.com/planlock/planlock/plan"
)

// A world is a workspace on a disk, and what somebody outside of it saw.
type world struct {
	plot
	home   string // where all of it is
	dir    string // the workspace
	locked *plan.Locked
	disk   *disk.Disk
	desk   *disk.Disk         // for steps; nil: the same
	rec    *powercut.Recorder // nil: nobody notes what is done
	story  *story             // what must come out; nil while it is found out
	brief  bool               // one more step is enough
	lore   *lore              // what is known of journals
	life   life               // of the machine, where brief

	careless bool                // nobody asks later what was given to journals
	left     map[string][][]byte // what journals held when the world was entered

	mu        sync.Mutex
	journals  map[string]*chronicle // by run
	completed map[plan.Address]bool
	seen      map[plan.Address]deed // what was done last for each step; nil: nobody takes note
	problems  []string
}

// signer signs the journals.
var signer = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))

// enter makes a world around a folder.
func (w *world) enter(home string) *world {
	return &world{plot: w.plot, home: home, dir: filepath.Join(home, "ws"), locked: w.locked, story: w.story,
		lore:      w.lore,
		completed: map[plan.Address]bool{}, journals: map[string]*chronicle{}}
}

// witness is where journals say outside of the workspace how far they reached.
func (w *world) witness() filelog.Witness {
	if !w.witnessed {
		return filelog.Witness{}
	}
	return filelog.Witness{Dir: filepath.Join(w.home, "state")}
}

// moveHeads gives w the witnesses of journals that were in another place.
func (w *world) moveHeads(from *world) error {
	for run := range from.journals {
		old, now := from.witness().File(journal(from.dir, run)), w.witness().File(journal(w.dir, run))
		err := os.Rename(filepath.Join(w.home, "state", "heads", filepath.Base(old)), now)
		if w.witnessed && err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// runs are the journals of the workspace, with their witness.
func (w *world) runs() filelog.Runs {
	return filelog.Runs{Dir: filepath.Join(w.dir, exec.Own, "runs"), Witness: w.witness()}
}

func (w *world) workspace() exec.Workspace { return exec.Workspace{Dir: w.dir, Runs: w.runs()} }

// A chronicle is what was given to a journal.
type chronicle struct {
	records [][]byte // in order, those that were not acknowledged too
	earlier [][]byte // the same, by a controller before
	acks    []ack
	synced  int // how often what was written was synced by itself
}

// An ack says that so many records were acknowledged by a moment.
type ack struct{ moment, records int }

func (w *world) complain(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}

// drive carries the run on until it is over, as a person would who knows
// nothing but what planlock says.
func (w *world) drive() error {
	ctx := disk.With(context.Background(), w.disk)
	for {
		run, back, err := w.know()
		if err != nil {
			return err
		}
		switch {
		case run == nil:
			err = w.carry(ctx, func(ctx context.Context, c *exec.Controller) error {
				_, err := c.Run(ctx, w.locked)
				return err
			}, true)
		case !back && done(run, w.stopAfter):
			_, err = w.controller(nil).Rollback(ctx, run.Started.Run, w.backTo, "", "")
		default:
			err = w.carry(ctx, func(ctx context.Context, c *exec.Controller) error {
				_, err := c.Resume(ctx, w.locked, run.Started.Run)
				return err
			}, !back)
			if err == nil {
				return nil
			}
		}
		if errors.Is(err, errEnough) || w.life.over.Load() {
			return nil
		}
		if err != nil && !errors.Is(err, errStop) {
			return err
		}
	}
}

var (
	errStop   = errors.New("somebody pressed Ctrl-C")
	errEnough = errors.New("this is enough")
)

// know is the run as the journal tells it, and whether it was set back. It is
// nil if none has begun.
func (w *world) know() (run *history.Run, back bool, err error) {
	ids, err := w.workspace().IDs(context.Background())
	if err != nil {
		return nil, false, err
	}
	for _, id := range slices.Backward(ids) {
		tale, err := w.lore.of(w, id)
		if err != nil {
			return nil, false, err
		}
		if tale == nil {
			continue // it was cut off before it began
		}
		if err := w.signed(tale.run); err != nil {
			return nil, false, err
		}
		w.mu.Lock()
		w.completed = map[plan.Address]bool{}
		for _, s := range tale.run.Steps {
			w.completed[s.Address] = s.Status == history.Completed
		}
		w.mu.Unlock()
		return tale.run, tale.back, nil
	}
	return nil, false, nil
}

// signed finds what anybody relies on in a journal, and nobody signed: no crash
// leaves that.
func (w *world) signed(run *history.Run) error {
	s := &run.Signed
	if err := s.Verify(run.Started.Run); err != nil {
		return err
	}
	if claims := run.Signed.Claims(); len(claims) > 0 || (s.Key == "") != w.unsigned {
		return fmt.Errorf("it is signed by %q up to record %d, and not %v", s.Key, s.Head.Seq, claims)
	}
	return nil
}

func done(run *history.Run, step plan.Address) bool {
	s := run.Step(step)
	return s != nil && s.Status == history.Completed
}

// carry calls the controller; with stops, until a step is done at which
// somebody interrupts it.
func (w *world) carry(ctx context.Context, call func(context.Context, *exec.Controller) error, stops bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	return call(ctx, w.controller(func(ev event.Event) {
		w.mu.Lock()
		for _, s := range ev.State.Steps { // a group is delivered as a whole, and told of afterwards
			w.completed[s.Address] = s.Status == history.Completed
		}
		w.mu.Unlock()
		if stops && ev.Step == w.stopAfter {
			cancel(errStop)
		}
		if w.brief {
			w.accepted(ev)
			w.life.over.Store(true)
			cancel(errEnough)
		}
	}))
}

// accepted looks at the tree that a step left which is complete: the next one
// finds it.
func (w *world) accepted(ev event.Event) {
	if ev.OfStep().Status != history.Completed {
		return
	}
	w.mu.Lock()
	want := w.story.tree(w.completed)
	w.mu.Unlock()
	if now, err := look(w.dir); err != nil || now != want {
		w.complain("after step %s the tree is another: %v\n%s", ev.Step, err, difference(want, now))
	}
}

func (w *world) controller(stepDone func(event.Event)) *exec.Controller {
	observe := func(_ context.Context, e event.Event) {
		switch e.Fact.(type) {
		case *history.StepCompleted, *history.StepFailed, *history.StepSkipped, *history.StepBlocked:
			stepDone(e)
		}
	}
	if w.unseen && w.story == nil {
		observe = nil
	}
	means := exec.Means{Signer: signer}
	if w.unsigned {
		means.Signer = nil
	}
	c := &exec.Controller{
		Dir: w.dir, Means: means, Gates: builtin.Gates(), Executors: exec.Executors{"script": exec.Func(w.execute),
			"": exec.Func(w.execute)},
		Isolate: w.isolate, NoSandbox: true, Policy: exec.Policy{Mode: plan.Silent},
		Runs:    exectest.Logs(w.dir, w.openLog),
		Observe: observe,
	}
	if w.asks {
		c.Policy.Mode, c.Escalator = plan.Dynamic, person{w}
	}
	return c
}

// A person is asked what becomes of lanes that met, whether the run goes on after
// so many failures, and nothing else.
type person struct{ w *world }

func (p person) Ask(_ context.Context, q ask.Question) (ask.Answer, error) {
	if q.Kind == ask.Threshold {
		return ask.Answer{Run: q.Run, Question: q.ID, Choice: q.Choices[0].Key, By: "somebody"}, nil
	}
	if q.Kind != ask.Overlap {
		p.w.complain("asked is %s: %s", q.Kind, q.What)
	}
	return ask.Answer{Run: q.Run, Question: q.ID, Choice: "r", By: "somebody"}, nil
}

// execute watches what is asked of the executor.
func (w *world) execute(ctx context.Context, job exec.Work) (exec.Outcome, error) {
	now, err := look(job.Dir)
	if err != nil {
		return exec.Outcome{}, err
	}
	at := job.Step.Address
	w.mu.Lock()
	repeated, want := w.completed[at], now
	if w.story != nil {
		want = w.story.tree(w.completed)
	}
	for _, c := range w.journals {
		for _, r := range c.records[c.acknowledged(math.MaxInt):] {
			if bytes.Contains(r, []byte("step-completed")) && !w.careless {
				w.problems = append(w.problems, fmt.Sprintf("before step %s not all is durable of the step before it",
					at))
			}
		}
	}
	w.mu.Unlock()
	if repeated {
		w.complain("step %s was completed, and is executed again", at)
	}
	if now != want {
		w.complain("before step %s the tree is neither before nor after:\n%s", at, difference(want, now))
	}
	if w.desk != nil {
		ctx = disk.With(ctx, w.desk)
	}
	out, err := work(ctx, job, w.scene())
	if w.seen != nil && err == nil {
		err = w.note(at, now, job.Dir)
	}
	return out, err
}

// note notes what was done for a step in a folder that held so much before.
func (w *world) note(at plan.Address, before, dir string) error {
	after, err := look(dir)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[at] = newDeed(before, after)
	return nil
}

// openLog opens the journal as the controller would, and watches it.
func (w *world) openLog(ctx context.Context, run string) (checkpoint.Log, error) {
	log, err := w.witness().Open(ctx, journal(w.dir, run))
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.journals[run]
	if c == nil {
		c = &chronicle{}
		w.journals[run] = c
	}
	return &watchedLog{log: log, w: w, c: c}, nil
}

func journal(dir, run string) string {
	return filepath.Join(exec.Workspace{Dir: dir}.RunDir(run), "journal")
}

func replay(log checkpoint.Log) (records [][]byte, err error) {
	for r, err := range log.Replay(context.Background()) {
		if err != nil {
			return nil, err
		}
		records = append(records, bytes.Clone(r))
	}
	return records, nil
}

// acknowledged is how many records were acknowledged by a moment.
func (w *world) acknowledged(moment int) int {
	n := 0
	for _, c := range w.journals {
		n += c.acknowledged(moment)
	}
	return n
}

func (c *chronicle) acknowledged(moment int) int {
	n := 0
	for _, a := range c.acks {
		if a.moment <= moment {
			n = max(n, a.records)
		}
	}
	return n
}

// survivors are the records that a journal holds; none if there is none.
func (w *world) survivors(run string) ([][]byte, error) {
	log, err := w.witness().Read(context.Background(), journal(w.dir, run))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	records, err := replay(log)
	return records, errors.Join(err, log.Close())
}

// why is the reasons of all failures of the run, for messages.
func (w *world) why() string {
	run, _, err := w.know()
	if err != nil || run == nil {
		return fmt.Sprint(err)
	}
	var b bytes.Buffer
	for _, s := range run.Steps {
		if s.Failed != nil {
			fmt.Fprintf(&b, "%s failed: %s %q; ", s.Address, s.Failed.Class, s.Failed.Reasons)
		}
		for _, a := range append(s.Undone, s.Attempts...) {
			if a.Failure != nil {
				fmt.Fprintf(&b, "%s#%d %s %q; ", s.Address, a.Number, a.Failure.Class, a.Failure.Reasons)
			}
		}
	}
	return b.String()
}

// isPrefix reports whether b begins with a.
func isPrefix(a, b [][]byte) bool {
	return len(a) <= len(b) && slices.EqualFunc(a, b[:len(a)], bytes.Equal)
}

// difference shows the lines in which two looks differ, shortened.
func difference(want, got string) string {
	var b bytes.Buffer
	show := func(sign, text, other string) {
		for line := range bytes.SplitSeq([]byte(text), []byte("\n")) {
			if !bytes.Contains([]byte(other), line) {
				fmt.Fprintf(&b, "%s %.160s\n", sign, line)
			}
		}
	}
	show("-", want, got)
	show("+", got, want)
	return b.String()
}

// A life is that of the machine, from one power cut to the next. When it is
// over nothing can be done any more.
type life struct {
	name string
	over atomic.Bool
}

func (l *life) Do(_ *disk.Op, run func() error) error {
	if l.over.Load() {
		return errEnough
	}
	return run()
}

func (l *life) Boot() string { return l.name }

// fast is a folder for many small trees, in memory where there is such a place.
func fast(t testing.TB) string {
	t.Helper()
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		if dir, err := os.MkdirTemp("/dev/shm", "planlock-crash-"); err == nil {
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			return dir
		}
	}
	return t.TempDir()
}
