package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/gate/internal/workspace"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// symbolExists: a source file declares the symbol.
func symbolExists(ctx context.Context, pass *gate.Pass, c plan.Check) (gate.Verdict, error) {
	at, err := findSymbol(ctx, pass, c.Symbol)
	if err != nil {
		return gate.Verdict{}, err
	}
	if at == nil {
		return gate.Breaks(gate.Finding{Message: fmt.Sprintf("symbol %q is not declared", c.Symbol)}), nil
	}
	v := gate.Holds(fmt.Sprintf("%q is declared in %s:%d", c.Symbol, at.Path, at.Line))
	v.Citations = []gate.Citation{*at}
	return v, nil
}

// symbolAbsent: no source file declares the symbol.
func symbolAbsent(ctx context.Context, pass *gate.Pass, c plan.Check) (gate.Verdict, error) {
	at, err := findSymbol(ctx, pass, c.Symbol)
	if err != nil {
		return gate.Verdict{}, err
	}
	if at != nil {
		return gate.Breaks(gate.Finding{Path: at.Path, Line: at.Line,
			Message: fmt.Sprintf("symbol %q is declared", c.Symbol)}), nil
	}
	return gate.Holds(fmt.Sprintf("nothing declares %q", c.Symbol)), nil
}

// findSymbol looks for a symbol in the workspace; nil if nothing declares it.
// The error says also that nobody can tell: a file where it may be declared was
// not read, or does not parse and shows no such symbol as far as it could be
// read.
func findSymbol(ctx context.Context, pass *gate.Pass, symbol string) (*gate.Citation, error) {
	sources := content.Sources(pass)
	places := sources.Places(symbol)
	if len(places) == 0 {
		return nil, fmt.Errorf("checks: %q is no symbol of a language that is read here; "+
			"write FOLDER.Name or FOLDER.Type.Method, and .Name in the root", symbol)
	}
	w, err := workspace.Open(pass.Dir)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	entries, contents, err := w.Sources(places, content.Max)
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(e ledger.Entry) bool { return sources.Language(e.Path) == nil })
	files, err := sources.Read(ctx, entries, contents)
	if err != nil {
		return nil, err
	}
	var blind error
	for i, f := range files {
		if s := f.Declares(symbol); s != nil {
			return &gate.Citation{Path: f.Path, Line: s.Line, Text: symbol}, nil
		}
		switch {
		case entries[i].Size == 0: // it hides nothing, though it may not parse
		case f.Unread+f.Partly != "":
			blind = fmt.Errorf("checks: whether %q declares %q nobody can say: %s", f.Path, symbol, f.Unread+f.Partly)
		case len(f.Faults) > 0:
			blind = fmt.Errorf("checks: whether %q declares %q nobody can say: line %d does not parse: %s",
				f.Path, symbol, f.Faults[0].Line, f.Faults[0].Why)
		}
	}
	if blind == nil && len(files) == 0 {
		blind = unreadPlace(pass, symbol)
	}
	return nil, blind
}

// unreadPlace says that a symbol may be declared in a file that nobody reads;
// nil if there is no such file. It is asked where no file that somebody reads
// can be meant.
func unreadPlace(pass *gate.Pass, symbol string) error {
	sources := content.Sources(pass)
	tree := pass.After
	if tree == nil {
		return nil
	}
	for e := range tree.All() {
		if e.Kind == ledger.File && sources.Unread(e.Path) != "" {
			return fmt.Errorf("checks: whether %q is declared nobody can say: no file that is read can declare it, "+
				"and nobody reads %s here (%q)", symbol, sources.Unread(e.Path), e.Path)
		}
	}
	return nil
}
