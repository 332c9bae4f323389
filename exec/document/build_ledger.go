package document

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/ledger"
)

// newEntry describes the ledger entry of an attempt. Lists are never nil: in
// JSON an empty list is not null.
func newEntry(a *history.Accounted) *entry {
	changes := func(cs []ledger.Change) []change {
		return each(cs, func(c ledger.Change) change { return newChange(c, a.PerPath) })
	}
	return &entry{
		Tree: a.Tree, Declared: newDeclared(a.Declared), Changes: changes(a.Changes),
		Matching: changes(a.Account.Matching), Extra: changes(a.Account.Extra),
		Missing: each(a.Account.Missing, func(e ledger.Expectation) expectation {
			return expectation{e.Op, newPath(e.Path), e.Symbol}
		}),
		SymbolsMatching: each(a.Account.SymbolsMatching, newSymbol),
		SymbolsExtra:    each(a.Account.SymbolsExtra, newSymbol),
		Symbols:         each(a.Symbols, newSymbol), Lines: lineCount(a.Lines), GitMoved: list(a.Git), free: a.Unsaid,
		more: max(0, a.Total-len(a.Changes)),
	}
}

// newChange describes a change, with its lines where they were counted.
func newChange(c ledger.Change, lines map[string]ledger.LineCount) change {
	out := change{path: newPath(c.Path), Op: c.Op, Before: newContent(c.Before), After: newContent(c.After)}
	if at := out.After; at != nil {
		out.Kind = string(at.Kind)
	} else if out.Before != nil {
		out.Kind = string(out.Before.Kind)
	}
	if n, ok := lines[c.Path]; ok {
		out.Lines = (*lineCount)(&n)
	}
	return out
}

// newContent describes what stood at a path; nil where nothing did.
func newContent(e *ledger.Entry) *content {
	if e == nil {
		return nil
	}
	return &content{e.Kind, octal(e.Mode), e.Size, e.Digest, e.Target}
}

// octal writes a mode as chmod takes it.
func octal(m fs.FileMode) string {
	bits := uint32(m.Perm())
	for i, b := range []fs.FileMode{fs.ModeSticky, fs.ModeSetgid, fs.ModeSetuid} {
		if m&b != 0 {
			bits |= 0o1000 << i
		}
	}
	return fmt.Sprintf("%04o", bits)
}

// newSymbol describes a symbol that was added or removed.
func newSymbol(s ledger.Symbol) symbol { return symbol{s.Name, s.Op, newPath(s.Path), s.Line} }

// newDeclared describes what a step declares. The lists keep the order of the
// plan.
func newDeclared(d ledger.Declared) *declared {
	return &declared{each(d.Create, newPath), each(d.Modify, newPath), each(d.Delete, newPath), d.SymbolsAdd,
		d.SymbolsRemove}
}

// netFiles joins the changes of all accepted steps, in the order of execution,
// to one per path; folders are left out, and files that are again what they were.
func netFiles(steps []*step) ([]file, lineCount) {
	found := make(map[string]*file)
	var order []*file
	for _, s := range steps {
		if s.Status != history.Completed || s.account() == nil {
			continue
		}
		for _, c := range s.account().Changes {
			if c.Kind == string(ledger.Dir) {
				continue
			}
			f := found[c.shown]
			if f == nil {
				f = &file{path: c.path, before: c.Before}
				found[c.shown] = f
				order = append(order, f)
			}
			f.add(c, string(s.Address))
		}
	}
	files, total := []file{}, lineCount{}
	for _, f := range order {
		if f.Op != "" && !f.asBefore() {
			files = append(files, *f)
			total.Added += f.Lines.Added
			total.Removed += f.Lines.Removed
		}
	}
	slices.SortFunc(files, func(a, b file) int { return compare(a.shown, b.shown) })
	return files, total
}

// unlisted is how many changes of completed steps are in the store alone, as their
// accounts are very large.
func (rep *Model) unlisted() int {
	n := 0
	for _, s := range rep.steps {
		if e := s.account(); e != nil && s.Status == history.Completed {
			n += e.more
		}
	}
	return n
}

// modified is how many files the run changed, those that are not listed as well.
func (rep *Model) modified() int { return len(rep.Files) + rep.unlisted() }

// add joins a later change: what was created and deleted again is no change.
func (f *file) add(c change, by string) {
	switch {
	case f.Op == ledger.Created && c.Op == ledger.Deleted:
		*f = file{path: f.path}
		return
	case f.Op == ledger.Deleted && c.Op == ledger.Created:
		f.Op = ledger.Modified
	case f.Op != ledger.Created:
		f.Op = c.Op
	}
	if c.Lines != nil {
		f.Lines.Added += c.Lines.Added
		f.Lines.Removed += c.Lines.Removed
	}
	f.Steps, f.after = append(f.Steps, by), c.After
}

// asBefore reports whether a file was changed and is what it was again.
func (f *file) asBefore() bool { return f.before != nil && f.after != nil && *f.before == *f.after }

// parents are the folders in which something changed.
func parents(changes []change) map[string]bool {
	all := map[string]bool{}
	for _, c := range changes {
		if i := strings.LastIndexByte(c.shown, '/'); i > 0 {
			all[c.shown[:i]] = true
		}
	}
	return all
}

// declarations are what the completed steps of an observing run would have had
// to declare under the profile strict.
func declarations(rep *Model) []declaration {
	if !rep.Profile.Records() {
		return nil
	}
	var out []declaration
	for _, s := range rep.steps {
		e := s.account()
		if s.Status != history.Completed || e == nil || len(e.Changes) == 0 || s.Declared != nil && e.holds() {
			continue
		}
		d := declaration{Step: string(s.Address), Create: []path{}, Modify: []path{}, Delete: []path{},
			MaxFiles: e.more, MaxLines: e.Lines.Added + e.Lines.Removed}
		within := parents(e.Changes)
		for _, c := range e.Changes {
			if c.Kind == string(ledger.Dir) && c.Op != ledger.Modified && within[c.shown] {
				continue // it came or went with what it holds
			}
			d.MaxFiles++
			switch c.Op {
			case ledger.Created:
				d.Create = append(d.Create, c.path)
			case ledger.Deleted:
				d.Delete = append(d.Delete, c.path)
			default:
				d.Modify = append(d.Modify, c.path)
			}
		}
		out = append(out, d)
	}
	return out
}
