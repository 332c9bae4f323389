package exec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"sync/atomic"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/engine"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/recorder"
	"github.com/planlock/planlock/exec/worktree"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
	"github.com/planlock/planlock/plan"
)

// An execution is a run that a controller holds in its hands. What is known of
// the run is in run, folded from the journal, and nowhere else; the remaining
// fields are the means.
type execution struct {
	c      *Controller
	locked *plan.Locked
	plan   *plan.Plan
	files  []plan.Source
	rec    *recorder.Recorder
	chosen string // the preset that the host wants, "" if it leaves it to the plan

	work     *worktree.Worktree
	held     *checkpoint.Held
	shut     func() error  // closes the store
	probed   chan struct{} // closed once the sandbox was tried out; nil: nobody does
	prober   *envelope.Prober
	isolated string // see isolation
	panel    panel.Panel
	contract *contract.Contract
	shown    *contract.Contract // a copy for executors
	judging  *contract.Contract // a copy for gates
	decides  *engine.Decider
	needed   []string // executors that the plan names

	observed bool // somebody is told what happens

	earlier  map[ledger.Digest]*made // what earlier runs made of their inputs; nil until somebody wants to know
	panicked atomic.Bool             // an observer did, and that was told
}

// execution is a run of a plan that nobody has in hand yet.
func (c *Controller) execution(p *plan.Plan, files []plan.Source) *execution {
	e := &execution{c: c, plan: p, files: files}
	e.rec = &recorder.Recorder{Run: &history.Run{}, Seen: &contract.Seen{}, Log: c.logger(), Undone: e.restoreAccepted}
	e.work = &worktree.Worktree{Rec: e.rec, OwnBlobs: c.Blobs == nil, RunDir: e.runDir, Warn: e.warn}
	return e
}

// runDir is the folder of a run's own files.
func (e *execution) runDir(run string) string { return e.workspace().RunDir(run) }

// workspace is the workspace of the run, seen from outside.
func (e *execution) workspace() Workspace {
	ws := e.c.workspace()
	ws.Dir = e.work.Root
	return ws
}

// restoreAccepted restores the tree of the run, as its history has it.
func (e *execution) restoreAccepted(ctx context.Context) error {
	_, err := e.work.Restore(ctx, e.work.Dir, e.rec.Run.Tree)
	return err
}

// open takes hold of the workspace and readies the means.
func (c *Controller) open(ctx context.Context, locked *plan.Locked) (*execution, error) {
	own := *c // the host may do with its controller what it likes
	c = &own
	e := c.execution(nil, nil)
	e.locked = locked
	if locked == nil {
		return e, &RefusedError{Reasons: []string{"the plan is not locked"}, Hint: "make one with plan.Lock"}
	}
	e.plan, e.files = locked.Plan(), locked.Files()
	e.chosen = c.Preset
	c.Preset, c.Evidence = c.presetFor(e.plan), c.evidenceFor(e.plan)
	if err := e.seat(); err != nil {
		return e, err
	}
	if err := c.validate(e.plan); err != nil {
		return e, err
	}
	e.tryOut()
	if err := e.occupy(ctx); err != nil {
		e.close()
		return e, err
	}
	e.equip()
	return e, nil
}

// occupy takes hold of the workspace, and opens its store.
func (e *execution) occupy(ctx context.Context) (err error) {
	if e.held, err = checkpoint.HoldWorkspace(ctx, e.work.Root); err != nil {
		return err
	}
	ws := e.c.workspace()
	ws.Dir = e.work.Root
	e.rec.Store, e.shut, err = ws.storeOf(ctx)
	return err
}

// equip readies what follows from the plan alone.
func (e *execution) equip() {
	e.contract, e.needed = contract.Of(e.plan), needed(e.plan)
	// What a host's code gets to see, it could change; the contract is not
	// among it.
	e.shown, e.judging = e.contract, e.contract
	if e.locked != nil {
		e.shown, e.judging = contract.Of(e.locked.Plan()), contract.Of(e.locked.Plan())
	}
	e.panel = e.c.panel()
	e.observed = !reflect.ValueOf(e.c.Observer).IsZero()
	e.prober = &envelope.Prober{}
	e.work.Scanner = scan.Scanner{Scope: e.scope()}
}

// tryOut has the machine's sandbox tried out while stores, journals and trees
// are read: what the envelope says of it takes some processes to find out, once
// for each life of this one.
func (e *execution) tryOut() {
	box, _, err := e.sandbox()
	if err != nil || box.Level == process.None {
		return
	}
	e.probed = make(chan struct{})
	go func() {
		defer close(e.probed)
		_, _ = process.Reach(box) // whoever needs it asks again
	}()
}

// seat finds the workspace.
func (e *execution) seat() error {
	dir := e.c.Dir
	if dir == "" {
		dir = "."
	}
	root, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("exec: workspace %q: %w", dir, err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return fmt.Errorf("exec: workspace %q: %w", dir, err)
	}
	info, err := os.Stat(root)
	if err != nil {
		return fmt.Errorf("exec: workspace %q: %w", dir, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("exec: workspace %q is not a folder: %w", dir, fs.ErrInvalid)
	}
	e.work.Root, e.work.Dir = root, root
	return nil
}

// close lets go of everything.
func (e *execution) close() {
	if e.probed != nil {
		<-e.probed
	}
	if e.rec.Journal != nil {
		if err := e.rec.Journal.Close(); err != nil {
			e.rec.Log.Warn("closing the journal", "err", err)
		}
		e.rec.Journal = nil
	}
	if e.shut != nil {
		if err := e.shut(); err != nil {
			e.rec.Log.Warn("closing the store", "err", err)
		}
		e.shut = nil
	}
	if e.held != nil {
		if err := e.held.Release(); err != nil {
			e.rec.Log.Warn("letting go of the workspace", "err", err)
		}
		e.held = nil
	}
}

// over ends the work on a run with an error, or nil.
func (e *execution) over(ctx context.Context, err error) (*Report, error) {
	if failed := e.rec.Await(ctx); failed != nil {
		err = errors.Join(err, failed)
	}
	return e.report(), err
}

// report is what is known now.
func (e *execution) report() *Report { return &Report{Run: e.rec.Run, Plan: e.plan} }

// decider decides what comes next, under the policy of the run.
func (e *execution) decider() *engine.Decider {
	if e.decides == nil {
		e.decides = engine.New(e.contract, e.policy())
		e.decides.Guards = append(e.decides.Guards, e.c.Guards...)
	}
	return e.decides
}

// scope is what the plan says of the tree, and the controller's own files in
// it.
func (e *execution) scope() ledger.Scope {
	scope := e.plan.Scope
	own := func(path string) {
		abs, err := filepath.Abs(path)
		if err != nil {
			return
		}
		if real, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
			abs = filepath.Join(real, filepath.Base(abs))
		}
		if rel, err := filepath.Rel(e.work.Root, abs); err == nil && filepath.IsLocal(rel) {
			scope.Own = append(scope.Own, filepath.ToSlash(rel))
		}
	}
	for _, f := range e.files {
		own(f.Path)
	}
	if e.c.LockFile != "" {
		own(e.c.LockFile)
	}
	if out, ok := requestedLog(e.plan); ok {
		own(filepath.Join(e.work.Root, filepath.FromSlash(out)))
	}
	return scope
}

// keepPlan keeps the plan's meaning beside the trees, so that views can be
// drawn when its file is gone.
func (e *execution) keepPlan(ctx context.Context) (ledger.Digest, error) {
	text, err := json.Marshal(e.plan)
	if err != nil {
		return "", fmt.Errorf("exec: plan: %w", err)
	}
	return e.rec.Store.Put(ctx, text)
}

// Plan reads back the plan that a run carries out.
func (w Workspace) Plan(ctx context.Context, run *history.Run) (*plan.Plan, error) {
	store, shut, err := w.storeOf(ctx)
	if err != nil {
		return nil, err
	}
	defer shut() // only read
	text, err := store.Get(ctx, run.Started.PlanBlob)
	if err != nil {
		return nil, fmt.Errorf("exec: the plan of run %s: %w", run.Started.Run, err)
	}
	p := &plan.Plan{}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("exec: the plan of run %s: %w", run.Started.Run, err)
	}
	if got := p.Digest(); got != run.Started.Plan {
		return nil, &plan.LockError{What: "plan", Want: run.Started.Plan, Got: got}
	}
	return p, nil
}

// notify calls one function of the observer. One that panics costs the host
// that call; the run goes on.
func (e *execution) notify(f func(Event), ev Event) {
	if f == nil {
		return
	}
	ev.Run, ev.State, ev.Time = e.rec.Run.Started.Run, e.rec.Run, e.rec.Run.Latest
	if ev.History != nil {
		ev.Step = ev.History.Address
	}
	defer func() {
		if p := recover(); p != nil && e.panicked.CompareAndSwap(false, true) {
			e.rec.Log.Error("an observer panicked: the run goes on, and further panics are not told", "run", ev.Run, "step", ev.Step,
				"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	f(ev)
}

// interrupted reports whether the run is to stop because the host wants it to.
func interrupted(ctx context.Context) bool { return ctx.Err() != nil }

// isMissing reports whether err says that something does not exist.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
