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
	c := comparison{times: times}
	c.folders("", a.root, b.root)
	return c.changes
}

// A comparison walks two trees side by side, in the order of the bytes of the
// paths.
type comparison struct {
	times   bool // times of modification count
	changes []Change
}

// A side is an entry in one of two trees; nothing where its folder is nil.
type side struct {
	in *Folder
	at int
}

// entry is the entry at path; nil for nothing.
func (s side) entry(path string) *Entry {
	if s.in == nil {
		return nil
	}
	e := s.in.at(path, s.at)
	return &e
}

// folder is what the entry stands for; nil if it is no folder.
func (s side) folder() *Folder {
	if s.in == nil {
		return nil
	}
	return s.in.sub(s.at)
}

// A pair is a folder in both trees, or in one.
type pair struct {
	name string
	a, b *Folder
}

// folders compares two folders at a path, "" for the root, either of which may
// be missing. Folders with equal digests are not entered.
func (c *comparison) folders(path string, a, b *Folder) {
	switch {
	case a == b, a != nil && b != nil && !c.times && a.hash == b.hash:
		return
	case a == nil:
		b.all(path, func(e Entry) bool { c.emit(Created, e.Path, nil, &e); return true })
		return
	case b == nil:
		a.all(path, func(e Entry) bool { c.emit(Deleted, e.Path, &e, nil); return true })
		return
	}
	var open []pair // folders whose contents are still to come; the last is the next
	below := func() {
		p := open[len(open)-1]
		open = open[:len(open)-1]
		c.folders(childOf(path, p.name), p.a, p.b)
	}
	for i, j := 0, 0; i < len(a.rows) || j < len(b.rows); {
		var before, after side
		name, order := "", 0
		switch {
		case i == len(a.rows):
			order = 1
		case j == len(b.rows):
			order = -1
		default:
			order = strings.Compare(a.names.At(i), b.names.At(j))
		}
		if order <= 0 {
			before, name = side{a, i}, a.names.At(i)
			i++
		}
		if order >= 0 {
			after, name = side{b, j}, b.names.At(j)
			j++
		}
		for len(open) > 0 && passed(open[len(open)-1].name, name) {
			below()
		}
		c.entries(path, name, before, after)
		if p := (pair{name, before.folder(), after.folder()}); p.a != p.b {
			open = append(open, p)
		}
	}
	for len(open) > 0 {
		below()
	}
}

// entries compares what two trees have under a name in the folder at dir.
func (c *comparison) entries(dir, name string, before, after side) {
	op := Modified
	switch {
	case before.in == nil:
		op = Created
	case after.in == nil:
		op = Deleted
	default:
		x, y := &before.in.rows[before.at], &after.in.rows[after.at]
		same := x.same(y) && (!c.times || x.SameTime(y))
		if same && (x.Kind() != Link || before.in.Target(before.at) == after.in.Target(after.at)) {
			return
		}
	}
	path := childOf(dir, name)
	c.emit(op, path, before.entry(path), after.entry(path))
}

func (c *comparison) emit(op Op, path string, before, after *Entry) {
	c.changes = append(c.changes, Change{Path: path, Op: op, Before: before, After: after})
}
