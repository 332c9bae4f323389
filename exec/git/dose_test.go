//go:build !torture

package git

// forty is how many steps TestForty commits: an even number.
const forty = 4
