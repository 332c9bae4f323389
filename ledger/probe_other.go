//go:build !linux

package ledger

// probe cannot ask without leaving something behind; so times count as coarse.
func probe(string) grain { return unknown }
