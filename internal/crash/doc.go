// Package crash holds the tests in which whole runs meet a disk that fails and
// a power supply that goes. There is no code in it but tests.
//
// A run of 35 steps, with failures, retries, backups, restores, negative
// controls, a rollback by a person and an interruption, works on the disks of
// internal/disk: in TestPower the power goes at every operation, with what was
// not synced lost in all classes of ways, and again while the run recovers; in
// TestFaults each operation fails in turn. After each, a new controller must
// carry the run to the very same end. docs/testing.md says how to run all of it.
package crash
