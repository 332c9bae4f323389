//go:build !unix

package atomicfile

import "os"

// syncFolder does nothing where folders cannot be synced.
func syncFolder(*os.Root, string) error { return nil }
