package history

import (
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/plan"
)

// Take folds the next record in, as Apply does, for whoever has the fact that
// it was encoded from. The state is the same, field by field, as if the record
// had been read; facts that every step has need not be read for it. f is not
// kept.
func (r *Run) Take(rec record.Record, f Fact) error {
	if known, ok := f.(readable); ok && rec.Type == f.Type() {
		if fact := known.readBack(); fact != nil {
			return r.apply(rec, fact)
		}
	}
	return r.Apply(rec)
}

// A readable fact knows what it is once it was encoded and read: what JSON does
// not keep, such as the difference between no list and an empty one, is gone.
// It is nil where only reading can tell.
type readable interface{ readBack() Fact }

// kept reports whether JSON keeps texts as they are: bytes that are no UTF-8 it
// replaces.
func kept(texts ...string) bool { return keptAll(texts) }

func keptAll[T string | plan.Address](texts []T) bool {
	for _, t := range texts {
		if !utf8.ValidString(string(t)) {
			return false
		}
	}
	return true
}

func keptSnapshot(s record.Snapshot) bool { return kept(string(s.Tree), string(s.Manifest)) }

// some is a copy of a list that is left out where it is empty.
func some[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return slices.Clone(list)
}

// someOf is the same for a map.
func someOf[V any, M ~map[string]V](m M) M {
	if len(m) == 0 {
		return nil
	}
	return maps.Clone(m)
}
