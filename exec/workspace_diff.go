package exec

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/exec/internal/proof"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/plan"
)

// maxUnified is the largest content, in bytes, of which [Workspace.Unified]
// shows differences.
const maxUnified = 4 << 20

// ErrNoEntry says that an attempt has no ledger entry: nobody looked at what it
// did, and nothing of it was kept.
var ErrNoEntry = errors.New("exec: the attempt has no ledger entry")

// Entry is what an attempt of a run changed, set against what its step
// declared. An attempt whose controller died has no entry in the journal: then
// it is what the workspace held when the run was taken up or set back, which
// was kept before it was undone. The error is [ErrNoEntry] where nothing was.
func (w Workspace) Entry(ctx context.Context, run *history.Run, s *history.Step,
	a *history.Attempt) (*history.Accounted, error) {
	if a.Accounted != nil {
		return a.Accounted, nil
	}
	if a.Discarded == (record.Snapshot{}) {
		return nil, ErrNoEntry
	}
	declared, err := w.declared(ctx, run, s.Address)
	if err != nil {
		return nil, err
	}
	store, shut, err := w.Store()
	if err != nil {
		return nil, err
	}
	entry, err := discarded(ctx, store, readerOf(w.Languages), a, declared)
	return entry, errors.Join(err, shut())
}

// discarded is the ledger entry of an attempt that was cut off.
func discarded(ctx context.Context, store *checkpoint.Store, reader *source.Reader, a *history.Attempt,
	declared ledger.Declared) (*history.Accounted, error) {
	before, err := store.Tree(ctx, a.Base)
	if err != nil {
		return nil, err
	}
	after, err := store.Tree(ctx, a.Discarded)
	if err != nil {
		return nil, err
	}
	made, err := reader.Compare(ctx, ledger.Diff(before, after), store.Open)
	if err != nil {
		return nil, err
	}
	return &history.Accounted{Tree: after.Digest(), Declared: declared, Changes: made.Changes, Symbols: made.Symbols,
		Lines: made.Lines, PerPath: made.PerPath, Unread: made.Unread,
		Account: ledger.Reconcile(declared, made.Changes, made.Symbols)}, nil
}

// declared is what a step of a run's plan declares.
func (w Workspace) declared(ctx context.Context, run *history.Run, step plan.Address) (ledger.Declared, error) {
	p, err := w.Plan(ctx, run)
	if err != nil {
		return ledger.Declared{}, err
	}
	if t, s, ok := p.Step(step); ok {
		return p.Declared(t, s), nil
	}
	return ledger.Declared{}, nil
}

// Unified calls each with every change and its textual difference, as of diff
// -u: "" where there is none to show, as of a folder; one line that says so
// where the text is too large, or is not kept, as that of a file that was only
// watched. An error of each ends it.
func (w Workspace) Unified(ctx context.Context, changes []ledger.Change, each func(ledger.Change, string) error) error {
	store, shut, err := w.Store()
	if err != nil {
		return err
	}
	for _, ch := range changes {
		text, err := unified(ctx, store, ch)
		if err == nil {
			err = each(ch, text)
		}
		if err != nil {
			return errors.Join(err, shut())
		}
	}
	return shut()
}

// unified is the difference of one file. A text that is too large to be
// compared is named, and not shown.
func unified(ctx context.Context, store *checkpoint.Store, ch ledger.Change) (string, error) {
	if !ch.ChangesContent() {
		return "", nil
	}
	before, err := textOf(ctx, store, ch.Before)
	if err != nil && !errors.Is(err, checkpoint.ErrNotFound) {
		return "", fmt.Errorf("%s before: %w", ledger.Quote(ch.Path), err)
	}
	after, e := textOf(ctx, store, ch.After)
	if err = cmp.Or(e, err); errors.Is(err, checkpoint.ErrNotFound) {
		return fmt.Sprintf("what %s held is not kept\n", ledger.Quote(ch.Path)), nil
	}
	if err != nil {
		return "", fmt.Errorf("%s after: %w", ledger.Quote(ch.Path), err)
	}
	if len(before) > maxUnified || len(after) > maxUnified {
		return fmt.Sprintf("%s is too large to be shown\n", ledger.Quote(ch.Path)), nil
	}
	return source.Unified(ch.Path, before, after, 3), nil
}

// textOf reads what an entry held, a little more than maxUnified at most; nil
// if it is not a file.
func textOf(ctx context.Context, store *checkpoint.Store, e *ledger.Entry) ([]byte, error) {
	if e == nil || e.Kind != ledger.File {
		return nil, nil
	}
	r, err := store.Open(ctx, *e)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(r, maxUnified+1))
	return append([]byte{}, text...), errors.Join(err, r.Close())
}

// A ProofError says the first thing that is wrong with a run.
type ProofError struct {
	Run  string
	What string // "journal", "plan", "tree", "view"
	Why  string
	Err  error
}

func (e *ProofError) Error() string {
	return fmt.Sprintf("exec: run %s does not hold: %s: %s", e.Run, e.What, e.Why)
}

// Unwrap returns what it was found by.
func (e *ProofError) Unwrap() error { return e.Err }

// A Proof counts what was verified.
type Proof struct {
	Run      *history.Run
	Records  int
	After    int // records of what was done with its work since it was sealed
	Trees    int
	Contents int
	Views    int
	Missing  []string // views whose files are not there; they can be drawn again
	Foreign  []string // files among the views that are none
	Older    []string // views that another version of planlock drew, otherwise than this one
}

// Verify proves a run: that its journal is whole and unaltered, that every
// tree it refers to is kept with all its contents, and that its views are what
// the journal says, byte for byte. Those that another version of planlock drew, and
// this one draws otherwise, are set against their digests in the journal alone. It
// changes nothing. *ProofError names the
// first thing that is wrong.
func (w Workspace) Verify(ctx context.Context, run string) (*Proof, error) {
	if err := document.Validate(w.Documents); err != nil {
		return nil, err
	}
	prover := &proof.Prover{Home: w.home(), Documents: w.documents(), Version: Version()}
	found, what, err := prover.Prove(ctx, run)
	switch {
	case err != nil:
		err = &ProofError{Run: run, What: what, Why: err.Error(), Err: err}
	case found.Records == 0:
		err = home.NotBegun(run)
	}
	return (*Proof)(&found), err
}
