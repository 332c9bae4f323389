// Package envelope names and digests all that a run's outcome depends on.
package envelope
