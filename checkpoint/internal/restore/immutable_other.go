//go:build !linux && !darwin

package restore

import "github.com/planlock/planlock/internal/disk"

// immutable reports nothing here: what the system refuses says so by itself.
func immutable(*disk.Root, string) bool { return false }
