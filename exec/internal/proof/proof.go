package proof

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/home"
	"github.com/planlock/planlock/exec/internal/views"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// A Prover proves the runs of a workspace. Documents are those that this
// program can draw.
type Prover struct {
	home.Home
	Documents []document.Document
	Version   string // of planlock
}

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

// Prove verifies a run: its journal, its plans, all trees with their contents,
// and its views. The error is of what is wrong first: "journal", "plan", "tree"
// or "view". A run without records has nothing to prove.
func (w *Prover) Prove(ctx context.Context, run string) (proof Proof, what string, err error) {
	found, err := w.read(ctx, run)
	if err != nil {
		return proof, "journal", err
	}
	proof.Run, proof.Records, proof.After = found.run, found.records, found.after
	if proof.Records == 0 {
		return proof, "", nil
	}
	p, err := w.Plan(ctx, proof.Run)
	if err == nil {
		err = w.verifyAmendments(ctx, found.plans)
	}
	if err == nil {
		err = w.verifySources(ctx, proof.Run)
	}
	if err != nil {
		return proof, "plan", err
	}
	if err := w.verifyTrees(ctx, run, found.trees, &proof); err != nil {
		return proof, "tree", err
	}
	if proof.Run.Sealed == nil {
		return proof, "", nil
	}
	return proof, "view", w.verifyViews(ctx, p, &proof)
}

// Journal verifies the journal of a run, and the plans that it names, and returns
// what it says. *record.CorruptError says where it is wrong.
func (w *Prover) Journal(ctx context.Context, run string) (*history.Run, error) {
	found, err := w.read(ctx, run)
	if err != nil {
		return nil, err
	}
	if found.records == 0 {
		return nil, home.NotBegun(run)
	}
	return found.run, w.verifyAmendments(ctx, found.plans)
}

// verifyViews draws the documents of a sealed run again, and sets them against
// the journal and the files. One that this program cannot draw, since the host
// of the run had further ones, or draws otherwise, since it is another version, is
// set against its file alone.
func (w *Prover) verifyViews(ctx context.Context, p *plan.Plan, proof *Proof) error {
	run := proof.Run
	model, err := document.New(p, run.AsSealed(), nil)
	if err != nil {
		return err
	}
	defer views.Reread(ctx, w.Home, model, run)()
	table := map[string]document.File{}
	for _, f := range document.Files(w.Documents, model) {
		table[f.Name] = f
	}
	for _, name := range slices.Sorted(maps.Keys(run.Sealed.Views)) {
		want := run.Sealed.Views[name]
		if f, ok := table[name]; ok {
			got, err := views.Sum(f.Draw)
			if err != nil {
				return err
			}
			switch {
			case got == want:
			case run.Sealed.Version != w.Version:
				proof.Older = append(proof.Older, name)
			default:
				return fmt.Errorf("%s is drawn as %s, and the journal says %s", name, got.Short(), want.Short())
			}
		}
		switch there, err := w.verifyFile(run, name, want); {
		case err != nil:
			return err
		case there:
			proof.Views++
		default:
			proof.Missing = append(proof.Missing, name)
		}
	}
	proof.Foreign, err = w.foreign(run)
	return err
}

// foreign are the files among the views of a run that neither its journal nor
// this program knows.
func (w *Prover) foreign(run *history.Run) (names []string, err error) {
	entries, err := os.ReadDir(w.ViewDir(run.Started.Run))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		name := e.Name()
		_, known := run.Sealed.Views[name]
		if !known && !document.IsCheckpoint(name) && !document.IsTaskCheckpoint(name) &&
			!slices.ContainsFunc(w.Documents, func(d document.Document) bool { return d.Name == name }) {
			names = append(names, name)
		}
	}
	return names, nil
}

// verifyFile sets the file of a document against the journal, if it is there.
func (w *Prover) verifyFile(run *history.Run, name string, want ledger.Digest) (there bool, err error) {
	path := filepath.Join(w.ViewDir(run.Started.Run), name)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return true, fmt.Errorf("%s is not a regular file: delete it, it can be drawn again", name)
	}
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil // views may be deleted: they can be drawn again
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	got, _, err := ledger.SumReader(file)
	if err != nil {
		return false, err
	}
	if _, here := w.Runs.(filelog.Runs); got != want && w.Runs != nil && !here {
		return true, fmt.Errorf("%s was drawn here before the run went on elsewhere, or was edited: "+
			"delete it, it can be drawn again", name)
	}
	if got != want {
		return true, fmt.Errorf("%s was edited: delete it, it can be drawn again", name)
	}
	return true, nil
}

// A reading is what a journal says, in one pass over its records.
type reading struct {
	run     *history.Run
	records int
	after   int // of what followed its end
	plans   []boundPlan
	trees   []keptTree // each once
	seen    map[record.Snapshot]bool
}

// A boundPlan is a plan that a record bound the run to.
type boundPlan struct {
	seq uint64
	run history.Run // as far as its plan is read from it
}

// A keptTree is a tree that a record refers to.
type keptTree struct {
	where string // as in "record 12"
	at    record.Snapshot
}

// read reads a journal without keeping its records: of a long one only what has
// to be looked at in the store stays in memory.
func (w *Prover) read(ctx context.Context, run string) (*reading, error) {
	found := &reading{run: &history.Run{}, seen: map[record.Snapshot]bool{}}
	var bound history.Started
	rest, err := w.Entire(ctx, run, func(rec record.Record) error {
		found.records++
		if err := found.run.Apply(rec); err != nil {
			return err
		}
		if len(rec.Signature) > 0 {
			if err := found.run.Signed.Verify(run); err != nil {
				return err
			}
		}
		if rec.Type == (*history.Judged)(nil).Type() { // most of a journal, and it refers to nothing
			return nil
		}
		fact, err := history.Decode(rec)
		if err != nil {
			return err
		}
		if now := &found.run.Started; now.Plan != bound.Plan || now.PlanBlob != bound.PlanBlob {
			bound = history.Started{Run: run, Plan: now.Plan, PlanBlob: now.PlanBlob}
			found.plans = append(found.plans, boundPlan{rec.Seq, history.Run{Started: bound}})
		}
		if change, ok := fact.(*history.KeyChanged); ok {
			if err := change.Verify(run, &rec); err != nil {
				return err
			}
		}
		found.keep(fmt.Sprintf("record %d", rec.Seq), fact)
		return nil
	})
	found.run.Compact()
	if err == nil && found.run.Sealed != nil && rest > 0 { // nobody writes there, so no crash left it
		err = &record.CorruptError{Name: run, Seq: found.run.Head.Seq + 1,
			Why: fmt.Sprintf("%d bytes follow the last record of a run that has ended", rest)}
	}
	if err != nil {
		return found, err
	}
	return found, w.After(ctx, found.run, func(rec record.Record) error {
		found.after++
		fact, err := history.Decode(rec)
		if err == nil {
			found.keep(fmt.Sprintf("record %d after the end of the run", rec.Seq), fact)
		}
		return err
	})
}

// keep notes the trees that a fact refers to, each once.
func (r *reading) keep(where string, f history.Fact) {
	for _, snap := range history.Snapshots(f) {
		if !r.seen[snap] {
			r.seen[snap] = true
			r.trees = append(r.trees, keptTree{where, snap})
		}
	}
}

// verifyAmendments makes sure that each plan of a run has what the one before
// it had: an amendment adds, and what was approved stays.
func (w *Prover) verifyAmendments(ctx context.Context, plans []boundPlan) error {
	var was *plan.Plan
	for _, bound := range plans {
		now, err := w.Plan(ctx, &bound.run)
		if err != nil {
			return fmt.Errorf("record %d: %w", bound.seq, err)
		}
		if was != nil {
			if _, err := was.Amend(now); err != nil {
				return fmt.Errorf("record %d: %w", bound.seq, err)
			}
		}
		was = now
	}
	return nil
}

// verifySources reads what is kept of the files that the plan and its lock were
// read from. That something is not kept is no fault: the plan was read from
// memory, or began before such files were kept.
func (w *Prover) verifySources(ctx context.Context, run *history.Run) error {
	store, shut, err := w.Store(ctx)
	if err != nil {
		return err
	}
	defer shut() // only read
	digests := []ledger.Digest{run.Started.LockDigest}
	for _, f := range run.Started.Files {
		digests = append(digests, f.Digest)
	}
	for _, d := range digests {
		if d == "" {
			continue
		}
		if _, err := store.Get(ctx, d); err != nil && !errors.Is(err, checkpoint.ErrNotFound) {
			return fmt.Errorf("a file of the plan: %w", err)
		}
	}
	return nil
}

// verifyTrees reads every snapshot that the journal refers to, with all
// contents.
func (w *Prover) verifyTrees(ctx context.Context, run string, trees []keptTree, proof *Proof) error {
	store, shut, err := w.Store(ctx)
	if err != nil {
		return err
	}
	defer shut() // only read
	if err := w.Each(ctx, run, func(rec record.Record) error { return store.AdoptRecord(ctx, rec) }); err != nil {
		return err
	}
	contents := map[ledger.Digest]bool{}
	for _, tree := range trees {
		if err := readTree(ctx, store, tree.at, contents); err != nil {
			return fmt.Errorf("%s: %w", tree.where, err)
		}
	}
	proof.Trees, proof.Contents = len(trees), len(contents)
	return nil
}

// readTree reads all contents of a tree that were not read before, which seen
// tells, and makes sure that it is the tree that it is called.
func readTree(ctx context.Context, store *checkpoint.Store, snap record.Snapshot, seen map[ledger.Digest]bool) error {
	tree, err := store.Tree(ctx, snap)
	if err != nil {
		return err
	}
	if got := tree.Digest(); got != snap.Tree {
		return fmt.Errorf("tree %s reads as %s", snap.Tree.Short(), got.Short())
	}
	for entry := range tree.All() {
		if entry.Kind != ledger.File || seen[entry.Digest] {
			continue
		}
		seen[entry.Digest] = true
		r, err := store.Open(ctx, entry)
		if err != nil {
			return fmt.Errorf("content of %s: %w", entry.Path, err)
		}
		_, err = io.Copy(io.Discard, r)
		if err = errors.Join(err, r.Close()); err != nil {
			return fmt.Errorf("content of %s: %w", entry.Path, err)
		}
	}
	return nil
}
