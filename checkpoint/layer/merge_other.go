//go:build !linux

package layer

import (
	"errors"

	"github.com/planlock/planlock/ledger"
)

// merge is for overlays, of which there are none here.
func merge(string, string, string, marks, map[string]string, []ledger.Change) error {
	return errors.ErrUnsupported
}
