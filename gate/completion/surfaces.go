package completion

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/gate/internal/surfaces"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/plan"
)

// surfacesHold holds what the plan says of public symbols against the final
// tree: each is declared, unless a step removes it, and so are the errors of
// packages of the workspace that it names.
func surfacesHold(ctx context.Context, pass *gate.Pass) error {
	if pass.After == nil {
		return nil
	}
	for i := range pass.Plan.Surfaces {
		f := &pass.Plan.Surfaces[i]
		files, entries, err := declaring(ctx, pass, f.Symbol)
		if err != nil {
			return err
		}
		declared := false
		for n, file := range files {
			if file.Declares(f.Symbol) == nil {
				continue
			}
			declared = true
			if err := surfaces.Judge(ctx, pass, f, file, entries[n]); err != nil {
				return err
			}
		}
		switch {
		case removed(pass.Plan, f.Symbol):
		case !declared && len(files) == 0 && len(content.Sources(pass).Places(f.Symbol)) == 0:
			pass.Nothingf("surface of %q: nobody reads the language of that symbol; it is for a reviewer", f.Symbol)
		case !declared:
			pass.Report(gate.Finding{Code: code.Surface, Message: fmt.Sprintf("the plan says what %q promises, and nothing declares it at the end", f.Symbol),
				Expected: fmt.Sprintf("symbol %q", f.Symbol), Happened: "nothing of the kind"})
		default:
			if err := errorsThere(ctx, pass, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// errorsThere looks for the errors that a surface names, as far as the workspace
// has the package that they would be of.
func errorsThere(ctx context.Context, pass *gate.Pass, f *plan.Surface) error {
	for _, text := range f.Errors {
		name, _, _ := strings.Cut(text, ": ")
		if strings.ContainsAny(name, " \t") {
			continue // words
		}
		files, _, err := declaring(ctx, pass, name)
		if err != nil {
			return err
		}
		declares := func(file *source.File) bool { return file.Declares(name) != nil }
		if len(files) == 0 || slices.ContainsFunc(files, declares) {
			continue
		}
		pass.Report(gate.Finding{Code: code.Surface, Message: fmt.Sprintf("the surface of %q names the error %q, which its package does not declare", f.Symbol, name),
			Expected: fmt.Sprintf("symbol %q", name), Happened: "nothing of the kind"})
	}
	return nil
}

// declaring reads the files of the final tree that may declare a symbol.
func declaring(ctx context.Context, pass *gate.Pass, symbol string) ([]*source.File, []ledger.Entry, error) {
	sources := content.Sources(pass)
	places := sources.Places(symbol)
	var entries []ledger.Entry
	for e := range pass.After.All() {
		of := func(pattern string) bool { ok, err := path.Match(pattern, e.Path); return err == nil && ok }
		if e.Kind == ledger.File && sources.Language(e.Path) != nil && slices.ContainsFunc(places, of) {
			entries = append(entries, e)
		}
	}
	if len(entries) == 0 {
		return nil, nil, nil
	}
	files, err := sources.Read(ctx, entries, pass.Content)
	if err != nil {
		return nil, nil, fmt.Errorf("completion: %w", err)
	}
	return files, entries, nil
}

// removed reports whether a step of the plan takes a symbol away.
func removed(p *plan.Plan, symbol string) bool {
	for _, s := range p.Steps() {
		if s.Artifacts != nil && slices.Contains(s.Artifacts.SymbolsRemove, symbol) {
			return true
		}
	}
	return false
}
