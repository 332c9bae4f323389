package layer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// A Difference is what is different in a layer from what lies below it.
type Difference struct {
	Changes []ledger.Change // sorted by their paths
	Lost    []Loss          // what is different too, and is no part of a tree; sorted
}

// A Loss is something in a layer that cannot be delivered.
type Loss struct {
	Path string
	What string
}

// notDelivered is said of repositories and of the controller's folder.
const notDelivered = "is never delivered"

// String says it to a person.
func (l Loss) String() string { return fmt.Sprintf("%s: %s", ledger.Quote(l.Path), l.What) }

// note takes a change in, unless both sides are the same; it reports whether
// they were not.
func (d *Difference) note(before, after *ledger.Entry) bool {
	switch {
	case before == nil && after == nil:
		return false
	case before == nil:
		d.Changes = append(d.Changes, ledger.Change{Path: after.Path, Op: ledger.Created, After: after})
	case after == nil:
		d.Changes = append(d.Changes, ledger.Change{Path: before.Path, Op: ledger.Deleted, Before: before})
	case before.Same(*after):
		return false
	default:
		d.Changes = append(d.Changes,
			ledger.Change{Path: after.Path, Op: ledger.Modified, Before: before, After: after})
	}
	return true
}

func (d *Difference) lose(path, format string, args ...any) {
	d.Lost = append(d.Lost, Loss{path, fmt.Sprintf(format, args...)})
}

// sort puts all in order, and says nothing twice.
func (d *Difference) sort() {
	slices.SortFunc(d.Changes, func(a, b ledger.Change) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(d.Lost, func(a, b Loss) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.What, b.What))
	})
	d.Lost = slices.Compact(d.Lost)
}
