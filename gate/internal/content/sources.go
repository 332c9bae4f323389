package content

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/code"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/golang"
)

// Sources is what reads source files for a pass: Go alone where it says
// nothing.
func Sources(pass *gate.Pass) *source.Reader {
	if pass.Sources != nil {
		return pass.Sources
	}
	return &source.Reader{Languages: []source.Language{golang.Language{}}}
}

// ChangedSources reads both sides of the source files that changed.
func ChangedSources(ctx context.Context, pass *gate.Pass) ([]source.Pair, error) {
	open := pass.Content
	if open == nil {
		open = func(context.Context, ledger.Entry) (io.ReadCloser, error) { return nil, errNoContent }
	}
	pairs, err := Sources(pass).Changed(ctx, pass.Changes, open)
	if err != nil {
		return nil, fmt.Errorf("gate: %w", err)
	}
	return pairs, nil
}

// Undecided objects that nobody can say whether a promise about a changed source
// file is kept, unless a person said so. A promise that nobody can check is not
// kept.
func Undecided(pass *gate.Pass, path, promise string, why []string) {
	reason := strings.Join(slices.Compact(why), "; ")
	if slices.Contains(pass.Vouched, path) {
		pass.Evidencef("%q: nobody can say whether %s (%s), and a person said that it is so", path, promise, reason)
		return
	}
	pass.Report(gate.Finding{Code: code.Unread, Path: path,
		Message:  fmt.Sprintf("%q: nobody can say whether %s: %s", path, promise, reason),
		Expected: promise, Happened: "undecided: " + reason})
}
