// Package source says what a set of changes means in the language of the files:
// which [Symbols] came and went. The only language is Go.
//
// Files are read through a [ledger.Content], each checked against its entry,
// and nothing is read but what changed.
package source
