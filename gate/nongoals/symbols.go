package nongoals

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sync"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/gate/internal/say"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/plan"
)

// judgeProtectedSymbols compares the source text of protected declarations in
// the changed files, comments and formatting included. A declaration that moved
// to another file and kept its name is not changed. Of a file that nobody can
// read nobody can say that it left a symbol alone.
func judgeProtectedSymbols(ctx context.Context, pass *gate.Pass) error {
	if !slices.ContainsFunc(pass.Plan.NonGoals, func(n plan.NonGoal) bool { return len(n.Symbols) > 0 }) {
		return nil
	}
	pairs, err := content.ChangedSources(ctx, pass)
	if err != nil {
		return err
	}
	was, is := declarations{}, declarations{}
	for _, p := range pairs {
		was.add(p.Before)
		is.add(p.After)
	}
	for _, n := range pass.Plan.NonGoals {
		for _, symbol := range is.names() {
			name, protected := protectsSymbol(n, symbol)
			old, known := was[symbol]
			if !protected || !known || slices.Equal(old.texts, is[symbol].texts) {
				continue // added and removed ones are among the symbols of the pass
			}
			at := is[symbol].at
			pass.Report(gate.Finding{Code: code.NonGoal, Path: at.Path, Line: at.Line,
				Message: fmt.Sprintf("symbol %q must not be touched: non-goal %q (%s) protects %q", symbol, n.ID,
					n.Text, name),
				Expected: say.Tail(old.texts[0]), Happened: say.Tail(is[symbol].texts[0])})
		}
		for _, name := range n.Symbols {
			hidden(pass, n, name, pairs)
		}
	}
	return nil
}

// A declaration is a symbol of one side of the changed files: the texts of all
// that declare it, sorted, and where the first stands.
type declaration struct {
	texts []string
	at    gate.Citation
}

// declarations are those of one side of the changed files, by name.
type declarations map[string]declaration

// add adds the declarations of a file.
func (d declarations) add(f *source.File) {
	if f == nil {
		return
	}
	for _, s := range f.Symbols {
		known, ok := d[s.Name]
		if !ok {
			known.at = gate.Citation{Path: f.Path, Line: s.Line}
		}
		known.texts = append(known.texts, s.Text)
		slices.Sort(known.texts)
		d[s.Name] = known
	}
}

// names are those of all declarations, sorted.
func (d declarations) names() []string {
	all := make([]string, 0, len(d))
	for name := range d { // in any order: sorted below
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// hidden objects to the changed files that may hold a protected symbol, and that
// nobody could read.
func hidden(pass *gate.Pass, n plan.NonGoal, symbol string, pairs []source.Pair) {
	sources := content.Sources(pass)
	places := sources.Places(symbol)
	read := sync.OnceValue(func() bool { return elsewhere(pass, places) }) // it goes through whole trees
	for _, p := range pairs {
		why := blind(p)
		if len(why) == 0 {
			continue
		}
		if sources.Language(p.Path) != nil && !placed(places, p.Path) ||
			sources.Language(p.Path) == nil && !source.MayDeclare(p.Path, symbol) && read() {
			continue
		}
		content.Undecided(pass, p.Path, fmt.Sprintf("symbol %q was left as it was, which non-goal %q (%s) protects",
			symbol, n.ID, n.Text), why)
	}
}

// blind says why nobody saw all that a side of a file declares. One that is
// broken was seen as far as it could be read, and that is not all.
func blind(p source.Pair) (why []string) {
	for _, f := range []*source.File{p.Before, p.After} {
		switch {
		case f == nil:
		case f.Unread != "":
			why = append(why, f.Unread)
		case f.Partly != "":
			why = append(why, f.Partly)
		case len(f.Faults) > 0:
			why = append(why, "it does not parse: "+f.Faults[0].Why)
		}
	}
	return why
}

// elsewhere reports whether the symbol of some places is of a language that
// somebody reads: there are files where it would have to be declared.
func elsewhere(pass *gate.Pass, places []string) bool {
	for _, tree := range []*ledger.Tree{pass.Base, pass.Before, pass.After} {
		if tree == nil {
			continue
		}
		for e := range tree.All() {
			if e.Kind == ledger.File && placed(places, e.Path) {
				return true
			}
		}
	}
	return false
}

// placed reports whether one of some patterns matches a path.
func placed(places []string, p string) bool {
	return slices.ContainsFunc(places, func(pattern string) bool {
		ok, err := path.Match(pattern, p)
		return err == nil && ok
	})
}

// protectsSymbol finds the symbol of a non-goal that covers a symbol; a type
// covers its methods.
func protectsSymbol(n plan.NonGoal, symbol string) (name string, ok bool) {
	for _, name := range n.Symbols {
		if source.Belongs(symbol, name) {
			return name, true
		}
	}
	return "", false
}
