package ledger

import "context"

// LineCount is the size of a textual change.
type LineCount struct{ Added, Removed int }

// Lines counts the lines that each change added and removed; binary contents count as zero lines.
func Lines(ctx context.Context, changes []Change, before, after Content) (total LineCount, perPath map[string]LineCount, err error) {
	return LineCount{}, nil, nil
}
