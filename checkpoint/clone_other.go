//go:build !linux

package checkpoint

import (
	"errors"
	"os"
)

// cloneRange cannot do it here.
func cloneRange(*os.File, int64, *os.File, int64, int64) error { return errors.ErrUnsupported }
