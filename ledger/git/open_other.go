//go:build !unix

package git

import "os"

// readOnly opens what git would read, following links as git does.
const readOnly = os.O_RDONLY
