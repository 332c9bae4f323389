// Package proof proves a run: that its journal is whole and unaltered, that
// every tree it refers to is kept with all its contents, and that its documents
// are what the journal says, byte for byte.
//
// It reads a journal in one pass and keeps no records, changes nothing, and
// names the first thing that is wrong.
package proof
