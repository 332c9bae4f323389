package remote

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/cache"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/ledger"
)

// A Worker carries out jobs. Executors, Jobs and Blobs are needed.
type Worker struct {
	// Jobs are where it takes them from.
	Jobs Source
	// Blobs have the trees: those that the owners of runs have.
	Blobs checkpoint.Blobs
	// Executors carry jobs out; a job whose executor is not among them, or is
	// another one, is left to other workers.
	Executors exec.Executors
	// Dir is where it works: a folder of its own, made where it is missing; one that
	// another worker has is refused. "" is a temporary one, which is removed in the
	// end. The tree of the last job stays there, so that the next one costs only what
	// differs.
	Dir string
	// Cache is how many bytes of contents it keeps in Dir besides the trees, so that
	// they are read from Blobs once; 0 is [DefaultCache], and less than that none.
	Cache int64
	// At is how many jobs it carries out at a time; 0: one.
	At int
	// Host is what it is called; "": the name of the machine and its process.
	Host string
	// Shell and Secrets are as in exec.Means.
	Shell   []string
	Secrets []string
	// Log gets what is of interest to whoever looks after workers; nil discards it.
	Log *slog.Logger
}

// DefaultCache is how many bytes of contents a worker keeps where nobody says.
const DefaultCache = 1_000_000_000

// Run carries out jobs until ctx ends, and returns once all of them have ended.
// Its error is nil then; any other says that it cannot work: its folder cannot be
// made or is another worker's, or jobs cannot be taken.
func (w *Worker) Run(ctx context.Context) (err error) {
	dir := w.Dir
	if dir == "" {
		temp, err := os.MkdirTemp("", "planlock-worker-")
		if err != nil {
			return fmt.Errorf("remote: %w", err)
		}
		defer os.RemoveAll(temp) // as far as the system lets it
		dir = temp
	}
	if dir, err = filepath.Abs(dir); err != nil { // commands run in it
		return fmt.Errorf("remote: %w", err)
	}
	kept, err := cache.Open(filepath.Join(dir, "cache"), cmp.Or(w.Cache, DefaultCache), w.Blobs)
	if err != nil {
		return fmt.Errorf("remote: %w", err)
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	own := &folders{dir: dir, of: map[string]*ofRun{}}
	defer func() { err = errors.Join(err, own.close()) }()
	var (
		wait sync.WaitGroup
		errs = make([]error, max(w.At, 1))
	)
	lanes := make([]*lane, len(errs))
	for i := range lanes {
		lanes[i] = &lane{Worker: w, dir: filepath.Join(dir, fmt.Sprint("lane-", i+1)), kept: kept,
			store: checkpoint.NewStore(kept), folders: own, beside: lanes}
	}
	for i, l := range lanes {
		wait.Go(func() { errs[i] = l.run(ctx) })
	}
	wait.Wait()
	return errors.Join(errs...)
}

// A lane carries out one job after another in a folder.
type lane struct {
	*Worker
	dir     string
	kept    *cache.Blobs
	store   *checkpoint.Store // on kept
	folders *folders
	holds   *ledger.Tree // what the folder holds since the last job; nil: nobody knows

	beside []*lane // those of the worker, this one too
	had    atomic.Pointer[had]
}

// run carries out jobs until ctx ends. A lane that cannot, because its disk is full
// or the like, rests the longer the more jobs in a row it could not carry out: it is
// idle, and would have each job before those that are at work.
func (w *lane) run(ctx context.Context) error {
	if err := w.own(); err != nil {
		return err
	}
	for broken := 0; ; {
		lease, err := w.Jobs.Take(ctx, func(j Job) Fit { return w.fit(ctx, j) })
		if ctx.Err() != nil {
			if err == nil { // it came at the last moment
				w.giveBack(ctx, lease)
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("remote: jobs cannot be taken: %w", err)
		}
		if w.work(ctx, lease) {
			broken = 0
			continue
		}
		broken++
		_ = rest(ctx, min(broken, 8)) // the end of ctx is seen above
	}
}

// giveBack gives a job back that was not begun.
func (w *Worker) giveBack(ctx context.Context, lease Lease) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := lease.Return(ctx); err != nil && w.Log != nil {
		w.Log.Warn("it cannot be given back", "job", lease.Job().Key, "err", err)
	}
}

// fit is how well a job fits this worker. What one of its lanes has all others can
// have from the cache.
func (w *lane) fit(ctx context.Context, j Job) Fit {
	x := w.executor(j.Executor)
	if x == nil {
		return Unfit
	}
	if mine, err := identity(ctx, x); err != nil || mine != j.Identity {
		return Unfit
	}
	best := Able
	for _, l := range w.beside {
		switch had := l.had.Load(); {
		case had == nil:
		case had.base == j.Base.Tree, had.tree == j.Base.Tree:
			return HasTree
		case had.run == j.Run:
			best = KnowsRun
		}
	}
	return best
}

// had is what a lane did last: in which run, from which tree, and to which. An
// attempt that follows a failed one begins where that did, and finds there what
// that left in the caches of the run.
type had struct {
	run        string
	base, tree ledger.Digest
}

func (w *Worker) executor(name string) exec.Executor {
	if x := w.Executors[name]; x != nil {
		return x
	}
	x := w.Executors[""]
	if n, ok := x.(exec.Named); ok && n.Name() == name || name == "" {
		return x
	}
	return nil
}

// work carries a job out, and gives back what came of it. A worker that is told
// to end gives back the job. It reports whether the job could be carried out.
func (w *lane) work(ctx context.Context, lease Lease) bool {
	log, job := cmp.Or(w.Log, slog.New(slog.DiscardHandler)), lease.Job()
	log = log.With("job", job.Key)
	doing, end := context.WithCancelCause(lease.Context())
	stop := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
	defer stop()
	defer end(nil)
	log.Info("begun")
	result := w.result(doing, job)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	var err error
	switch {
	case lease.Context().Err() != nil:
		log.Info("ended", "why", context.Cause(lease.Context()))
		return true
	case ctx.Err() != nil:
		err = lease.Return(last)
	default:
		err = lease.Done(last, result)
	}
	if err != nil {
		log.Warn("what came of it cannot be given back", "err", err)
		return true
	}
	log.Info("done", "broken", result.Broken)
	return result.Broken == ""
}

// host is what the worker is called.
func (w *Worker) host() string {
	if w.Host != "" {
		return w.Host
	}
	name, err := os.Hostname()
	if err != nil {
		name = "somewhere"
	}
	return fmt.Sprintf("%s/%d", name, os.Getpid())
}

// result is what came of a job.
func (w *lane) result(ctx context.Context, job Job) Result {
	r := Result{Key: job.Key, Host: w.host()}
	if err := w.carryOut(ctx, job, &r); err != nil {
		r.Broken = err.Error()
	}
	return r
}

// carryOut carries a job out. An error says that it could not be; one that the
// executor returned is none.
func (w *lane) carryOut(ctx context.Context, job Job, r *Result) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the executor panicked: %v", p)
		}
	}()
	defer w.kept.Hold()()
	text, err := w.store.Get(ctx, job.Request)
	if err != nil {
		return err
	}
	var asked Request
	if err := json.Unmarshal(text, &asked); err != nil {
		return fmt.Errorf("its request cannot be read: %w", err)
	}
	last, err := w.place(ctx, job.Base)
	if err != nil {
		return err
	}
	if asked.Step == nil || asked.Task == nil {
		return errors.New("its request names no step")
	}
	work := asked.work(job)
	own, back, err := w.folders.lend(ctx, job.Run)
	if err != nil {
		return err
	}
	defer back()
	home, err := own.Home(ctx, job.Executor)
	if err != nil {
		return err
	}
	run, err := w.runner(&asked, own, home)
	if err != nil {
		return err
	}
	var printed lockedBuffer
	work.Dir, work.Home, work.Runner, work.Output = w.dir, home, run, &printed
	work.Activity, work.Spent = func(string) {}, func(exec.Usage) {}
	outcome, failed := w.executor(job.Executor).Execute(ctx, work)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	what := Said{Outcome: outcome, Printed: printed.Bytes()}
	if failed != nil {
		what.Error = failed.Error()
		what.Kind, what.Until = kindOf(failed)
	}
	made, err := scanOf(ctx, w.dir, last)
	if err == nil {
		r.Tree, err = w.store.Snapshot(ctx, w.dir, made, job.Base)
	}
	if err != nil {
		return fmt.Errorf("what it made cannot be kept: %w", err)
	}
	w.holds = made
	w.had.Store(&had{job.Run, job.Base.Tree, r.Tree.Tree})
	if text, err = json.Marshal(what); err == nil {
		r.Said, err = w.store.Put(ctx, text)
	}
	return err
}

// place has the folder hold a tree, and writes only what differs from what it had,
// which it returns: a scan from there reads no more than what was written since.
func (w *lane) place(ctx context.Context, base record.Snapshot) (*ledger.Tree, error) {
	want, err := w.store.Tree(ctx, base)
	if err != nil {
		return nil, fmt.Errorf("the tree that it begins with: %w", err)
	}
	last := w.holds
	w.holds = nil
	if err := w.own(); err != nil {
		return nil, err
	}
	have, err := scanOf(ctx, w.dir, last)
	if err != nil {
		return nil, err
	}
	w.kept.Fetch(ctx, missing(have, want))
	if err := w.store.Restore(ctx, w.dir, want, have); err != nil {
		return nil, fmt.Errorf("the tree that it begins with: %w", err)
	}
	return have, nil
}

// own has the folder be there, a folder, and without what no tree has that the step of
// an earlier job left: a repository, whose hooks the next one would run.
func (w *lane) own() error {
	info, err := os.Lstat(w.dir)
	if err == nil && !info.IsDir() {
		return fmt.Errorf("remote: %s is no folder, and nobody works behind a link: take it away, and it is made anew", w.dir)
	}
	err = os.MkdirAll(w.dir, 0o755) // somebody may have taken it away
	for _, name := range []string{".git", ".planlock"} {
		err = errors.Join(err, os.RemoveAll(filepath.Join(w.dir, name)))
	}
	if err != nil {
		return fmt.Errorf("remote: %w", err)
	}
	return nil
}

// missing are the contents that a folder has not, where it is to hold a tree.
func missing(have, want *ledger.Tree) (digests []ledger.Digest) {
	for _, c := range ledger.Touched(have, want) {
		if e := c.After; e != nil && e.Kind == ledger.File && (c.Before == nil || c.Before.Digest != e.Digest) {
			digests = append(digests, e.Digest)
		}
	}
	return digests
}

// A lockedBuffer takes what executors print, from several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

// Write adds to it.
func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}
