package delivery

import (
	"context"
	"errors"

	"github.com/planlock/planlock/ledger"
)

// A Delivery is work that is staged in a workspace.
type Delivery struct {
	place   *Place
	name    string
	changes []ledger.Change
}

// Stage writes what changes put into the workspace into .planlock/stage/NAME,
// durably. Nothing of it can be seen in the workspace before Finish. A name
// (letters, digits, "-", "_", ".") stands for one delivery and its changes,
// also after a crash; changes that change nothing are left out.
func (p *Place) Stage(ctx context.Context, name string, changes []ledger.Change, open ledger.Content) (*Delivery, error) {
	return nil, errors.ErrUnsupported
}

// Finish delivers what was staged, and returns the paths at which it found
// something else than was expected. It goes forward only: after an error, and
// after a crash, call Stage and Finish again.
func (d *Delivery) Finish(ctx context.Context) ([]Conflict, error) {
	return nil, errors.ErrUnsupported
}

// Conflicts names the changes whose path holds neither what was there before
// nor what they put there. It writes nothing.
func (p *Place) Conflicts(ctx context.Context, changes []ledger.Change) ([]Conflict, error) {
	return nil, errors.ErrUnsupported
}
