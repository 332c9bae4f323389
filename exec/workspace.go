package exec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/folder"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/escalator"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/exec/internal/question"
	"github.com/planlock/planlock/exec/internal/recorder"
	"github.com/planlock/planlock/exec/internal/session"
	"github.com/planlock/planlock/exec/internal/views"
	"github.com/planlock/planlock/exec/internal/worktree"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/plan"
)

// Own is the folder in a workspace that belongs to the controller.
const Own = home.Own

// ErrNoRun says that there is no such run.
var ErrNoRun = home.ErrNoRun

// A Workspace is a folder in which plans run, seen from outside: its runs,
// their journals and what they kept. It needs no lock and changes nothing, so
// it can be used while a controller works. The zero value is the current
// folder.
type Workspace struct {
	Dir string
	// Blobs is where the controller keeps contents; nil for the default folder.
	Blobs checkpoint.Blobs
	// Runs is where the controller keeps journals; nil for the default folder.
	Runs checkpoint.Runs
	// Papers are where the controller keeps questions, answers, requests and
	// choices; nil for default folders.
	Papers checkpoint.Papers
	// Documents are drawn of runs; nil for document.All.
	Documents []document.Document
	// Languages are those that source files are read in; nil: languages.All().
	Languages []source.Language
}

// An AmbiguousError says that a prefix fits several runs.
type AmbiguousError struct {
	Prefix string
	Runs   []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("exec: %q could be any of the runs %s: give more of the id", e.Prefix,
		strings.Join(e.Runs, ", "))
}

func (w Workspace) home() home.Home {
	return home.Home{Dir: w.Dir, Blobs: w.Blobs, Runs: w.Runs}
}

// RunDir is the folder of a run, below the controller's own.
func (w Workspace) RunDir(run string) string { return w.home().RunDir(run) }

// ViewDir is the folder of a run's views.
func (w Workspace) ViewDir(run string) string { return w.home().ViewDir(run) }

// WorkDir is the folder in which the steps of a run work: its clone, which is
// gone once nobody needs it, or the workspace.
func (w Workspace) WorkDir(run *history.Run) string {
	if run.Started.Layered() {
		return filepath.Join(w.RunDir(run.Started.Run), home.CloneName)
	}
	return cmp.Or(w.Dir, ".")
}

// Unfinished is the folder that has what an attempt wrote so far which is not
// over: WorkDir, or, where it works in a layer of that, one that has nothing but
// what was written. whole reports whether it is WorkDir.
func (w Workspace) Unfinished(run *history.Run) (dir string, whole bool) {
	upper := filepath.Join(w.RunDir(run.Started.Run), home.LayersName, home.AttemptName, "upper")
	if _, err := os.Stat(upper); err == nil {
		return upper, false
	}
	return w.WorkDir(run), true
}

// QuestionDir is the default folder where questions wait for answers.
func (w Workspace) QuestionDir() string { return w.home().Path("escalations") }

// Questions is where questions wait for answers, and requests for a controller:
// among Papers, or in the default folder.
func (w Workspace) Questions() *escalator.Folder {
	return &escalator.Folder{Dir: w.QuestionDir(), Papers: w.Papers}
}

// List yields the runs of the workspace and what is known of them without
// reading them, the latest first. The first error is the last pair.
func (w Workspace) List(ctx context.Context, which checkpoint.Which) iter.Seq2[checkpoint.Listed, error] {
	return w.home().List(ctx, which)
}

// IDs lists the ids of all runs, oldest first.
func (w Workspace) IDs(ctx context.Context) ([]string, error) { return w.home().IDs(ctx) }

// Find is the id of the run that prefix names, without regard to case; the
// latest that has begun where prefix is empty. ErrNoRun, *AmbiguousError.
func (w Workspace) Find(ctx context.Context, prefix string) (string, error) {
	var fits []string
	for l, err := range w.List(ctx, checkpoint.Which{}) {
		switch {
		case err != nil:
			return "", err
		case prefix == "" && w.home().Begun(ctx, l):
			return l.Run, nil
		case prefix != "" && strings.HasPrefix(l.Run, strings.ToUpper(prefix)):
			fits = append(fits, l.Run)
		}
	}
	slices.Reverse(fits)
	switch len(fits) {
	case 1:
		return fits[0], nil
	case 0:
		return "", fmt.Errorf("%w %q in %s", ErrNoRun, prefix, cmp.Or(w.Dir, "."))
	}
	return "", &AmbiguousError{Prefix: prefix, Runs: fits}
}

// Store opens where the runs of this workspace keep contents and trees. The
// caller calls close when done with it.
func (w Workspace) Store() (store *checkpoint.Store, close func() error, err error) {
	return w.home().Store(context.Background())
}

// Records reads a run's journal and verifies it. *record.CorruptError says
// where it is wrong.
func (w Workspace) Records(ctx context.Context, run string) ([]record.Record, error) {
	var records []record.Record
	err := w.home().Each(ctx, run, func(rec record.Record) error {
		records = append(records, rec)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return records, nil
}

// Afterwards reads the journal beside that of a run that is sealed, and verifies
// it: what was done with the work of the run since. Most runs have none.
func (w Workspace) Afterwards(ctx context.Context, run *history.Run) (records []record.Record, err error) {
	sealed := run.AsSealed()
	if sealed == run {
		return nil, nil
	}
	err = w.home().After(ctx, sealed, func(rec record.Record) error {
		records = append(records, rec)
		return nil
	})
	return records, err
}

// HasAfterwards reports whether something was done with the work of a run since
// it was sealed, without reading what.
func (w Workspace) HasAfterwards(ctx context.Context, run string) bool {
	return w.home().HasAfter(ctx, run)
}

// History folds a run's journal. ErrNoRun, also before its first record is
// written; *record.CorruptError.
func (w Workspace) History(ctx context.Context, run string) (*history.Run, error) {
	return w.home().History(ctx, run)
}

// Plan reads back the plan that a run carries out.
func (w Workspace) Plan(ctx context.Context, run *history.Run) (*plan.Plan, error) {
	return w.home().Plan(ctx, run)
}

// Request leaves a request for a run that has not ended: that its plan no
// longer holds, or that it is to be set back to before a step. A controller
// that has the run in hand cuts off the attempt that is under way, restores the
// checkpoint, and asks; one that resumes it later asks before anything runs.
// r.Run must be the whole id. A run has one request at a time: a further one is
// refused until the first has become a question, and waits where a question
// waits already. One to set the run back to where it cannot go is refused at
// once.
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
	case r.Kind == ask.Rollback && !question.CanUnwind(run, run.Step(r.Step)):
		return refuse(fmt.Sprintf("it cannot be set back to before %s: that step has not begun, "+
			"or what cannot be undone was attempted since", r.Step))
	}
	folder := w.Questions()
	err = folder.Request(ctx, r)
	if errors.Is(err, fs.ErrExist) {
		first, err := folder.Requested(ctx, r.Run)
		if err != nil {
			return refuse("a request waits already that nobody can read: " + err.Error())
		}
		return refuse("a request waits already, and is asked about first: " + first.String())
	}
	return err
}

// Choices are the remembered choices of a workspace.
func (w Workspace) Choices() *escalator.Precedents {
	return &escalator.Precedents{Dir: w.home().Path("choices"), Papers: w.Papers}
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
	if err := document.Validate(w.Documents); err != nil {
		return err
	}
	p, err := w.Plan(ctx, run)
	if err != nil {
		return err
	}
	model, err := document.New(p, run.AsSealed(), nil)
	if err != nil {
		return err
	}
	defer views.Reread(ctx, w.home(), model, run)()
	_, err = views.Write(disk.From(ctx), w.ViewDir(run.Started.Run), w.documents(), model)
	return err
}

// Reread has documents of checkpoints drawn at which a run does not stand any
// more, from its journal, until stop is called.
func (w Workspace) Reread(ctx context.Context, m *document.Model, run *history.Run) (stop func()) {
	return views.Reread(ctx, w.home(), m, run)
}

// Scope is what of the workspace belongs to the trees of a run: what its plan
// ignores and tracks, and without the controller's own files. Scanned with it,
// the workspace can be set against the trees that the run has kept.
func (w Workspace) Scope(ctx context.Context, run *history.Run) (ledger.Scope, error) {
	p, err := w.Plan(ctx, run)
	if err != nil {
		return ledger.Scope{}, err
	}
	root, err := w.home().Root()
	if err != nil {
		return ledger.Scope{}, err
	}
	s := session.Session{Plan: p, Rec: &recorder.Recorder{Run: run}, Work: &worktree.Worktree{Root: root}}
	return s.Scope(), nil
}

// Sources are the files that the plan of a run and its lock were read from,
// where they lie now: what lay in the workspace is found there also after the
// workspace was moved. lock is "" where the lock belongs to the run alone.
func (w Workspace) Sources(run *history.Run) (files []plan.Source, lock string) {
	return home.Sources(run, cmp.Or(w.Dir, "."))
}

// ErrNothingKept says that no plan has been run in a workspace yet, or that its
// contents are not in the default folder.
var ErrNothingKept = home.ErrNothingKept

// A Fault is something that a workspace keeps and that is damaged or missing.
type Fault struct {
	// What is the fault in one word: damaged, missing, unreadable, or journal,
	// which is one that cannot be read.
	What string
	// Digest is that of the content; "" where it is not known. One content can
	// be in several faults, one for each record that needs it.
	Digest ledger.Digest
	// NeededBy is the record that needs the content, and for what; "" for a
	// fault of the store itself.
	NeededBy string
	// Text is what is wrong with the store or the journal; "" where the digest
	// says it.
	Text string
}

func (f Fault) String() string { return home.Fault(f).String() }

// Collect frees what no journal in the workspace refers to, while it holds the
// workspace, and returns what was freed and for how many runs the rest stays;
// with dryRun it only counts. It removes nothing while any journal or tree
// cannot be read, since nobody knows what those need. Only the default folder
// of contents is collected; where there is none, the error is [ErrNothingKept].
func (w Workspace) Collect(ctx context.Context, dryRun bool) (freed folder.Collected, runs int, err error) {
	return w.home().Collect(ctx, dryRun)
}

// ErrNotCollected says that a store cannot free contents, or not together with
// where the journals are.
var ErrNotCollected = home.ErrNotCollected

// Collected is what was freed of a store that workspaces share.
type Collected = home.Collected

// CollectShared frees what no journal in any workspace of the store in Blobs
// refers to and nobody put or found for the time of grace, while runs go on; with
// dryRun it only counts. It removes nothing while any journal or tree cannot be
// read, and nothing at all where there is no journal ([ErrNothingKept]). The error
// is [ErrNotCollected] where Blobs is no [checkpoint.Collector], or Runs is nil.
//
// Every journal that refers to contents of the store must be in it. Where a host
// keeps contents there and journals elsewhere, it must not collect.
func (w Workspace) CollectShared(ctx context.Context, grace time.Duration, dryRun bool) (Collected, error) {
	return w.home().CollectShared(ctx, grace, dryRun)
}

// CheckContents reads all that the workspace keeps in its default folder and
// tells of everything that is damaged or missing, and who needs it. It changes
// nothing. Where there is no such folder, the error is [ErrNothingKept].
func (w Workspace) CheckContents(ctx context.Context, tell func(Fault)) (folder.Checked, error) {
	return w.home().CheckContents(ctx, func(f home.Fault) { tell(Fault(f)) })
}
