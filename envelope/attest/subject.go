package attest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
)

// subjectsOf are the files that a run changed and left so, its tree and its
// journal.
func subjectsOf(ctx context.Context, ws exec.Workspace, run *history.Run) (subjects []Resource, err error) {
	store, shut, err := ws.Store()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, shut()) }()
	left, err := store.Tree(ctx, run.Tree)
	if err != nil {
		return nil, err
	}
	made, err := made(ctx, store, run)
	if err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(made)) {
		// What somebody else wrote over is not the run's.
		if e, ok := left.Lookup(path); ok && e.Digest == made[path] {
			subjects = append(subjects, Resource{Name: ledger.Quote(path), Digest: digest(ofFile, e.Digest)})
		}
	}
	return append(subjects, Resource{Name: ownName + run.Started.Run + treeName, Digest: digest(ofTree, run.Tree.Tree)},
		journalOf(run)), nil
}

// journalOf is the journal of a run.
func journalOf(run *history.Run) Resource {
	return Resource{Name: ownName + run.Started.Run + journalName, Digest: digest(ofJournal, run.Head.Hash)}
}

// made are the contents of the files that accepted steps made, as the last of
// them left each.
func made(ctx context.Context, store *checkpoint.Store, run *history.Run) (map[string]ledger.Digest, error) {
	files := map[string]ledger.Digest{}
	accepted := slices.DeleteFunc(slices.Clone(run.Steps), func(s *history.Step) bool { return !wasAccepted(s) })
	slices.SortStableFunc(accepted, func(a, b *history.Step) int { return cmp.Compare(a.EndedAt, b.EndedAt) })
	for _, s := range accepted {
		account := s.Account()
		if account == nil {
			continue
		}
		changes := account.Changes
		if account.Whole != "" {
			text, err := store.Get(ctx, account.Whole)
			if err != nil {
				return nil, fmt.Errorf("the changes of step %s: %w", s.Address, err)
			}
			whole := &history.Accounted{}
			if err := json.Unmarshal(text, whole); err != nil {
				return nil, fmt.Errorf("the changes of step %s: %w", s.Address, err)
			}
			changes = whole.Changes
		}
		for _, ch := range changes {
			delete(files, ch.Path)
			if e := ch.After; e != nil && e.Kind == ledger.File && e.Digest != "" {
				files[ch.Path] = e.Digest
			}
		}
	}
	return files, nil
}

// wasAccepted reports whether the work of a step is in the tree that its run left.
func wasAccepted(s *history.Step) bool { return s.Stands() == history.Completed }

// sorted are the keys of a map, in order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
