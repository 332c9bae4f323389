package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/gate/internal/goapi"
	"github.com/planlock/planlock/gate/internal/workspace"
	"github.com/planlock/planlock/plan"
)

// symbolExists: a Go file of the folder declares the symbol.
func symbolExists(_ context.Context, pass *gate.Pass, c plan.Check) (gate.Verdict, error) {
	at, err := findSymbol(pass, c.Symbol)
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

// symbolAbsent: no Go file of the folder declares the symbol.
func symbolAbsent(_ context.Context, pass *gate.Pass, c plan.Check) (gate.Verdict, error) {
	at, err := findSymbol(pass, c.Symbol)
	if err != nil {
		return gate.Verdict{}, err
	}
	if at != nil {
		return gate.Breaks(gate.Finding{Path: at.Path, Line: at.Line,
			Message: fmt.Sprintf("symbol %q is declared", c.Symbol)}), nil
	}
	return gate.Holds(fmt.Sprintf("no Go file declares %q", c.Symbol)), nil
}

// findSymbol looks for a symbol in the workspace; nil if nothing declares it.
func findSymbol(pass *gate.Pass, symbol string) (*gate.Citation, error) {
	places := splitSymbol(symbol)
	if len(places) == 0 {
		return nil,
			fmt.Errorf("checks: %q is no symbol; write FOLDER.Name or FOLDER.Type.Method, and .Name in the root",
				symbol)
	}
	w, err := workspace.Open(pass.Dir)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	for _, place := range places {
		files, err := w.GoFiles(place.folder, content.Max)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			texts, _ := goapi.Texts(f.Path, f.Content) // of a broken file, what can be read counts
			for _, t := range texts {
				if t.Name == place.name {
					return &gate.Citation{Path: f.Path, Line: t.Line, Text: symbol}, nil
				}
			}
		}
	}
	return nil, nil
}

// A place is one way to read a symbol.
type place struct{ folder, name string }

// splitSymbol reads FOLDER.Name and FOLDER.Type.Method. A folder may have dots
// in its name, so "a.B.C" is both C in a.B and B.C in a.
func splitSymbol(symbol string) []place {
	slash := strings.LastIndexByte(symbol, '/') + 1
	last := strings.LastIndexByte(symbol, '.')
	if last < slash || last == len(symbol)-1 {
		return nil
	}
	out := []place{{symbol[:last], symbol[last+1:]}}
	if prev := strings.LastIndexByte(symbol[:last], '.'); prev >= slash && prev < last-1 {
		out = append(out, place{symbol[:prev], symbol[prev+1:]})
	}
	return out
}
