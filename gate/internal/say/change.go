// Package say puts into words what gates find: commands, checks and changes.
//
// What is quoted from commands is cut to its end, where errors stand. Gates say
// the same thing in the same words, so that people, and reports that are
// compared, find it again.
package say

import (
	"fmt"

	"github.com/planlock/planlock/ledger"
)

// Symbol is what happened to a symbol.
func Symbol(op ledger.Op) string {
	if op == ledger.Deleted {
		return "removed"
	}
	return "added"
}

// Change says what happened to a path, so that a reader sees also a change of
// mode or kind alone.
func Change(c ledger.Change) string {
	b, a := c.Before, c.After
	switch {
	case b == nil || a == nil:
		return string(c.Op)
	case b.Kind != a.Kind:
		return fmt.Sprintf("modified: a %s became a %s", b.Kind, a.Kind)
	case b.Digest != a.Digest && b.Size == a.Size:
		return fmt.Sprintf("modified: other content of the same size, %d bytes", a.Size)
	case b.Digest != a.Digest:
		return fmt.Sprintf("modified: content of %d bytes became %d bytes", b.Size, a.Size)
	case b.Target != a.Target:
		return fmt.Sprintf("modified: a link to %q became a link to %q", b.Target, a.Target)
	case b.Mode != a.Mode:
		return fmt.Sprintf("modified: mode %v became %v", b.Mode, a.Mode)
	}
	return string(c.Op)
}
