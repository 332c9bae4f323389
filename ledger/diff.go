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
// empty if and only if the two have the same digest. A nil tree is an empty
// one.
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
	return differences(a, b, false)
}

// Touched says what Diff says, and names also the entries of which nothing but
// the time of modification differs, as modified. Where b was scanned with a as
// its prior tree, what both share is not looked at, so that the work follows
// the number of folders in which something moved.
func Touched(a, b *Tree) []Change {
	if a == nil {
		a = Empty()
	}
	if b == nil {
		b = Empty()
	}
	return differences(a, b, true)
}

// differences are the changes that make a into b; times count as changes if
// they are asked for. They hold copies, and keep neither tree alive.
func differences(a, b *Tree, times bool) []Change {
	var changes []Change
	c := comparison{times: times, emit: func(op Op, before, after *Entry) {
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
	}}
	c.folders(a.root, b.root)
	return changes
}

// A comparison walks two trees side by side, in the order of the bytes of the
// paths.
type comparison struct {
	times bool // times of modification count
	emit  func(op Op, before, after *Entry)
}

// A pair is a folder in both trees, or in one.
type pair struct {
	name string
	a, b *Folder
}

// folders compares two folders, either of which may be missing. Folders with
// equal digests are not entered.
func (c *comparison) folders(a, b *Folder) {
	switch {
	case a == b, a != nil && b != nil && !c.times && a.hash == b.hash:
		return
	case a == nil:
		b.all(func(e *Entry) bool { c.emit(Created, nil, e); return true })
		return
	case b == nil:
		a.all(func(e *Entry) bool { c.emit(Deleted, e, nil); return true })
		return
	}
	var open []pair // folders whose contents are still to come; the last is the next
	below := func() {
		p := open[len(open)-1]
		open = open[:len(open)-1]
		c.folders(p.a, p.b)
	}
	x, y := a.subs, b.subs
	for i, j := 0, 0; i < len(a.entries) || j < len(b.entries); {
		var before, after *Entry
		var p pair
		order := 0
		switch {
		case i == len(a.entries):
			order = 1
		case j == len(b.entries):
			order = -1
		default:
			order = strings.Compare(a.Name(i), b.Name(j))
		}
		if order <= 0 {
			before, p.name = &a.entries[i], a.Name(i)
			if i++; before.Kind == Dir {
				p.a, x = x[0], x[1:]
			}
		}
		if order >= 0 {
			after, p.name = &b.entries[j], b.Name(j)
			if j++; after.Kind == Dir {
				p.b, y = y[0], y[1:]
			}
		}
		for len(open) > 0 && passed(open[len(open)-1].name, p.name) {
			below()
		}
		c.entries(before, after)
		if p.a != p.b {
			open = append(open, p)
		}
	}
	for len(open) > 0 {
		below()
	}
}

// entries compares what two trees have in one place; nil is nothing.
func (c *comparison) entries(before, after *Entry) {
	switch {
	case before == after:
	case before == nil:
		c.emit(Created, nil, after)
	case after == nil:
		c.emit(Deleted, before, nil)
	case !before.Same(*after), c.times && !before.ModTime.Equal(after.ModTime):
		c.emit(Modified, before, after)
	}
}
