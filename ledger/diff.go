package ledger

import "strings"

// Op is what happened to a path.
type Op string

const (
	Created  Op = "created"  // was not there before
	Modified Op = "modified" // content, mode, target or kind; there are no renames
	Deleted  Op = "deleted"  // is not there any more
)

// verb is how a person would order the operation.
func (o Op) verb() string {
	switch o {
	case Created:
		return "create"
	case Modified:
		return "modify"
	case Deleted:
		return "delete"
	}
	return string(o)
}

// A Change is the difference of one path between two trees.
type Change struct {
	Path   string
	Op     Op
	Before *Entry // nil if created
	After  *Entry // nil if deleted
}

// Kind is what stands at the path now, or stood there if it was deleted.
func (c Change) Kind() Kind {
	switch {
	case c.After != nil:
		return c.After.Kind
	case c.Before != nil:
		return c.Before.Kind
	}
	return ""
}

// Diff says what changed from a to b, sorted by the bytes of the paths. It is
// empty if and only if the two have the same digest. A nil tree is an empty one.
func Diff(a, b *Tree) []Change {
	if a == nil {
		a = Empty()
	}
	if b == nil {
		b = Empty()
	}
	if a.digest == b.digest {
		return nil
	}
	var changes []Change
	add := func(op Op, before, after *Entry) {
		c := Change{Op: op}
		if before != nil {
			e := *before
			c.Path, c.Before = e.Path, &e
		}
		if after != nil {
			e := *after
			c.Path, c.After = e.Path, &e
		}
		changes = append(changes, c)
	}
	x, y := a.entries, b.entries
	for len(x) > 0 && len(y) > 0 {
		switch order := strings.Compare(x[0].Path, y[0].Path); {
		case order < 0:
			add(Deleted, &x[0], nil)
			x = x[1:]
		case order > 0:
			add(Created, nil, &y[0])
			y = y[1:]
		default:
			if !x[0].Same(y[0]) {
				add(Modified, &x[0], &y[0])
			}
			x, y = x[1:], y[1:]
		}
	}
	for i := range x {
		add(Deleted, &x[i], nil)
	}
	for i := range y {
		add(Created, nil, &y[i])
	}
	return changes
}
