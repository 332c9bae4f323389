//go:build !linux

package uptime

import "time"

// There is no clock here that counts from the start of the machine in a way
// that every process sees.
func sinceBoot() time.Duration { return 0 }

// ClockName is "": there is no such clock.
func ClockName() string { return "" }
