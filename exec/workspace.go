package exec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/checkpoint/folder"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/escalator"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/views"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Own is the folder in a workspace that belongs to the controller.
const Own = ".planlock"

// A Workspace is a folder in which plans run, seen from outside: its runs,
// their journals and what they kept. It needs no lock and changes nothing, so
// it can be used while a controller works. The zero value is the current
// folder.
type Workspace struct {
	Dir string
	// Blobs is where the controller keeps contents; nil for the default folder.
	Blobs checkpoint.Blobs
	// OpenLog opens the log of a run; nil for the default file.
	OpenLog func(ctx context.Context, run string) (checkpoint.Log, error)
	// Witness knows, outside of the workspace, how far the default files
	// reached.
	Witness filelog.Witness
	// Documents are drawn of runs; nil for document.All.
	Documents []document.Document
}

// ErrNoRun says that there is no such run.
var ErrNoRun = errors.New("exec: no such run")

// An AmbiguousError says that a prefix fits several runs.
type AmbiguousError struct {
	Prefix string
	Runs   []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("exec: %q could be any of the runs %s: give more of the id", e.Prefix,
		strings.Join(e.Runs, ", "))
}

func (w Workspace) dir() string {
	if w.Dir == "" {
		return "."
	}
	return w.Dir
}

// root is the folder itself, by its own name.
func (w Workspace) root() (string, error) {
	root, err := filepath.Abs(w.dir())
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	var info fs.FileInfo
	if err == nil {
		info, err = os.Stat(root)
	}
	if err == nil && !info.IsDir() {
		return "", fmt.Errorf("exec: workspace %q is not a folder: %w", w.dir(), fs.ErrInvalid)
	}
	if err != nil {
		return "", fmt.Errorf("exec: workspace %q: %w", w.dir(), err)
	}
	return root, nil
}

func (w Workspace) path(elem ...string) string {
	return filepath.Join(append([]string{w.dir(), Own}, elem...)...)
}

// RunDir is the folder of a run, below the controller's own.
func (w Workspace) RunDir(run string) string { return w.path("runs", run) }

// ViewDir is the folder of a run's views.
func (w Workspace) ViewDir(run string) string { return w.path("runs", run, "views") }

// QuestionDir is where questions wait for answers.
func (w Workspace) QuestionDir() string { return w.path("escalations") }

// Runs lists the ids of all runs, oldest first.
func (w Workspace) Runs() ([]string, error) {
	entries, err := os.ReadDir(w.path("runs"))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(w.dir()); err != nil {
			return nil, fmt.Errorf("exec: workspace: %w", err)
		}
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("exec: runs: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if _, err := ulid.ParseStrict(e.Name()); err == nil && e.IsDir() {
			ids = append(ids, e.Name())
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// Find is the id of the run that prefix names, without regard to case; the
// latest that has begun where prefix is empty. ErrNoRun, *AmbiguousError.
func (w Workspace) Find(prefix string) (string, error) {
	ids, err := w.Runs()
	if err != nil {
		return "", err
	}
	for _, id := range slices.Backward(ids) {
		if prefix == "" && w.begun(id) {
			return id, nil
		}
	}
	var fits []string
	for _, id := range ids {
		if prefix != "" && strings.HasPrefix(id, strings.ToUpper(prefix)) {
			fits = append(fits, id)
		}
	}
	switch len(fits) {
	case 1:
		return fits[0], nil
	case 0:
		return "", fmt.Errorf("%w %q in %s", ErrNoRun, prefix, w.dir())
	}
	return "", &AmbiguousError{Prefix: prefix, Runs: fits}
}

// begun reports whether a run was not cut off before its first record. One
// whose records are gone has begun: whoever reads it says what is wrong.
func (w Workspace) begun(run string) bool {
	if info, err := os.Stat(w.journal(run) + ".head"); w.OpenLog != nil || err == nil && info.Size() > 0 {
		return true // a record was durable
	}
	records, err := w.Records(context.Background(), run)
	if errors.Is(err, ErrNoRun) {
		_, err := os.Lstat(w.ViewDir(run))
		return !errors.Is(err, fs.ErrNotExist)
	}
	return err != nil || len(records) > 0
}

// notBegun says that a run has no record.
func notBegun(run string) error {
	return fmt.Errorf("%w: run %s was cut off before it began", ErrNoRun, run)
}

// Store opens where the runs of this workspace keep contents and trees. The
// caller calls close when done with it.
func (w Workspace) Store() (store *checkpoint.Store, close func() error, err error) {
	return w.storeOf(context.Background())
}

func (w Workspace) storeOf(ctx context.Context) (store *checkpoint.Store, close func() error, err error) {
	if w.Blobs != nil {
		return checkpoint.NewStore(w.Blobs), func() error { return nil }, nil
	}
	blobs, err := folder.Open(ctx, w.path("objects"))
	if err != nil {
		return nil, nil, err
	}
	return checkpoint.NewStore(blobs), blobs.Close, nil
}

func (w Workspace) openLog(ctx context.Context, run string) (checkpoint.Log, error) {
	if w.OpenLog != nil {
		return w.OpenLog(ctx, run)
	}
	return w.Witness.Open(ctx, w.journal(run))
}

// readLog opens the log of a run without the means to change it.
func (w Workspace) readLog(ctx context.Context, run string) (checkpoint.Log, error) {
	if w.OpenLog != nil {
		return w.OpenLog(ctx, run)
	}
	log, err := w.Witness.Read(ctx, w.journal(run))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w %q in %s", ErrNoRun, run, w.dir())
	}
	return log, err
}

func (w Workspace) journal(run string) string { return filepath.Join(w.RunDir(run), "journal") }

// Records reads a run's journal and verifies it.
// *record.CorruptError says where it is wrong.
func (w Workspace) Records(ctx context.Context, run string) ([]record.Record, error) {
	var records []record.Record
	err := w.each(ctx, run, func(rec record.Record) error {
		records = append(records, rec)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return records, nil
}

// each reads a run's journal record by record, verifies it, and has do look at
// each: no journal is in memory as a whole.
func (w Workspace) each(ctx context.Context, run string, do func(record.Record) error) error {
	log, err := w.readLog(ctx, run)
	if err != nil {
		return err
	}
	defer log.Close()
	_, err = checkpoint.OpenJournalWith(ctx, log, run, nil, do)
	return err
}

// History folds a run's journal.
func (w Workspace) History(ctx context.Context, run string) (*history.Run, error) {
	folded := &history.Run{}
	if err := w.each(ctx, run, folded.Apply); err != nil {
		return nil, err
	}
	folded.Compact()
	return folded, nil
}

// Request leaves a request for a run that has not ended: that its plan no
// longer holds, or that it is to be set back to before a step. A controller
// that has the run in hand cuts off the attempt that is under way, restores the
// checkpoint, and asks; one that resumes it later asks before anything runs.
// r.Run must be the whole id.
func (w Workspace) Request(ctx context.Context, r ask.Request) error {
	run, err := w.History(ctx, r.Run)
	if err != nil {
		return err
	}
	refuse := func(why string) error {
		return &RefusedError{Run: r.Run, Reasons: []string{why}}
	}
	switch {
	case run.Ended != nil:
		return refuse("the run has ended: nothing more can be asked of it")
	case r.Kind == ask.Rollback && run.Step(r.Step) == nil:
		return refuse(fmt.Sprintf("it has no step %q", r.Step))
	}
	return w.requests().Request(ctx, r)
}

func (w Workspace) requests() *escalator.Folder { return &escalator.Folder{Dir: w.QuestionDir()} }

// Choices are the remembered choices of a workspace.
func (w Workspace) Choices() *escalator.Precedents {
	return &escalator.Precedents{Dir: w.path("choices")}
}

// documents is the table of documents that are drawn of runs of the workspace.
func (w Workspace) documents() []document.Document {
	if w.Documents == nil {
		return document.All()
	}
	return w.Documents
}

// DrawViews writes the documents of a run, as they are now, into its view
// folder.
func (w Workspace) DrawViews(ctx context.Context, run *history.Run) error {
	p, err := w.Plan(ctx, run)
	if err != nil {
		return err
	}
	model, err := document.New(p, run, nil)
	if err != nil {
		return err
	}
	_, err = views.Write(disk.From(ctx), w.ViewDir(run.Started.Run), w.documents(), model)
	return err
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

// Scope is what of the workspace belongs to the trees of a run: what its plan
// ignores and tracks, and without the controller's own files. Scanned with it,
// the workspace can be set against the trees that the run has kept.
func (w Workspace) Scope(ctx context.Context, run *history.Run) (ledger.Scope, error) {
	p, err := w.Plan(ctx, run)
	if err != nil {
		return ledger.Scope{}, err
	}
	root, err := w.root()
	s := session.Session{Plan: p, Files: run.Started.Files, LockFile: run.Started.LockFile,
		Work: &worktree.Worktree{Root: root}}
	return s.Scope(), err
}

// lastRun is the id of the latest run, zero if there is none.
func (w Workspace) lastRun() (id ulid.ULID, err error) {
	ids, err := w.Runs()
	if n := len(ids); n > 0 {
		id, err = ulid.ParseStrict(ids[n-1])
	}
	return id, err
}
