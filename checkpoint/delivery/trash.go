package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/planlock/planlock/ledger"
)

// A Finding is something in the trash that is not what it was when it came out
// of the workspace: somebody had it open, and wrote. It is kept until somebody
// removes it.
type Finding struct {
	Delivery string        // its name
	Was      ledger.Entry  // what came out, with its path in the workspace
	Found    *ledger.Entry // what it is now; nil if it is gone
	Kept     string        // where it lies, relative to the workspace
}

// Findings looks again at all that lies in the trash.
func (p *Place) Findings(ctx context.Context) ([]Finding, error) { return nil, errors.ErrUnsupported }

// Empty removes from the trash what came out before a time, and is still what
// it was then. It returns what is not, and keeps that.
func (p *Place) Empty(ctx context.Context, before time.Time) ([]Finding, error) {
	return nil, errors.ErrUnsupported
}
