//go:build linux && !amd64 && !arm64

package process

import (
	"errors"

	"github.com/planlock/planlock/internal/process/tracee"
)

// A held child cannot be made to do anything on this architecture.
func (*confinement) stage(*tracee.Child, string) error { return errors.ErrUnsupported }
