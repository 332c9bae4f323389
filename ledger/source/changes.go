package source

import (
	"context"
	"slices"

	"github.com/planlock/planlock/ledger"
)

// Compare says all that is known of changes, as [ledger.Diff] finds them: which
// symbols came and went, how many lines, and which files nobody read. content
// opens what either of the two trees holds. Set against what was declared by
// [ledger.Reconcile], it is an account. An error means that a content could not
// be had.
//
// Symbols are sorted by name. Test files count like others, and so do files that
// are left out of some builds. A symbol that moved between files, and kept its
// name, is neither added nor removed. Each name is there once, however many
// files declare it: only the changed files are read, so a name that one of them
// lost is removed, even where an unchanged file for another system declares it
// too. Files that do not parse, on either side, yield what could be read.
//
// Lines are those that each change added and removed, as diff counts them: all
// lines of a file that came or went, and of one that was modified the lines that
// differ. Binary contents count as zero lines, and so do folders, links and
// changes of mode alone. Contents of more than 32 MiB are not compared; all
// their lines count as replaced.
func (r *Reader) Compare(ctx context.Context, changes []ledger.Change, content ledger.Content) (
	c ledger.Comparison, err error) {
	c.Changes = changes
	pairs, err := r.Changed(ctx, changes, content)
	if err != nil {
		return c, err
	}
	c.Symbols, c.Unread = symbols(pairs)
	c.Lines, c.PerPath, err = countChanges(ctx, changes, content, content)
	return c, err
}

// A Pair is both sides of a changed source file. A side that is no file is nil.
type Pair struct {
	Path          string
	Before, After *File
}

// Language is the language of the file.
func (p *Pair) Language() string {
	if p.After != nil {
		return p.After.Language
	}
	return p.Before.Language
}

// Undecided says why it cannot be said what became of the surface of the file;
// nothing if it can.
func (p *Pair) Undecided() []string {
	why := append(p.Before.Undecided(), p.After.Undecided()...)
	if p.Before != nil && p.After != nil {
		why = append(why, Undecided(&p.Before.Surface, &p.After.Surface)...)
	}
	return why
}

// Changed reads both sides of all changes of the contents of source files, in
// their order, and all of one language in one go.
func (r *Reader) Changed(ctx context.Context, changes []ledger.Change, content ledger.Content) ([]Pair, error) {
	var pairs []Pair
	var entries []ledger.Entry
	for _, c := range changes {
		if !c.ChangesContent() || r.Language(c.Path) == nil && LanguageOf(c.Path) == "" {
			continue
		}
		pairs = append(pairs, Pair{Path: c.Path})
		for _, e := range sides(c) {
			if e != nil {
				entries = append(entries, *e)
			}
		}
	}
	files, err := r.Read(ctx, entries, content)
	if err != nil {
		return nil, err
	}
	n := 0
	for _, c := range changes {
		if n == len(pairs) || pairs[n].Path != c.Path {
			continue
		}
		for side, to := range []**File{&pairs[n].Before, &pairs[n].After} {
			if sides(c)[side] != nil {
				*to, files = files[0], files[1:]
			}
		}
		n++
	}
	return pairs, nil
}

// sides are both sides of a change, as far as they are files.
func sides(c ledger.Change) [2]*ledger.Entry {
	both := [2]*ledger.Entry{c.Before, c.After}
	for i, e := range both {
		if e != nil && e.Kind != ledger.File {
			both[i] = nil
		}
	}
	return both
}

// symbols says which symbols came and went, sorted by name, and of which files
// nobody can say it.
func symbols(pairs []Pair) (found []ledger.Symbol, unread []ledger.Unread) {
	was, is := names{}, names{}
	for _, p := range pairs {
		was.add(p.Before)
		is.add(p.After)
		for _, f := range []*File{p.Before, p.After} {
			if f != nil && f.Unread+f.Partly != "" {
				unread = append(unread, ledger.Unread{Path: p.Path, Language: f.Language, Why: f.Unread + f.Partly})
				break
			}
		}
	}
	found = append(was.without(is, ledger.Deleted), is.without(was, ledger.Created)...)
	slices.SortFunc(found, ledger.Symbol.Compare)
	return found, unread
}

// names are what the changed files of one tree declare: of each name the first
// declaration, in the order of symbols.
type names map[string]ledger.Symbol

// add adds the symbols of a file.
func (n names) add(f *File) {
	if f == nil {
		return
	}
	for _, s := range f.Symbols {
		_, public := f.Surface.Decls[s.Name]
		sym, old := ledger.Symbol{Name: s.Name, Path: f.Path, Line: s.Line, Public: public}, n[s.Name]
		if old.Name != "" && old.Compare(sym) < 0 {
			sym, old = old, sym
		}
		sym.Public = sym.Public || old.Public // of one of them at least
		n[s.Name] = sym
	}
}

// without are the symbols that other does not declare, in no order.
func (n names) without(other names, op ledger.Op) []ledger.Symbol {
	var left []ledger.Symbol
	for name, sym := range n { // in any order: whoever asks sorts
		if _, ok := other[name]; !ok {
			sym.Op = op
			left = append(left, sym)
		}
	}
	return left
}
