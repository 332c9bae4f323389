package ledger

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// errEntry is in the chain of the errors of NewTree and Collect.
var errEntry = errors.New("ledger: not an entry of a tree")

// NewTree makes a tree of entries, in any order. It takes a copy of them.
//
// It refuses, naming every entry at fault, paths that are doubled, absolute or
// lead outside, entries whose fields do not fit their kind, and entries whose
// folder is not listed as one: such a list says nothing that a folder could
// hold.
func NewTree(entries []Entry) (*Tree, error) {
	if !slices.IsSortedFunc(entries, byPath) {
		entries = slices.Clone(entries)
		slices.SortFunc(entries, byPath)
	}
	return Collect(func(yield func(Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	})
}

func byPath(a, b Entry) int { return strings.Compare(a.Path, b.Path) }

// Collect is NewTree for entries that come one by one, sorted by the bytes of
// their paths; those that do not are at fault too. It needs no more memory than
// the tree takes. It stops at the first error that the sequence yields, and
// returns that.
func Collect(entries iter.Seq2[Entry, error]) (*Tree, error) {
	c := collector{open: []*opened{{}}}
	for e, err := range entries {
		if err != nil {
			return nil, err
		}
		c.add(&e)
	}
	if len(c.errs) > 0 {
		return nil, errors.Join(c.errs...)
	}
	for len(c.open) > 1 {
		c.close()
	}
	return TreeOf(c.folder(c.open[0]), Origin{}), nil
}

// A collector makes folders of sorted entries.
//
// It holds those open whose contents may still come. In byte order these close
// in the reverse order of their opening: of "a" and "a-b", both open, what is
// below "a-b" comes before what is below "a".
type collector struct {
	open   []*opened // the root first
	sealer Sealer
	errs   []error
	last   string // path
}

// An opened folder is one of which not all is known.
type opened struct {
	path  string
	up    *opened // the folder that holds it
	at    int     // its place among the folders there
	names Namer
	rows  []Row
	links []Linked
	subs  []*Folder
}

// add takes an entry in, or notes what is wrong with it.
func (c *collector) add(e *Entry) {
	why, first := checkPath(e.Path), c.last == ""
	switch {
	case why != "":
	case !first && c.last == e.Path:
		why = "is listed twice"
	case !first && c.last > e.Path:
		why = fmt.Sprintf("comes after %q", c.last)
	default:
		c.last = e.Path
		if why = e.misfit(); why != "" {
			c.fail(e, why)
		}
		dir, name := splitPath(e.Path)
		if in := c.holder(e.Path, dir); in != nil {
			c.put(in, e, name)
			return
		}
		why = fmt.Sprintf("lies in %q, which is not listed as a folder", dir)
		if e.Kind == Dir { // what it holds is not at fault
			c.put(&opened{}, e, name)
		}
	}
	c.fail(e, why)
}

func (c *collector) fail(e *Entry, why string) {
	c.errs = append(c.errs, fmt.Errorf("%w: %q %s", errEntry, e.Path, why))
}

// put adds an entry to the folder that holds it.
func (c *collector) put(in *opened, e *Entry, name string) {
	switch e.Kind {
	case Link:
		in.links = append(in.links, Linked{len(in.rows), e.Target})
	case Dir:
		c.open = append(c.open, &opened{path: e.Path, up: in, at: len(in.subs)})
		in.subs = append(in.subs, nil)
	}
	in.names.Add([]byte(name))
	in.rows = append(in.rows, rowOf(e))
}

// holder is the open folder at dir, "" for the root; nil if there is none.
// Folders whose contents come before path are closed.
func (c *collector) holder(path, dir string) *opened {
	for len(c.open) > 1 && passed(c.open[len(c.open)-1].path, path) {
		c.close()
	}
	for _, in := range slices.Backward(c.open) {
		if in.path == dir {
			return in
		}
	}
	return nil
}

// close seals the innermost folder that is open.
func (c *collector) close() {
	in := c.open[len(c.open)-1]
	c.open = c.open[:len(c.open)-1]
	if len(c.errs) == 0 {
		in.up.subs[in.at] = c.folder(in)
	}
}

// folder seals a folder of which all is known.
func (c *collector) folder(in *opened) *Folder {
	return c.sealer.Folder(in.names.Names(), slices.Clip(in.rows), in.links, in.subs)
}
