package delivery

import (
	"fmt"

	"github.com/planlock/planlock/ledger"
)

// A Conflict is a change that was not delivered: its path held something else
// than what the change says was there before. That stands there still.
type Conflict struct {
	Change ledger.Change
	// Found is what stands there; nil if nothing does. With another path than
	// the change has, it is in the way: the folder that holds the path is none,
	// or has something in it that is not to go, or a name is spelled otherwise.
	Found *ledger.Entry
}

// String says it to a person.
func (c Conflict) String() string {
	path := ledger.Quote(c.Change.Path)
	switch {
	case c.Found == nil && c.Change.Before == nil:
		return fmt.Sprintf("%s: the folder that it belongs in is gone", path)
	case c.Found == nil:
		return fmt.Sprintf("%s: somebody removed it", path)
	case c.Found.Path != c.Change.Path:
		return fmt.Sprintf("%s: %s %s is in the way", path, c.Found.Kind, ledger.Quote(c.Found.Path))
	case c.Change.Before == nil:
		return fmt.Sprintf("%s: somebody made a %s there", path, c.Found.Kind)
	}
	return fmt.Sprintf("%s: somebody changed it", path)
}
