//go:build !unix

package standard

// noWait is not needed on this system.
const noWait = 0
