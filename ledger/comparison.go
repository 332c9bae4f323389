package ledger

// A Comparison is all that is known of what changed between two trees.
type Comparison struct {
	Changes []Change
	Symbols []Symbol // added and removed
	Lines   LineCount
	PerPath map[string]LineCount // of each file whose content changed
	// Unread are the changed source files of which nobody can say which symbols
	// came and went.
	Unread []Unread
}

// Unread is a source file that nobody read, and why.
type Unread struct {
	Path     string `json:"path"`
	Language string `json:"language"`
	Why      string `json:"why"`
}

// LineCount is the size of a textual change.
type LineCount struct {
	Added   int `json:"added"`
	Removed int `json:"removed"`
}

// Changed is the number that limits hold against: lines added and lines
// removed.
func (l LineCount) Changed() int { return l.Added + l.Removed }
