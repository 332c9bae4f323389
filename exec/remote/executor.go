package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
	"github.com/planlock/planlock/plan"
)

// mostLost is how often a job is given away whose workers were lost.
const mostLost = 5

// An Executor gives attempts away to workers. It must not be copied once it is
// used, and may be used by many runs at a time.
type Executor struct {
	// Jobs are where attempts go.
	Jobs Queue
	// Blobs have the trees: those of the controller, which all workers share. A
	// checkpoint.Collector may free what is in no journal, and used no more.
	Blobs checkpoint.Blobs
	// As is who carries steps out, here and on workers: its name and its identity
	// are those of the executor. Here it carries out what cannot be undone.
	As exec.Executor
	// NoSandbox has workers run commands at level none, as exec.Controller does.
	NoSandbox bool
	// Tell, if it is set, is told which worker carried an attempt out, and which
	// was lost.
	Tell func(text string)

	mu     sync.Mutex
	store  *checkpoint.Store // on Blobs
	since  time.Time         // when it was made
	latest map[string]latest // of each run
}

// latest is the last tree of a run that went to a worker or came from one, whose Host
// is by.
type latest struct {
	record.Snapshot
	by   string
	of   *checkpoint.Store // that knows it
	seen *ledger.Tree      // as the folder was last scanned, so that the next scan reads what moved
}

// contents are the trees, and the last one of a run, to which the next one is kept as
// a difference. No journal refers to them: so all are kept anew, each as a whole,
// after some hours, and where anew says so.
func (x *Executor) contents(run string, anew bool) (*checkpoint.Store, latest) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if anew || x.store == nil || !checkpoint.Lately(x.since) {
		x.store, x.since, x.latest = checkpoint.NewStore(x.Blobs), time.Now(), map[string]latest{}
		x.store.Recent = 16 // there are lanes, each with trees of its own
	}
	return x.store, x.latest[run]
}

// knows notes the last tree of a run. Where there are many runs, all of their trees are
// kept as a whole once more.
func (x *Executor) knows(run string, last latest) {
	const many = 64
	x.mu.Lock()
	defer x.mu.Unlock()
	if last.of != x.store {
		return
	}
	if _, ok := x.latest[run]; !ok && len(x.latest) >= many {
		x.latest = map[string]latest{}
	}
	x.latest[run] = last
}

// seen is the last scan of a folder of a run; nil where nobody knows.
func (x *Executor) seen(run string) *ledger.Tree {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.latest[run].seen
}

// Name is that of who carries steps out.
func (x *Executor) Name() string {
	if n, ok := x.As.(exec.Named); ok {
		return n.Name()
	}
	return ""
}

// Version is that of who carries steps out, so that an envelope is the same
// wherever that is.
func (x *Executor) Version(ctx context.Context) (string, error) {
	if v, ok := x.As.(exec.Versioned); ok {
		return v.Version(ctx)
	}
	return "", nil
}

// Identity is that of who carries steps out.
func (x *Executor) Identity(ctx context.Context) (string, error) { return identity(ctx, x.As) }

func identity(ctx context.Context, x exec.Executor) (string, error) {
	if i, ok := x.(gate.Identified); ok {
		return i.Identity(ctx)
	}
	return "", nil
}

// Needs are those of who carries steps out.
func (x *Executor) Needs(ctx context.Context) (exec.Needs, error) {
	if n, ok := x.As.(exec.Needing); ok {
		return n.Needs(ctx)
	}
	return exec.Needs{}, nil
}

// Away reports whether a step is given away: what cannot be undone is not.
func (x *Executor) Away(s *plan.Step) bool { return s.Rollback != plan.Irreversible }

// Execute gives the attempt away, waits for what comes of it, and puts that into
// w.Dir, or has the controller do so. A worker that is lost costs no attempt: another
// one takes its place.
func (x *Executor) Execute(ctx context.Context, w exec.Work) (exec.Outcome, error) {
	if !x.Away(w.Step) {
		return x.As.Execute(ctx, w)
	}
	before, err := scanOf(ctx, w.Dir, x.seen(w.RunID))
	if err != nil {
		return exec.Outcome{}, err
	}
	store, job, err := x.job(ctx, w, before, false)
	if err != nil {
		return exec.Outcome{}, err
	}
	for again := 0; ; again++ {
		job.Key = key(w, again)
		if w.Activity != nil {
			w.Activity("waits for a worker")
		}
		result, err := x.give(ctx, job)
		if errors.Is(err, ErrLost) && again < mostLost {
			x.tell(fmt.Sprintf("step %s: its worker is gone, and it is given to another", w.Step.Address))
			continue
		}
		if err == nil && result.Broken != "" && again < mostLost {
			x.tell(fmt.Sprintf("step %s: worker %s could not carry it out, and it is given to another: %s", w.Step.Address, result.Host,
				result.Broken))
			if err = rest(ctx, again); err == nil { // it may have waited until its contents were freed
				store, job, err = x.job(ctx, w, before, true)
			}
			if err != nil {
				return exec.Outcome{}, err
			}
			continue
		}
		if err != nil {
			return exec.Outcome{}, err
		}
		x.tell(fmt.Sprintf("step %s was carried out by %s", w.Step.Address, result.Host))
		return x.take(ctx, store, w, before, result)
	}
}

func (x *Executor) tell(text string) {
	if x.Tell != nil {
		x.Tell(text)
	}
}

// job keeps what a worker needs, of which nothing is believed to be kept already
// where it is to be kept anew.
func (x *Executor) job(ctx context.Context, w exec.Work, before *ledger.Tree, anew bool) (*checkpoint.Store, Job, error) {
	store, last := x.contents(w.RunID, anew)
	job := Job{Run: w.RunID, Step: w.Step.Address, Attempt: w.Attempt, Executor: x.Name()}
	var err error
	if job.Identity, err = identity(ctx, x.As); err != nil {
		return nil, job, err
	}
	if job.Base, err = store.Snapshot(ctx, w.Dir, before, last.Snapshot); err != nil {
		return nil, job, fmt.Errorf("remote: the tree that step %s begins with cannot be kept: %w", w.Step.Address, err)
	}
	if job.Base.Tree == last.Tree {
		job.Made = last.by
	}
	asked := requestOf(w)
	asked.NoSandbox = x.NoSandbox
	text, err := json.Marshal(asked)
	if err != nil {
		return nil, job, fmt.Errorf("remote: step %s cannot be given away: %w", w.Step.Address, err)
	}
	if job.Request, err = store.Put(ctx, text); err != nil {
		return nil, job, err
	}
	x.knows(w.RunID, latest{job.Base, job.Made, store, before})
	return store, job, nil
}

// give gives a job away and waits for its result. Where nobody waits any more,
// nobody is to carry it out.
func (x *Executor) give(ctx context.Context, job Job) (Result, error) {
	if err := x.Jobs.Submit(ctx, job); err != nil {
		return Result{}, fmt.Errorf("remote: step %s cannot be given away: %w", job.Step, err)
	}
	result, err := x.Jobs.Result(ctx, job.Key)
	if err == nil {
		return result, nil
	}
	again, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if failed := x.Jobs.Cancel(again, job.Key); failed != nil && !errors.Is(err, ErrLost) {
		err = errors.Join(err, failed)
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return Result{}, err
}

// rest waits a while, the longer the more often something went wrong: the worker
// that is broken may be the first to ask again.
func rest(ctx context.Context, again int) error {
	timer := time.NewTimer(100 * time.Millisecond << again)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// patience is how long it may take to call a job back.
const patience = 10 * time.Second

// take puts what a worker made into the folder of the attempt, and says what it
// said.
func (x *Executor) take(ctx context.Context, store *checkpoint.Store, w exec.Work, before *ledger.Tree,
	r Result) (exec.Outcome, error) {
	if r.Broken != "" {
		return exec.Outcome{}, fmt.Errorf("remote: worker %s could not carry it out: %s", r.Host, r.Broken)
	}
	text, err := store.Get(ctx, r.Said)
	var what Said
	if err == nil {
		err = json.Unmarshal(text, &what)
	}
	if err != nil {
		return exec.Outcome{}, fmt.Errorf("remote: what worker %s said: %w", r.Host, err)
	}
	if r.Tree.Tree != "" {
		made, err := store.Tree(ctx, r.Tree)
		if err == nil {
			err = unreserved(before, made)
		}
		switch {
		case err != nil:
		case w.Became != nil:
			w.Became(before, made)
		default:
			err = store.Restore(ctx, w.Dir, made, before)
		}
		if err != nil {
			return exec.Outcome{}, fmt.Errorf("remote: what worker %s made: %w", r.Host, err)
		}
		x.knows(w.RunID, latest{r.Tree, r.Host, store, before})
	}
	if w.Output != nil {
		if _, err := w.Output.Write(what.Printed); err != nil {
			return exec.Outcome{}, err
		}
	}
	return what.Outcome, what.err()
}

// unreserved makes sure that what a worker says it made has nothing where git or a
// controller keeps its own, which no scan finds: it would be in no account.
func unreserved(before, made *ledger.Tree) error {
	for _, c := range ledger.Diff(before, made) {
		if top, _, _ := strings.Cut(c.Path, "/"); ledger.Reserved(top) {
			return fmt.Errorf("it has %q, and no step changes what is in %s: look who answers as that worker", c.Path, top)
		}
	}
	return nil
}

// scanOf reads all of a folder of an attempt, but for what is the controller's.
func scanOf(ctx context.Context, dir string, last *ledger.Tree) (*ledger.Tree, error) {
	s := &scan.Scanner{Tolerant: true}
	tree, err := s.Scan(ctx, dir, last)
	if err != nil {
		return nil, fmt.Errorf("remote: %w", err)
	}
	return tree, nil
}
