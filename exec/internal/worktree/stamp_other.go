//go:build !linux && !darwin

package worktree

import "io/fs"

// identify adds nothing: there is nothing portable to add.
func identify(*Stamp, fs.FileInfo) {}
