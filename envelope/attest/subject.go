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
func subjectsOf(ctx context.Context, ws exec.Workspace, run *history.Run) ([]Resource, error) {
	steps, left, err := workOf(ctx, ws, run)
	if err != nil {
		return nil, err
	}
	var subjects []Resource
	for _, path := range sorted(left) {
		subjects = append(subjects, Resource{Name: ledger.Quote(path), Digest: digest(ofFile, steps[left[path]].made[path])})
	}
	return append(subjects, Resource{Name: ownName + run.Started.Run + treeName, Digest: digest(ofTree, run.Tree.Tree)},
		journalOf(run)), nil
}

// journalOf is the journal of a run.
func journalOf(run *history.Run) Resource {
	return Resource{Name: ownName + run.Started.Run + journalName, Digest: digest(ofJournal, run.Head.Hash)}
}

// A work is what an accepted step did to files: the contents of those that it
// changed or deleted, and of those that it made or changed.
type work struct {
	step      *history.Step
	had, made map[string]ledger.Digest
}

// workOf is what the accepted steps of a run did, in the order in which they
// ended; and which of them left each file that is in the tree at the end as it
// was made: what somebody else wrote over is not the run's.
func workOf(ctx context.Context, ws exec.Workspace, run *history.Run) (all []work, left map[string]int, err error) {
	store, shut, err := ws.Store()
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, shut()) }()
	end, err := store.Tree(ctx, run.Tree)
	if err != nil {
		return nil, nil, err
	}
	accepted := slices.DeleteFunc(slices.Clone(run.Steps), func(s *history.Step) bool { return !wasAccepted(s) })
	slices.SortStableFunc(accepted, func(a, b *history.Step) int { return cmp.Compare(a.EndedAt, b.EndedAt) })
	left = map[string]int{}
	for i, s := range accepted {
		changes, err := changesOf(ctx, store, s)
		if err != nil {
			return nil, nil, fmt.Errorf("the changes of step %s: %w", s.Address, err)
		}
		w := work{s, map[string]ledger.Digest{}, map[string]ledger.Digest{}}
		for _, ch := range changes {
			delete(left, ch.Path)
			if e := ch.Before; e != nil && e.Kind == ledger.File && e.Digest != "" {
				w.had[ch.Path] = e.Digest
			}
			if e := ch.After; e != nil && e.Kind == ledger.File && e.Digest != "" {
				w.made[ch.Path] = e.Digest
				left[ch.Path] = i
			}
		}
		all = append(all, w)
	}
	maps.DeleteFunc(left, func(path string, by int) bool {
		e, ok := end.Lookup(path)
		return !ok || e.Digest != all[by].made[path]
	})
	return all, left, nil
}

// changesOf are all changes of a step.
func changesOf(ctx context.Context, store *checkpoint.Store, s *history.Step) ([]ledger.Change, error) {
	account := s.Account()
	if account == nil || account.Whole == "" {
		account = cmp.Or(account, &history.Accounted{})
		return account.Changes, nil
	}
	text, err := store.Get(ctx, account.Whole)
	if err != nil {
		return nil, err
	}
	whole := &history.Accounted{}
	err = json.Unmarshal(text, whole)
	return whole.Changes, err
}

// wasAccepted reports whether the work of a step is in the tree that its run left.
func wasAccepted(s *history.Step) bool { return s.Stands() == history.Completed }

// sorted are the keys of a map, in order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
