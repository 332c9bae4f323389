//go:build !amd64 && !arm64

package tracee

import "errors"

// A Child cannot be held on this architecture.
type Child struct{}

// Hold fails.
func Hold(int) (*Child, error) { return nil, errors.ErrUnsupported }

// Release fails.
func (*Child) Release() error { return errors.ErrUnsupported }
