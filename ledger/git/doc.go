// Package git reads the state of a git repository without running git and
// without writing anything, so that whoever lets others work in a folder sees
// when they moved the repository in it, which is never part of a tree.
//
// [Read] gives digests by name; two states are compared by
// [ledger.GitState.Moved]. What is read is taken by its meaning: packing refs,
// or the times that git keeps in its index, move nothing.
package git
