package ledger

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Edited is the tree with what by says at some paths; nil is that nothing is
// there. What lay in something that is no folder any more is gone too. It tells
// nothing besides its entries, and refuses what [NewTree] refuses. All folders
// in which nothing is edited are shared with t, so that it takes little, however
// large t is.
func (t *Tree) Edited(by map[string]*Entry) (*Tree, error) {
	top, e := new(edit), editor{}
	for _, path := range slices.Sorted(maps.Keys(by)) {
		entry := by[path]
		why := checkPath(path)
		if why == "" && entry != nil {
			if why = entry.misfit(); entry.Path != path {
				why = fmt.Sprintf("is put at %q", path)
			}
		}
		if why != "" {
			e.fail(path, why)
			continue
		}
		x := top.at(path)
		x.told, x.entry = true, entry
	}
	root := e.folder("", t.root, top.below)
	if len(e.errs) > 0 {
		return nil, errors.Join(e.errs...)
	}
	return TreeOf(root, Origin{}), nil
}

// An edit is what becomes of a path and of what lies below.
type edit struct {
	told  bool   // of the path itself
	entry *Entry // nil: nothing is there
	below map[string]*edit
}

// at is the edit at a path below.
func (x *edit) at(path string) *edit {
	for name := range strings.SplitSeq(path, "/") {
		if x.below[name] == nil {
			if x.below == nil {
				x.below = map[string]*edit{}
			}
			x.below[name] = new(edit)
		}
		x = x.below[name]
	}
	return x
}

// An editor makes the folders in which something is edited.
type editor struct {
	sealer Sealer
	errs   []error
}

func (e *editor) fail(path, why string) {
	e.errs = append(e.errs, fmt.Errorf("%w: %q %s", errEntry, path, why))
}

// folder is the folder old, which lies at dir, with edits of what is in it.
func (e *editor) folder(dir string, old *Folder, edits map[string]*edit) *Folder {
	if old == nil {
		old = new(Folder)
	}
	n := &opened{rows: make([]Row, 0, len(old.rows)+len(edits))}
	next := 0
	keep := func(until int) {
		for ; next < until; next++ {
			n.put(old.names.At(next), old.rows[next], old.Target(next), old.sub(next))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(edits)) {
		x, path := edits[name], childOf(dir, name)
		i, there := old.names.find(name)
		keep(i)
		var row Row
		var target string
		var sub *Folder
		if there {
			next++
			row, target, sub = old.rows[i], old.Target(i), old.sub(i)
		}
		if x.told {
			if there = x.entry != nil; there {
				row, target = rowOf(x.entry), x.entry.Target
			}
			if !there || x.entry.Kind != Dir {
				sub = nil
			}
		}
		switch isFolder := there && row.Kind() == Dir; {
		case isFolder && (sub == nil || len(x.below) > 0):
			sub = e.folder(path, sub, x.below)
		case !isFolder:
			e.lost(path, x.below)
		}
		if there {
			n.put(name, row, target, sub)
		}
	}
	keep(len(old.rows))
	return e.sealer.Folder(n.names.Names(), slices.Clip(n.rows), n.links, n.subs)
}

// lost refuses what is put below a path at which no folder is.
func (e *editor) lost(path string, below map[string]*edit) {
	for _, name := range slices.Sorted(maps.Keys(below)) {
		x, at := below[name], path+"/"+name
		if x.entry != nil {
			e.fail(at, fmt.Sprintf("lies in %q, which is not listed as a folder", path))
			continue
		}
		e.lost(at, x.below)
	}
}

// put adds an entry behind those that are there.
func (in *opened) put(name string, row Row, target string, sub *Folder) {
	switch row.Kind() {
	case Link:
		in.links = append(in.links, Linked{len(in.rows), target})
	case Dir:
		in.subs = append(in.subs, sub)
	}
	in.names.Add([]byte(name))
	in.rows = append(in.rows, row)
}
