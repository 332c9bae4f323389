package source

import (
	"context"

	"github.com/planlock/planlock/ledger"
)

// A Comparison is all that is known of what changed between two trees.
type Comparison struct {
	Changes []ledger.Change
	Symbols []ledger.Symbol // that came and went
	Lines   ledger.LineCount
	PerPath map[string]ledger.LineCount // of each file whose content changed
}

// Compare says what changed from before to after. content opens what either of
// them holds. Set against what was declared by ledger.Reconcile, it is an
// account. An error means that a content could not be had.
func Compare(ctx context.Context, before, after *ledger.Tree, content ledger.Content) (c Comparison, err error) {
	c.Changes = ledger.Diff(before, after)
	if c.Symbols, _, err = Symbols(ctx, c.Changes, content, content); err == nil {
		c.Lines, c.PerPath, err = ledger.Lines(ctx, c.Changes, content, content)
	}
	return c, err
}
