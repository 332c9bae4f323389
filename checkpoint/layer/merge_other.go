//go:build !linux

package layer

import "errors"

// merge is for overlays, of which there are none here.
func (o *overlay) merge(*Difference) error { return errors.ErrUnsupported }
