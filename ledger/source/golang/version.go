package golang

import (
	"context"
	"runtime"

	"github.com/planlock/planlock/ledger/source"
)

var _ source.Versioned = Language{}

// ParserVersion is that of the Go that this program was built with.
func (Language) ParserVersion(context.Context) (string, error) {
	return "go/parser of " + runtime.Version(), nil
}
