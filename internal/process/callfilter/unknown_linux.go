//go:build !amd64 && !arm64

package callfilter

// Known says that the numbers of this architecture's system calls are known
// here.
const Known = false
