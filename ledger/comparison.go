package ledger

// A Comparison is all that is known of what changed between two trees.
type Comparison struct {
	Changes []Change
	Symbols []Symbol // added and removed
	Lines   LineCount
	PerPath map[string]LineCount // of each file whose content changed
}
