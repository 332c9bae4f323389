// Package record says what a journal consists of: [Fact]s that callers add, and
// the [Record]s that they become, each chained to the one before by its hash.
// It is pure, so that facts can be folded without any storage.
//
// Package checkpoint writes, reads and verifies records, and keeps them in a
// log.
package record
