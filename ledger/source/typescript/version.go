package typescript

import (
	"context"

	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/internal/script"
)

var _ source.Versioned = language{}

// ParserVersion is that of the typescript package, run by the node.
func (l language) ParserVersion(ctx context.Context) (string, error) {
	node, err := script.Version(ctx, l.Node)
	return "typescript " + l.Version + " on node " + node, err
}
