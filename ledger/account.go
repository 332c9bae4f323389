package ledger

import (
	"cmp"
	"slices"
	"strings"
)

// Declared is what a step promised to change. Paths are slash-separated and
// relative, or globs ("**" crosses folders); a glob must match at least one
// change.
type Declared struct {
	Create []string `json:"create,omitempty"`
	Modify []string `json:"modify,omitempty"`
	Delete []string `json:"delete,omitempty"`
	// Symbols as FOLDER.Name or FOLDER.Type.Method. Both nil: symbols are not
	// accounted, unless Public is set. If one is set, empty or not, the other's
	// nil means none.
	SymbolsAdd    []string `json:"symbols_add"`
	SymbolsRemove []string `json:"symbols_remove"`
	// Public says that, where both are nil, no public symbol may come or go.
	Public bool `json:"public,omitempty"`
	// Within may be changed in any way, and need not be: paths, folders with all
	// that they hold, and globs.
	Within []string `json:"within,omitempty"`
}

// An Expectation is one declared artifact.
type Expectation struct {
	Op     Op     // of a path
	Path   string // as declared
	Symbol string // instead of Path: a symbol, with Op created or deleted
}

// An Account sets what was declared against what happened. All of it is
// listed, sorted, never only the first difference.
type Account struct {
	Matching        []Change      `json:"matching,omitempty"` // declared and happened
	Extra           []Change      `json:"extra,omitempty"`    // happened, not declared
	Missing         []Expectation `json:"missing,omitempty"`  // declared, did not happen
	SymbolsMatching []Symbol      `json:"symbols_matching,omitempty"`
	SymbolsExtra    []Symbol      `json:"symbols_extra,omitempty"` // added or removed without being declared
}

// Holds reports whether exactly what was declared happened.
func (a Account) Holds() bool {
	return len(a.Extra) == 0 && len(a.Missing) == 0 && len(a.SymbolsExtra) == 0
}

// Reconcile sets declared against the actual changes. A folder that was created
// or deleted because a declared path below it was is part of that path's
// declaration.
//
// A declaration is kept by a change of the same operation only: a file that was
// declared as created, and was there before, is missing as a creation and extra
// as a modification. A path is compared as it is spelled, so a folder's
// declaration says nothing about what it holds; a glob does.
//
// Neither argument is changed; the account shares the entries of changes.
func Reconcile(d Declared, changes []Change, symbols []Symbol) Account {
	var a Account
	kept := make(map[Expectation]bool)
	declared := d.paths()
	for _, c := range changes {
		matched := false
		for _, pattern := range declared[c.Op] {
			if Match(pattern, c.Path) {
				kept[Expectation{Op: c.Op, Path: pattern}] = true
				matched = true
			}
		}
		if matched || d.covers(c.Path) {
			a.Matching = append(a.Matching, c)
		} else {
			a.Extra = append(a.Extra, c)
		}
	}
	a.coverParents()
	for op, patterns := range declared { // in any order: sorted below
		for _, pattern := range patterns {
			if e := (Expectation{Op: op, Path: pattern}); !kept[e] {
				a.Missing = append(a.Missing, e)
			}
		}
	}
	a.reconcileSymbols(d, symbols)
	a.sort()
	return a
}

func (d Declared) paths() map[Op][]string {
	return map[Op][]string{Created: d.Create, Modified: d.Modify, Deleted: d.Delete}
}

// covers reports whether a path lies within what may be changed in any way.
func (d Declared) covers(path string) bool {
	return slices.ContainsFunc(d.Within, func(pattern string) bool {
		folder := strings.TrimSuffix(pattern, "/")
		return Match(pattern, path) || folder == path || strings.HasPrefix(path, folder+"/")
	})
}

// coverParents moves folders from Extra to Matching that came or went with a
// declared path below them.
func (a *Account) coverParents() {
	type folder struct {
		op   Op
		path string
	}
	covered := make(map[folder]bool)
	for _, c := range a.Matching {
		if c.Op == Modified {
			continue
		}
		for dir, _ := splitPath(c.Path); dir != ""; dir, _ = splitPath(dir) {
			f := folder{c.Op, dir}
			if covered[f] {
				break
			}
			covered[f] = true
		}
	}
	var extra []Change
	for _, c := range a.Extra {
		if c.Kind() == Dir && covered[folder{c.Op, c.Path}] {
			a.Matching = append(a.Matching, c)
		} else {
			extra = append(extra, c)
		}
	}
	a.Extra = extra
}

// reconcileSymbols holds symbols against those that were declared. Lists that
// are nil say nothing about symbols; empty ones say that there are none.
func (a *Account) reconcileSymbols(d Declared, symbols []Symbol) {
	said := d.SymbolsAdd != nil || d.SymbolsRemove != nil
	if !said && !d.Public {
		return
	}
	expected := make(map[Expectation]bool)
	for _, name := range d.SymbolsAdd {
		expected[Expectation{Op: Created, Symbol: name}] = true
	}
	for _, name := range d.SymbolsRemove {
		expected[Expectation{Op: Deleted, Symbol: name}] = true
	}
	happened := make(map[Expectation]bool)
	for _, s := range symbols {
		e := Expectation{Op: s.Op, Symbol: s.Name}
		happened[e] = true
		switch {
		case expected[e]:
			a.SymbolsMatching = append(a.SymbolsMatching, s)
		case said || s.Public:
			a.SymbolsExtra = append(a.SymbolsExtra, s)
		}
	}
	for e := range expected { // in any order: sorted by the caller
		if !happened[e] {
			a.Missing = append(a.Missing, e)
		}
	}
}

// sort puts everything in an order that does not depend on that of the
// declarations.
func (a *Account) sort() {
	byChange := func(x, y Change) int { return strings.Compare(x.Path, y.Path) }
	slices.SortStableFunc(a.Matching, byChange)
	slices.SortStableFunc(a.Extra, byChange)
	slices.SortFunc(a.Missing, func(x, y Expectation) int {
		return cmp.Or(strings.Compare(x.Path, y.Path), strings.Compare(x.Symbol, y.Symbol),
			strings.Compare(string(x.Op), string(y.Op)))
	})
	a.Missing = slices.Compact(a.Missing)
	slices.SortFunc(a.SymbolsMatching, Symbol.Compare)
	slices.SortFunc(a.SymbolsExtra, Symbol.Compare)
}
