package crash

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/internal/disk/powercut"
	"github.com/planlock/planlock/plan"
)

// A world is a workspace on a disk, and what somebody outside of it saw.
type world struct {
	plot
	dir    string // the workspace
	locked *plan.Locked
	disk   *disk.Disk
	desk   *disk.Disk         // for steps; nil: the same
	rec    *powercut.Recorder // nil: nobody notes what is done
	story  *story             // what must come out; nil while it is found out
	brief  bool               // one more step is enough

	mu        sync.Mutex
	journals  map[string]*chronicle // by run
	completed map[plan.Address]bool
	seen      map[plan.Address]string
	problems  []string
}

// enter makes a world around a folder.
func (w *world) enter(dir string) *world {
	return &world{plot: w.plot, dir: dir, locked: w.locked, story: w.story, completed: map[plan.Address]bool{}, journals: map[string]*chronicle{}}
}

// A story is what a run that nobody disturbs comes to.
type story struct {
	before map[plan.Address]string // the workspace before each step
	end    string                  // and at the end
}

// A chronicle is what was given to a journal.
type chronicle struct {
	records [][]byte // in order, those that were not acknowledged too
	earlier [][]byte // the same, by a controller before
	acks    []ack
}

// An ack says that so many records were acknowledged by a moment.
type ack struct{ moment, records int }

func (w *world) complain(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}

// drive carries the run on until it is over, as a person would who knows nothing
// but what planlock says.
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
			_, err = w.controller(nil).Rollback(ctx, run.Started.Run, w.backTo)
		default:
			err = w.carry(ctx, func(ctx context.Context, c *exec.Controller) error {
				_, err := c.Resume(ctx, w.locked, run.Started.Run)
				return err
			}, !back)
			if err == nil {
				return nil
			}
		}
		if errors.Is(err, errEnough) {
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
	ws := exec.Workspace{Dir: w.dir}
	ids, err := ws.Runs()
	if err != nil {
		return nil, false, err
	}
	for _, id := range slices.Backward(ids) {
		records, err := ws.Records(context.Background(), id)
		if errors.Is(err, exec.ErrNoRun) || err == nil && len(records) == 0 {
			continue // it was cut off before it began
		}
		if err != nil {
			return nil, false, err
		}
		if run, err = history.Fold(records); err != nil {
			return nil, false, err
		}
		for _, r := range records {
			back = back || r.Type == "rolled-back"
		}
		w.mu.Lock()
		w.completed = map[plan.Address]bool{}
		for _, s := range run.Steps {
			w.completed[s.Address] = s.Status == history.Completed
		}
		w.mu.Unlock()
		return run, back, nil
	}
	return nil, false, nil
}

func done(run *history.Run, step plan.Address) bool {
	s := run.Step(step)
	return s != nil && s.Status == history.Completed
}

// carry calls the controller; with stops, until a step is done at which somebody
// interrupts it.
func (w *world) carry(ctx context.Context, call func(context.Context, *exec.Controller) error, stops bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	return call(ctx, w.controller(func(ev exec.Event) {
		w.mu.Lock()
		w.completed[ev.Step] = ev.History.Status == history.Completed
		w.mu.Unlock()
		if stops && ev.Step == w.stopAfter {
			cancel(errStop)
		}
		if w.brief {
			cancel(errEnough)
		}
	}))
}

func (w *world) controller(stepDone func(exec.Event)) *exec.Controller {
	return &exec.Controller{
		Dir: w.dir, Executors: map[string]exec.Executor{"script": exec.Func(w.execute)}, Executor: exec.Func(w.execute),
		Isolate: w.isolate, NoSandbox: true, Mode: plan.Silent, OpenLog: w.openLog, Observer: exec.Observer{StepDone: stepDone},
	}
}

// execute watches what is asked of the executor.
func (w *world) execute(ctx context.Context, job exec.Work) (exec.Outcome, error) {
	now, err := look(job.Dir)
	if err != nil {
		return exec.Outcome{}, err
	}
	at := job.Step.Address
	w.mu.Lock()
	repeated := w.completed[at]
	if w.seen != nil {
		w.seen[at] = now
	}
	w.mu.Unlock()
	if repeated {
		w.complain("step %s was completed, and is executed again", at)
	}
	if w.story != nil && now != w.story.before[at] {
		w.complain("before step %s the tree is neither before nor after:\n%s", at, difference(w.story.before[at], now))
	}
	if w.desk != nil {
		ctx = disk.With(ctx, w.desk)
	}
	return work(ctx, job)
}

// openLog opens the journal as the controller would, and watches it.
func (w *world) openLog(ctx context.Context, run string) (checkpoint.Log, error) {
	log, err := checkpoint.OpenFileLogContext(ctx, journal(w.dir, run))
	if err != nil {
		return nil, err
	}
	records, err := replay(log)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.journals[run]
	if c == nil {
		c = &chronicle{}
		w.journals[run] = c
	}
	c.earlier, c.records = c.records, records
	return &watchedLog{log, w, c}, nil
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

// A watchedLog notes what was given to a log, and when it was acknowledged.
type watchedLog struct {
	log checkpoint.Log
	w   *world
	c   *chronicle
}

func (l *watchedLog) Append(ctx context.Context, batch [][]byte) error {
	w := l.w
	w.mu.Lock()
	for _, r := range batch {
		l.c.records = append(l.c.records, bytes.Clone(r))
	}
	n := len(l.c.records)
	w.mu.Unlock()
	err := l.log.Append(ctx, batch)
	if err != nil {
		return err
	}
	a := ack{records: n}
	if w.rec != nil {
		a.moment = w.rec.Now()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	l.c.acks = append(l.c.acks, a)
	return nil
}

func (l *watchedLog) Replay(ctx context.Context) iter.Seq2[[]byte, error] { return l.log.Replay(ctx) }
func (l *watchedLog) Close() error                                        { return l.log.Close() }

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
func survivors(dir, run string) ([][]byte, error) {
	log, err := checkpoint.ReadFileLog(journal(dir, run))
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
