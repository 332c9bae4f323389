//go:build !unix

package plan

const openNonblock = 0
