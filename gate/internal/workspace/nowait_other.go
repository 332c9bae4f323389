//go:build !unix

package workspace

// noWait is not needed on this system.
const noWait = 0
