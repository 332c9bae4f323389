package home

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/oklog/ulid/v2"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/checkpoint/folder"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// Own is the folder in a workspace that belongs to the controller.
const Own = ".planlock"

// CloneName is the folder of a run's own in which its steps work.
const CloneName = "clone"

// Names of folders of a run's own beside it.
const (
	LanesName   = "lanes"   // clones for steps that are carried out at once
	LayersName  = "layers"  // for what commands write: those that are merged with the clone, or dropped
	AttemptName = "attempt" // the one of an attempt that works alone
)

// A Home is a folder in which plans run, as its runs and what they kept lie
// there. The zero value is the current folder. The fields are those of
// exec.Workspace.
type Home struct {
	Dir   string
	Blobs checkpoint.Blobs
	Runs  checkpoint.Runs
}

// ErrNoRun says that there is no such run.
var ErrNoRun = errors.New("exec: no such run")

// NotBegun says that a run has no record.
func NotBegun(run string) error {
	return fmt.Errorf("%w: run %s has not begun", ErrNoRun, run)
}

// folder is the workspace as it was named.
func (h Home) folder() string {
	if h.Dir == "" {
		return "."
	}
	return h.Dir
}

// Root is the folder itself, by its own name.
func (h Home) Root() (string, error) {
	root, err := filepath.Abs(h.folder())
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	var info fs.FileInfo
	if err == nil {
		info, err = os.Stat(root)
	}
	if err == nil && !info.IsDir() {
		return "", fmt.Errorf("exec: workspace %q is not a folder: %w", h.folder(), fs.ErrInvalid)
	}
	if err != nil {
		return "", fmt.Errorf("exec: workspace %q: %w", h.folder(), err)
	}
	return root, nil
}

// Path is the name of something in the controller's folder.
func (h Home) Path(elem ...string) string {
	return filepath.Join(append([]string{h.folder(), Own}, elem...)...)
}

// RunDir is the folder of a run, below the controller's own.
func (h Home) RunDir(run string) string { return h.Path("runs", run) }

// ViewDir is the folder of a run's views.
func (h Home) ViewDir(run string) string { return h.Path("runs", run, "views") }

// IDs lists the ids of all runs, oldest first.
func (h Home) IDs(ctx context.Context) (ids []string, err error) {
	for l, err := range h.List(ctx, checkpoint.Which{}) {
		if err != nil {
			return nil, err
		}
		ids = append(ids, l.Run)
	}
	slices.Reverse(ids)
	return ids, nil
}

// LastRun is the id of the latest run, zero if there is none.
func (h Home) LastRun(ctx context.Context) (id ulid.ULID, err error) {
	for l, err := range h.List(ctx, checkpoint.Which{Latest: 1}) {
		if err != nil {
			return id, err
		}
		return ulid.ParseStrict(l.Run)
	}
	return id, nil
}

// Begun reports whether a run was not cut off before its first record. One
// whose records are gone has begun: whoever reads it says what is wrong.
func (h Home) Begun(ctx context.Context, l checkpoint.Listed) bool {
	if l.State != "" {
		return true // a record was durable
	}
	log, err := h.readLog(ctx, l.Run)
	if errors.Is(err, ErrNoRun) {
		_, err := os.Lstat(h.ViewDir(l.Run))
		return !errors.Is(err, fs.ErrNotExist)
	}
	if err != nil {
		return true
	}
	defer log.Close()
	for _, err := range log.Replay(ctx) {
		return err == nil || ctx.Err() == nil
	}
	return false
}

// Store opens where contents and trees are kept. The caller calls close when
// done with it.
func (h Home) Store(ctx context.Context) (store *checkpoint.Store, close func() error, err error) {
	if h.Blobs != nil {
		return checkpoint.NewStore(careful{h.Blobs}), func() error { return nil }, nil
	}
	blobs, err := folder.Open(ctx, h.Path("objects"))
	if err != nil {
		return nil, nil, err
	}
	return checkpoint.NewStore(blobs), blobs.Close, nil
}

// Store is the name of the file in the controller's folder that says where the
// workspace keeps its runs, if not there. Whoever can read it finds them.
const Store = "store"

// Elsewhere reports whether contents or journals are not in their default
// folders, so that only who knows where finds them.
func (h Home) Elsewhere() bool {
	if _, err := os.Stat(h.Path(Store)); err == nil {
		return false
	}
	files, are := h.Runs.(filelog.Runs)
	return h.Blobs != nil || h.Runs != nil && !(are && same(files.Dir, h.Path("runs")))
}

// same reports whether two names are of one folder, which is there.
func same(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// Each reads a run's journal record by record, verifies it, and has do look at
// each: no journal is in memory as a whole.
func (h Home) Each(ctx context.Context, run string, do func(record.Record) error) error {
	_, err := h.Entire(ctx, run, do)
	return err
}

// Entire is Each, and says how many bytes follow the last record, where the log
// can tell; see [filelog.Log.Rest].
func (h Home) Entire(ctx context.Context, run string, do func(record.Record) error) (rest int64, err error) {
	log, err := h.readLog(ctx, run)
	if err != nil {
		return 0, err
	}
	defer log.Close()
	if _, err = checkpoint.OpenJournal(ctx, log, run, nil, do); err != nil {
		return 0, err
	}
	if l, ok := log.(interface{ Rest() (int64, error) }); ok {
		return l.Rest()
	}
	return 0, nil
}

// History folds a run's journal. One without a record is ErrNoRun: the run is
// beginning, or was cut off before it began.
func (h Home) History(ctx context.Context, run string) (*history.Run, error) {
	folded := &history.Run{}
	if err := h.Each(ctx, run, folded.Apply); err != nil {
		return nil, err
	}
	if folded.Head.Seq == 0 {
		return nil, NotBegun(run)
	}
	folded.Compact()
	if err := h.After(ctx, folded, nil); err != nil {
		return nil, err
	}
	return folded, nil
}

// Plan reads back the plan that a run carries out.
func (h Home) Plan(ctx context.Context, run *history.Run) (*plan.Plan, error) {
	store, shut, err := h.Store(ctx)
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

// Sources are the files that the plan of a run and its lock were read from,
// where they lie now; lock is "" where the lock belongs to the run alone.
func Sources(run *history.Run, root string) (files []plan.Source, lock string) {
	at := func(path string) string {
		if slices.Contains(run.Started.Own, path) {
			return filepath.Join(root, filepath.FromSlash(path))
		}
		return path
	}
	files = slices.Clone(run.Started.Files)
	for i := range files {
		files[i].Path = at(files[i].Path)
	}
	return files, at(run.Started.LockFile)
}
