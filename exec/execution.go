package exec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/envelope"
	"github.com/planlock/planlock/exec/contract"
	"github.com/planlock/planlock/exec/engine"
	"github.com/planlock/planlock/exec/history"
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
	log    *slog.Logger
	chosen string // the preset that the host wants, "" if it leaves it to the plan

	root     string // the workspace
	dir      string // where the work is done: the workspace, or a clone of it
	held     *checkpoint.Held
	store    *checkpoint.Store
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
	scanner  scan.Scanner

	mu      sync.Mutex // guards journal order: append and apply are one
	journal *checkpoint.Journal
	run     *history.Run
	seen    contract.Seen

	base     *ledger.Tree // before the run
	tree     *ledger.Tree // the tree that we left
	partly   bool         // tree was scanned before a restore, and afterwards only where that wrote
	ours     bool         // whatever the tree holds besides what was accepted, this controller's attempts did
	observed bool         // somebody is told what happens
	syncing  bool         // the completion of a step is written, and not durable yet; see awaitSync
	stamped  *ledger.Tree // whose stamps were kept last; see keepStamps

	earlier  map[ledger.Digest]*made // what earlier runs made of their inputs; nil until somebody wants to know
	unsynced map[string]*writing     // by folder; see makeDurable
	panicked atomic.Bool             // an observer did, and that was told
}

// open takes hold of the workspace and readies the means.
func (c *Controller) open(ctx context.Context, locked *plan.Locked) (*execution, error) {
	own := *c // the host may do with its controller what it likes
	c = &own
	e := &execution{c: c, locked: locked, run: &history.Run{}, log: c.logger()}
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
	if e.held, err = checkpoint.HoldWorkspace(ctx, e.root); err != nil {
		return err
	}
	ws := e.c.workspace()
	ws.Dir = e.root
	e.store, e.shut, err = ws.storeOf(ctx)
	return err
}

// equip readies what follows from the plan alone.
func (e *execution) equip() {
	e.contract, e.needed = contract.Of(e.plan), needed(e.plan)
	// What a host's code gets to see, it could change; the contract is not among it.
	e.shown, e.judging = e.contract, e.contract
	if e.locked != nil {
		e.shown, e.judging = contract.Of(e.locked.Plan()), contract.Of(e.locked.Plan())
	}
	e.panel = e.c.panel()
	e.observed = !reflect.ValueOf(e.c.Observer).IsZero()
	e.prober = &envelope.Prober{}
	e.scanner = scan.Scanner{Scope: e.scope()}
}

// tryOut has the machine's sandbox tried out while stores, journals and trees are read: what the envelope says of it takes some processes to
// find out, once for each life of this one.
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
	e.root, e.dir = root, root
	return nil
}

// close lets go of everything.
func (e *execution) close() {
	if e.probed != nil {
		<-e.probed
	}
	if e.journal != nil {
		if err := e.journal.Close(); err != nil {
			e.log.Warn("closing the journal", "err", err)
		}
		e.journal = nil
	}
	if e.shut != nil {
		if err := e.shut(); err != nil {
			e.log.Warn("closing the store", "err", err)
		}
		e.shut = nil
	}
	if e.held != nil {
		if err := e.held.Release(); err != nil {
			e.log.Warn("letting go of the workspace", "err", err)
		}
		e.held = nil
	}
}

// over ends the work on a run with an error, or nil.
func (e *execution) over(ctx context.Context, err error) (*Report, error) {
	if failed := e.awaitSync(ctx); failed != nil {
		err = errors.Join(err, failed)
	}
	return e.report(), err
}

// report is what is known now.
func (e *execution) report() *Report { return &Report{Run: e.run, Plan: e.plan} }

// record makes facts durable, all or none, and folds them in. A completion that is not durable yet becomes so before them and by
// itself: if they reach the disk although writing them fails, it must not be one that was taken back.
func (e *execution) record(ctx context.Context, w history.Where, facts ...history.Fact) error {
	return e.recordAll(ctx, history.At(w, facts...)...)
}

// recordAll is record for facts that belong to several places.
func (e *execution) recordAll(ctx context.Context, facts ...history.Located) error {
	return e.recordBy(ctx, e.journal.Append, facts...)
}

// recordBy is recordAll in a way to add facts to the journal.
func (e *execution) recordBy(ctx context.Context, do adding, facts ...history.Located) error {
	if err := e.awaitSync(ctx); err != nil {
		return err
	}
	return e.add(ctx, do, facts...)
}

// An adding is a way to add facts to a journal: one of its methods.
type adding func(context.Context, ...record.Fact) ([]record.Record, error)

// add lets do add facts to the journal, and folds them in. What they refer to is kept before them, unless one of them carries it.
func (e *execution) add(ctx context.Context, do adding, facts ...history.Located) error {
	batch, carries, err := encode(facts)
	if err != nil {
		return err
	}
	if !carries {
		if err := e.store.Flush(context.WithoutCancel(ctx)); err != nil {
			return fmt.Errorf("exec: what run %s is to record cannot be kept: %w", e.run.Started.Run, err)
		}
	}
	if err := e.fold(ctx, do, facts, batch); err != nil {
		return err
	}
	if carries {
		e.store.Settle()
	}
	return nil
}

// encode reports too whether one of the facts carries contents.
func encode(facts []history.Located) (batch []record.Fact, carries bool, err error) {
	batch = make([]record.Fact, len(facts))
	for i, l := range facts {
		if batch[i], err = history.Encode(l.Where, l.Fact); err != nil {
			return nil, false, err
		}
		entry, ok := l.Fact.(*history.Accounted)
		carries = carries || ok && entry.Inline != nil
	}
	return batch, carries, nil
}

// fold adds facts in their encoded form, and takes them into the state of the run.
func (e *execution) fold(ctx context.Context, do adding, facts []history.Located, batch []record.Fact) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	records, err := do(context.WithoutCancel(ctx), batch...)
	if err != nil {
		return fmt.Errorf("exec: the journal of run %s cannot be written: %w", e.run.Started.Run, err)
	}
	e.seen.Disturb(contract.Recorded)
	for i, rec := range records {
		if err := e.run.Take(rec, facts[i].Fact); err != nil {
			return err
		}
		if e.logsRecords() {
			e.log.Debug("recorded", "run", e.run.Started.Run, "seq", rec.Seq, "type", rec.Type, "step", rec.Step, "attempt", rec.Attempt)
		}
	}
	return nil
}

// logsRecords reports whether the host's log is told of each record.
func (e *execution) logsRecords() bool { return e.log.Enabled(context.Background(), slog.LevelDebug) }

// decider decides what comes next, under the policy of the run.
func (e *execution) decider() *engine.Decider {
	if e.decides == nil {
		e.decides = engine.New(e.contract, e.policy())
	}
	return e.decides
}

// scan looks at the tree, knowing the one that we left.
func (e *execution) scan(ctx context.Context) (*ledger.Tree, error) {
	return e.scanner.Scan(ctx, e.dir, e.tree)
}

// scope is what the plan says of the tree, and the controller's own files in it.
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
		if rel, err := filepath.Rel(e.root, abs); err == nil && filepath.IsLocal(rel) {
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
		own(filepath.Join(e.root, filepath.FromSlash(out)))
	}
	return scope
}

// keepPlan keeps the plan's meaning beside the trees, so that views can be drawn
// when its file is gone.
func (e *execution) keepPlan(ctx context.Context) (ledger.Digest, error) {
	text, err := json.Marshal(e.plan)
	if err != nil {
		return "", fmt.Errorf("exec: plan: %w", err)
	}
	return e.store.Put(ctx, text)
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

// notify calls one function of the observer. One that panics costs the host that call; the run goes on.
func (e *execution) notify(f func(Event), ev Event) {
	if f == nil {
		return
	}
	ev.Run, ev.State, ev.Time = e.run.Started.Run, e.run, e.run.Latest
	if ev.History != nil {
		ev.Step = ev.History.Address
	}
	defer func() {
		if p := recover(); p != nil && e.panicked.CompareAndSwap(false, true) {
			e.log.Error("an observer panicked: the run goes on, and further panics are not told", "run", ev.Run, "step", ev.Step,
				"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	f(ev)
}

// interrupted reports whether the run is to stop because the host wants it to.
func interrupted(ctx context.Context) bool { return ctx.Err() != nil }

// isMissing reports whether err says that something does not exist.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
