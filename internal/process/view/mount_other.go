//go:build !linux || (!amd64 && !arm64)

package view

import (
	"errors"
	"os"

	"github.com/planlock/planlock/checkpoint/layer"
)

// Mount fails: each command mounts its overlays.
func Mount(*layer.View) (*os.File, error) { return nil, errors.ErrUnsupported }
