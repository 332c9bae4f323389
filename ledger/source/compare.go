package source

import (
	"context"

	"github.com/planlock/planlock/ledger"
)

// Compare says what changed from before to after. content opens what either of
// them holds. Set against what was declared by ledger.Reconcile, it is an
// account. An error means that a content could not be had.
func Compare(ctx context.Context, before, after *ledger.Tree, content ledger.Content) (c ledger.Comparison,
	err error) {
	c.Changes = ledger.Diff(before, after)
	if c.Symbols, _, err = Symbols(ctx, c.Changes, content, content); err == nil {
		c.Lines, c.PerPath, err = ledger.Lines(ctx, c.Changes, content, content)
	}
	return c, err
}
