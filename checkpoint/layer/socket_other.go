//go:build !linux

package layer

import "io/fs"

// makeSocket leaves out what cannot be made everywhere.
func makeSocket(string, fs.FileMode) error { return nil }
