package history

import (
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Take folds the next record in, as Apply does, for whoever has the fact that it was encoded from. The state is the same, field by
// field, as if the record had been read; facts that every step has need not be read for it. f is not kept.
func (r *Run) Take(rec checkpoint.Record, f Fact) error {
	if known, ok := f.(readable); ok && rec.Type == f.Type() {
		if fact := known.readBack(); fact != nil {
			return r.apply(rec, fact)
		}
	}
	return r.Apply(rec)
}

// A readable fact knows what it is once it was encoded and read: what JSON does not keep, such as the difference between no list
// and an empty one, is gone. It is nil where only reading can tell.
type readable interface{ readBack() Fact }

func (f *StepStarted) readBack() Fact {
	r := *f
	for name, digest := range r.Git {
		if !kept(name, string(digest)) {
			return nil
		}
	}
	if !keptAll(r.Prior) || !keptSnapshot(r.Checkpoint) || !kept(string(r.Envelope), r.Decision, string(r.Strategy), r.Concern) {
		return nil
	}
	r.Git, r.Prior = someOf(r.Git), some(r.Prior)
	return &r
}

func readVerdict(v gate.Verdict) *gate.Verdict {
	for _, f := range v.Findings {
		if !kept(f.Code, f.Path, f.Message, f.Expected, f.Happened) {
			return nil
		}
	}
	for _, c := range v.Citations {
		if !kept(c.Path, c.Text) {
			return nil
		}
	}
	if !kept(string(v.Result)) || !keptAll(v.Evidence) {
		return nil
	}
	v.Findings, v.Evidence, v.Citations = some(v.Findings), some(v.Evidence), some(v.Citations)
	return &v
}

func (f *AttemptStarted) readBack() Fact {
	r := *f
	if !kept(r.Method, r.Text, r.Executor, string(r.Inputs), string(r.Phase), string(r.Stamps)) {
		return nil
	}
	return &r
}

func (f *AttemptEnded) readBack() Fact {
	r := *f
	for name := range r.Metrics {
		if !kept(name) {
			return nil
		}
	}
	if !kept(r.Output, r.Error, r.Summary) {
		return nil
	}
	r.Metrics = someOf(r.Metrics)
	return &r
}

// Only an account of nothing is known without reading it.
func (f *Accounted) readBack() Fact {
	a := &f.Account
	if len(f.Changes)+len(f.Symbols)+len(f.PerPath)+len(f.Git)+len(f.Inline) > 0 ||
		len(a.Matching)+len(a.Extra)+len(a.Missing)+len(a.SymbolsMatching)+len(a.SymbolsExtra) > 0 {
		return nil
	}
	d := f.Declared
	if !kept(string(f.Tree), string(f.Whole)) ||
		!keptAll(d.Create) || !keptAll(d.Modify) || !keptAll(d.Delete) || !keptAll(d.SymbolsAdd) || !keptAll(d.SymbolsRemove) {
		return nil
	}
	d.Create, d.Modify, d.Delete = some(d.Create), some(d.Modify), some(d.Delete)
	d.SymbolsAdd, d.SymbolsRemove = slices.Clone(d.SymbolsAdd), slices.Clone(d.SymbolsRemove) // here an empty list is not none
	return &Accounted{Tree: f.Tree, Declared: d, Account: ledger.Account{}, Lines: f.Lines, Total: f.Total, Whole: f.Whole}
}

func (f *StepCompleted) readBack() Fact {
	r := *f
	if !keptSnapshot(r.Snapshot) || !kept(r.Method) {
		return nil
	}
	return &r
}

// kept reports whether JSON keeps texts as they are: bytes that are no UTF-8 it replaces.
func kept(texts ...string) bool { return keptAll(texts) }

func keptAll[T string | plan.Address](texts []T) bool {
	for _, t := range texts {
		if !utf8.ValidString(string(t)) {
			return false
		}
	}
	return true
}

func keptSnapshot(s checkpoint.Snapshot) bool { return kept(string(s.Tree), string(s.Manifest)) }

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
