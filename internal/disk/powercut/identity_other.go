//go:build !unix

package powercut

import "io/fs"

// identify cannot tell files apart here: the package works on Unix only.
func identify(fs.FileInfo) identity { return identity{} }
