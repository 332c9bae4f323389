// Package git reads the state of a git repository without running git and
// without writing anything, so that whoever lets others work in a folder sees
// when they moved the repository in it, which is never part of a tree.
//
// [Read] gives digests by name; two states are compared by
// [ledger.GitState.Moved]. What is read is taken by its meaning: packing refs,
// or the times that git keeps in its index, move nothing.
//
// Part of the state are HEAD and what a merge, a rebase or a bisect left beside
// it; the index, entry by entry; every ref but those that only say what was
// last seen of another repository; configuration, attributes and excludes;
// hooks, and the configuration and hooks of submodules. Objects are not: they
// are added and never changed, and a ref says which of them count.
//
// What is there may have been planted. Sizes, depths and numbers are bounded,
// FIFOs are not waited for, and what cannot be understood is digested as it is,
// so that it still cannot change unseen.
package git
