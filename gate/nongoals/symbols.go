package nongoals

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/content"
	"github.com/planlock/planlock/gate/internal/goapi"
	"github.com/planlock/planlock/gate/internal/say"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// judgeProtectedSymbols compares the source text of protected declarations in
// the changed files, comments and formatting included. A declaration that moved
// to another file of its folder as it was is not changed.
func judgeProtectedSymbols(ctx context.Context, pass *gate.Pass) error {
	if !slices.ContainsFunc(pass.Plan.NonGoals, func(n plan.NonGoal) bool { return len(n.Symbols) > 0 }) {
		return nil
	}
	was, err := declared(ctx, pass, content.Before)
	if err != nil {
		return err
	}
	is, err := declared(ctx, pass, content.After)
	if err != nil {
		return err
	}
	for _, n := range pass.Plan.NonGoals {
		for _, symbol := range is.names {
			name, protected := protectsSymbol(n, symbol)
			old, known := was.texts[symbol]
			if !protected || !known || slices.Equal(old, is.texts[symbol]) {
				continue // added and removed ones are among the symbols of the pass
			}
			at := is.at[symbol]
			pass.Report(gate.Finding{Code: code.NonGoal, Path: at.Path, Line: at.Line,
				Message: fmt.Sprintf("symbol %q must not be touched: non-goal %q (%s) protects %q", symbol, n.ID,
					n.Text, name),
				Expected: say.Tail(old[0]), Happened: say.Tail(is.texts[symbol][0])})
		}
	}
	return nil
}

// declarations are the texts of the declarations of one side of the changed Go
// files.
type declarations struct {
	names []string // sorted
	texts map[string][]string
	at    map[string]gate.Citation
}

// declared reads the declarations of one side of the changes, by symbol.
func declared(ctx context.Context, pass *gate.Pass, of content.Side) (declarations, error) {
	d := declarations{texts: map[string][]string{}, at: map[string]gate.Citation{}}
	for _, c := range pass.Changes {
		e := of(c)
		if !content.IsGo(c.Path) || e == nil || e.Kind != ledger.File {
			continue
		}
		if !content.Readable(e) {
			pass.Evidencef("%q is larger than %d bytes and was not read", c.Path, content.Max)
			continue
		}
		text, err := content.Of(ctx, pass, *e)
		if err != nil {
			return d, err
		}
		texts, _ := goapi.Texts(e.Path, text) // that it is broken is the syntax gate's to say
		for _, t := range texts {
			name := content.FolderOf(e.Path) + "." + t.Name
			if _, ok := d.texts[name]; !ok {
				d.names = append(d.names, name)
				d.at[name] = gate.Citation{Path: e.Path, Line: t.Line}
			}
			d.texts[name] = append(d.texts[name], t.Text)
		}
	}
	slices.Sort(d.names)
	for _, texts := range d.texts {
		slices.Sort(texts)
	}
	return d, nil
}

// protectsSymbol finds the symbol of a non-goal that covers a symbol; a type
// covers its methods.
func protectsSymbol(n plan.NonGoal, symbol string) (name string, ok bool) {
	for _, name := range n.Symbols {
		if symbol == name || strings.HasPrefix(symbol, name+".") {
			return name, true
		}
	}
	return "", false
}
