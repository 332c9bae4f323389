// Package ledger knows what a folder holds, what changed in it, and whether
// that is what was declared.
package ledger
