// Package source reads what changed: [Compare] says which symbols came and went
// and how many lines, [Unified] shows the lines. The only language whose symbols
// are known is Go.
//
// Files are read through a [ledger.Content], each checked against its entry,
// and nothing is read but what changed.
package source
