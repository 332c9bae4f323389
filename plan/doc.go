// Package plan is the contract: its model, the reader of the native format,
// diagnostics, the graph, coverage, the canonical form with its digest, and the lock.
package plan
