//go:build !torture

package main

// whole says that every kind of rogue line is tried in every step: go test -tags
// torture.
const whole = false
