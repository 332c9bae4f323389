//go:build !unix

package layer

// nonblock is nothing where there are no pipes with names.
const nonblock = 0
