// Package record says what a journal consists of: [Fact]s that callers add, and
// the [Record]s that they become, each chained to the one before by its hash.
// It is pure, so that facts can be folded, and journals verified, without any
// storage.
//
// [Chain.Extend] writes a record, [Chain.Follow] reads and verifies it. Package
// checkpoint keeps records in a log.
package record
