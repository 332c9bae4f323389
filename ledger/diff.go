package ledger

// Op is what happened to a path.
type Op string

const (
	Created  Op = "created"
	Modified Op = "modified" // content, mode, target or kind; there are no renames
	Deleted  Op = "deleted"
)

// A Change is the difference of one path between two trees.
type Change struct {
	Path   string
	Op     Op
	Before *Entry // nil if created
	After  *Entry // nil if deleted
}

// Diff says what changed from a to b, sorted by path.
func Diff(a, b *Tree) []Change { return nil }
