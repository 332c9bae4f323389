package exec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

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
	Trees    int
	Contents int
	Views    int
}

// Verify proves a run: that its journal is whole and unaltered, that every
// tree it refers to is kept with all its contents, and that its views are what
// the journal says, byte for byte. It changes nothing. *ProofError names the
// first thing that is wrong.
func (w Workspace) Verify(ctx context.Context, run string) (*Proof, error) {
	proof := &Proof{}
	wrong := func(what string, err error) (*Proof, error) {
		return proof, &ProofError{Run: run, What: what, Why: err.Error(), Err: err}
	}
	records, err := w.Records(ctx, run)
	if err != nil {
		return wrong("journal", err)
	}
	if proof.Records = len(records); proof.Records == 0 {
		return proof, notBegun(run)
	}
	if proof.Run, err = history.Fold(records); err != nil {
		return wrong("journal", err)
	}
	p, err := w.Plan(ctx, proof.Run)
	if err == nil {
		err = w.verifyAmendments(ctx, run, records)
	}
	if err != nil {
		return wrong("plan", err)
	}
	if err := w.verifyTrees(ctx, records, proof); err != nil {
		return wrong("tree", err)
	}
	if proof.Run.Sealed == nil {
		return proof, nil
	}
	files, err := document.All(p, proof.Run)
	if err != nil {
		return wrong("view", err)
	}
	for _, f := range files {
		if err := w.verifyView(proof.Run, f); err != nil {
			return wrong("view", err)
		}
		proof.Views++
	}
	return proof, nil
}

// verifyView sets a view drawn again against the journal and the file.
func (w Workspace) verifyView(run *history.Run, f document.File) error {
	if want, got := run.Sealed.Views[f.Name], ledger.Sum(f.Content); want != got {
		return fmt.Errorf("%s is drawn as %s, and the journal says %s", f.Name, got.Short(), want.Short())
	}
	onDisk, err := os.ReadFile(filepath.Join(w.ViewDir(run.Started.Run), f.Name))
	if errors.Is(err, os.ErrNotExist) {
		return nil // views may be deleted: they can be drawn again
	}
	if err != nil {
		return err
	}
	if !bytes.Equal(onDisk, f.Content) {
		return fmt.Errorf("%s was edited: delete it, it can be drawn again", f.Name)
	}
	return nil
}

// verifyAmendments makes sure that each plan of a run has what the one before it had.
func (w Workspace) verifyAmendments(ctx context.Context, run string, records []record.Record) error {
	var was *plan.Plan
	for _, rec := range records {
		fact, err := history.Decode(rec)
		if err != nil {
			return err
		}
		digest, blob, ok := history.PlanOf(fact)
		if !ok {
			continue
		}
		bound := history.Started{Run: run, Plan: digest, PlanBlob: blob}
		now, err := w.Plan(ctx, &history.Run{Started: bound})
		if err != nil {
			return fmt.Errorf("record %d: %w", rec.Seq, err)
		}
		if was != nil {
			if _, err := was.Amend(now); err != nil {
				return fmt.Errorf("record %d: %w", rec.Seq, err)
			}
		}
		was = now
	}
	return nil
}

// verifyTrees reads every snapshot that the journal refers to, with all contents.
func (w Workspace) verifyTrees(ctx context.Context, records []record.Record, proof *Proof) error {
	store, shut, err := w.storeOf(ctx)
	if err != nil {
		return err
	}
	defer shut() // only read
	trees, contents := map[record.Snapshot]bool{}, map[ledger.Digest]bool{}
	for _, rec := range records {
		if err := store.AdoptRecord(ctx, rec); err != nil {
			return err
		}
		fact, err := history.Decode(rec)
		if err != nil {
			return err
		}
		for _, snap := range history.Snapshots(fact) {
			if trees[snap] {
				continue
			}
			trees[snap] = true
			if err := readTree(ctx, store, snap, contents); err != nil {
				return fmt.Errorf("record %d: %w", rec.Seq, err)
			}
		}
	}
	proof.Trees, proof.Contents = len(trees), len(contents)
	return nil
}

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

// DrawViews writes the views of a run, as they are now, into its view folder.
func (w Workspace) DrawViews(ctx context.Context, run *history.Run) error {
	p, err := w.Plan(ctx, run)
	if err != nil {
		return err
	}
	files, err := document.All(p, run)
	if err != nil {
		return err
	}
	return writeViews(disk.From(ctx), w.ViewDir(run.Started.Run), files)
}
