package source

import (
	"context"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// maxSource is the size, in bytes, of the largest Go file that is parsed.
const maxSource = 16 << 20

// symbols reads only the changed Go files on both sides and says which symbols
// were added or removed, sorted by name, as [Compare] has them. Files that do
// not parse, or are too large, are named in broken, sorted.
func symbols(ctx context.Context, changes []ledger.Change, before, after ledger.Content) (found []ledger.Symbol,
	broken []string, err error) {
	was, is := newSource(), newSource()
	for _, c := range changes {
		if !strings.HasSuffix(c.Path, ".go") || !c.ChangesContent() {
			continue
		}
		if err := was.read(ctx, c.Before, before); err != nil {
			return nil, nil, err
		}
		if err := is.read(ctx, c.After, after); err != nil {
			return nil, nil, err
		}
	}
	found = append(was.without(is, ledger.Deleted), is.without(was, ledger.Created)...)
	slices.SortFunc(found, ledger.Symbol.Compare)
	broken = append(was.broken, is.broken...)
	slices.Sort(broken)
	return found, slices.Compact(broken), nil
}

// source is what the changed files of one tree declare.
type source struct {
	declared map[string]ledger.Symbol // by name: the first declaration
	broken   []string
}

func newSource() *source { return &source{declared: make(map[string]ledger.Symbol)} }

// read adds the symbols of a file. One that is too large or does not parse is
// noted, and no error: a tree may hold anything. Of two symbols of one name the
// first stays, in the order of symbols.
func (s *source) read(ctx context.Context, e *ledger.Entry, open ledger.Content) error {
	if e == nil || e.Kind != ledger.File {
		return nil
	}
	if e.Size > maxSource {
		s.broken = append(s.broken, e.Path)
		return nil
	}
	content, err := open.Read(ctx, e)
	if err != nil {
		return err
	}
	symbols, err := goSymbols(e.Path, content)
	if err != nil {
		s.broken = append(s.broken, e.Path)
	}
	for _, sym := range symbols {
		if old, ok := s.declared[sym.Name]; !ok || sym.Compare(old) < 0 {
			s.declared[sym.Name] = sym
		}
	}
	return nil
}

// without are the symbols that other does not declare, in no order.
func (s *source) without(other *source, op ledger.Op) []ledger.Symbol {
	var left []ledger.Symbol
	for name, sym := range s.declared { // in any order: whoever asks sorts
		if _, ok := other.declared[name]; !ok {
			sym.Op = op
			left = append(left, sym)
		}
	}
	return left
}
