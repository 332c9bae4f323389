// Package goapi reads the declarations of Go source files by syntax alone, and
// compares the exported ones of two versions of a folder. It resolves no types
// across files: where two spellings of one type differ (an alias against its
// target), it says "changed". A declaration is compared together with the
// builds that its file belongs to, by its name and its build constraint. It
// never runs or imports what it reads.
package goapi
