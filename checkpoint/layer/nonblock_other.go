//go:build !unix

package layer

// There are no pipes with names here; what is a link, an os.Root sees itself.
const (
	nonblock = 0
	noFollow = 0
)
