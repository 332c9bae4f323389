package python

import (
	"context"

	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/ledger/source/internal/script"
)

var _ source.Versioned = Language{}

// ParserVersion is that of the Python.
func (l Language) ParserVersion(ctx context.Context) (string, error) {
	return script.Version(ctx, l.Program)
}
