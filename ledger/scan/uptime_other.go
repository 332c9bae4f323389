//go:build !linux

package scan

import "time"

// There is no clock here that counts from the start of the machine in a way
// that every process sees.
func sinceBoot() time.Duration { return 0 }

// clockName is "": there is no such clock.
func clockName() string { return "" }
