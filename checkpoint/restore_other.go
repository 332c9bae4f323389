//go:build !linux

package checkpoint

import (
	"os"
	"time"
)

// setLinkTime does nothing: the standard library cannot change the time of a
// link itself here.
func setLinkTime(*os.Root, string, time.Time) error { return nil }
