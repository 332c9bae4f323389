package powercut

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/planlock/planlock/internal/disk"
)

// root is the node of the folder itself.
const root = 1

// An image is what a disk holds: nodes by number.
type image map[int]*node

// A node is a file, a link or a folder, whatever its names are.
type node struct {
	mode   fs.FileMode
	time   time.Time
	data   []byte
	target string
	names  map[string]int // of a folder; else nil
	known  *uint64        // the sum of all but time and names, where somebody needed it
}

// A Fate is what becomes of a pending operation.
type Fate struct {
	Lost bool
	// Of a write that is lost, some may be kept all the same.
	Sectors func(n int) bool // whether sector n of the write, of 512 bytes, is kept; nil: none
	Length  bool             // whether the file is as long, and as new, as if all of it were kept
}

// A Choice decides about the pending operations, by their number.
type Choice func(operation int) Fate

// Nothing is lost.
func Nothing(int) Fate { return Fate{} }

// Everything is lost.
func Everything(int) Fate { return Fate{Lost: true} }

// Only is that the given operations are lost.
func Only(operations ...int) Choice {
	return func(i int) Fate { return Fate{Lost: slices.Contains(operations, i)} }
}

// Random is a choice by seed. Seeds differ in how much they lose.
func Random(seed uint64) Choice {
	return func(i int) Fate {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		share := rand.New(rand.NewPCG(seed, 1<<63)).Float64()
		f := Fate{Lost: rng.Float64() < share}
		switch rng.IntN(4) {
		case 0: // torn in order
			upTo := rng.IntN(16)
			f.Sectors, f.Length = func(n int) bool { return n < upTo }, true
		case 1: // any of it
			pattern := rng.Uint64()
			f.Sectors, f.Length = func(n int) bool { return pattern>>(n%64)&1 == 1 }, true
		case 2: // the length alone
			f.Length = true
		}
		return f
	}
}

// clone is a copy that shares nothing with img but sums, which stay true.
func (img image) clone() image {
	other := make(image, len(img))
	for i, n := range img {
		copied := *n
		copied.data = slices.Clone(n.data)
		copied.names = maps.Clone(n.names)
		other[i] = &copied
	}
	return other
}

// at is a node, which is made where its beginning was lost.
func (img image) at(n int, mode fs.FileMode) *node {
	if img[n] == nil {
		img[n] = &node{mode: mode}
	}
	return img[n]
}

// apply does what is kept of a step.
func (img image) apply(s step, fate Fate) {
	if n := img[s.node]; n != nil {
		n.known = nil
	}
	if s.kind == disk.Write {
		img.at(s.node, s.mode).write(s, fate)
		return
	}
	switch s.kind {
	case disk.Create, disk.Symlink, disk.Mkdir: // the node exists, whatever becomes of its name
		n := img.at(s.node, s.mode)
		n.time, n.target = s.time, s.target
		if s.kind == disk.Mkdir {
			n.names = map[string]int{}
		}
	}
	if fate.Lost {
		return
	}
	switch s.kind {
	case disk.Truncate:
		n := img.at(s.node, s.mode)
		n.resize(s.size)
		n.time = s.time
	case disk.Chmod:
		img.at(s.node, s.mode).mode = s.mode
	case disk.Chtimes:
		img.at(s.node, s.mode).time = s.time
	case disk.Create, disk.Symlink, disk.Mkdir:
		img.folder(s.dir)[s.name] = s.node
	case disk.Link:
		img.folder(s.to)[s.as] = s.node
	case disk.Exchange:
		img.folder(s.dir)[s.name], img.folder(s.to)[s.as] = s.other, s.node
	case disk.Rename, disk.RenameNew:
		if img.folder(s.dir)[s.name] == s.node {
			delete(img.folder(s.dir), s.name)
		}
		img.folder(s.to)[s.as] = s.node
	case disk.Remove:
		if img.folder(s.dir)[s.name] == s.node {
			delete(img.folder(s.dir), s.name)
		}
	}
}

// folder is the names in a folder, which is made where its beginning was lost.
func (img image) folder(n int) map[string]int {
	f := img.at(n, fs.ModeDir|0o755)
	if f.names == nil {
		f.names = map[string]int{}
	}
	return f.names
}

// sector is the smallest piece that a disk writes or does not write.
const sector = 512

// write does what is kept of a write. Sectors are those of the file.
func (n *node) write(s step, fate Fate) {
	end := s.offset + int64(len(s.data))
	switch {
	case !fate.Lost:
		n.resize(max(int64(len(n.data)), end))
		n.put(s, s.offset, end)
		n.time = s.time
		return
	case fate.Length:
		n.resize(max(int64(len(n.data)), end))
		n.time = s.time
	}
	if fate.Sectors == nil {
		return
	}
	for from, k := s.offset, 0; from < end; k++ {
		to := min((from/sector+1)*sector, end)
		if fate.Sectors(k) {
			n.resize(max(int64(len(n.data)), to))
			n.put(s, from, to)
		}
		from = to
	}
}

// put copies what s wrote between from and to, and what shares its sectors: the
// disk gets those whole.
func (n *node) put(s step, from, to int64) {
	copy(n.data[from:to], s.data[from-s.offset:])
	if from == s.offset {
		copy(n.data[from-int64(len(s.lead)):], s.lead)
	}
	if to == s.offset+int64(len(s.data)) {
		copy(n.data[to:], s.trail)
	}
}

// around does a write, and returns what stands before and behind it in its
// sectors.
func (n *node) around(s step) (lead, trail []byte) {
	end := s.offset + int64(len(s.data))
	n.resize(max(int64(len(n.data)), end))
	copy(n.data[s.offset:], s.data)
	first, last := s.offset-s.offset%sector, min((end+sector-1)/sector*sector, int64(len(n.data)))
	return slices.Clone(n.data[first:s.offset]), slices.Clone(n.data[end:last])
}

// resize cuts n, or fills it up with zeros.
func (n *node) resize(size int64) {
	if old := int64(len(n.data)); size > old {
		n.data = append(n.data, make([]byte, size-old)...)
	} else {
		n.data = n.data[:size:size]
	}
}

// differ compares what two images hold below a node of each. Times are left
// out.
func differ(path string, want image, w int, is image, i int) error {
	a, b := want[w], is[i]
	switch {
	case a == nil:
		return fmt.Errorf("powercut: %q was made without the disk", path)
	case b == nil:
		return fmt.Errorf("powercut: %q was removed without the disk", path)
	case a.mode != b.mode:
		return fmt.Errorf("powercut: %q has mode %v, and %v through the disk", path, b.mode, a.mode)
	case a.target != b.target || !bytes.Equal(a.data, b.data):
		return fmt.Errorf("powercut: %q was written without the disk", path)
	}
	names := slices.Sorted(maps.Keys(a.names))
	for name := range b.names {
		if _, ok := a.names[name]; !ok {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if err := differ(path+"/"+name, want, a.names[name], is, b.names[name]); err != nil {
			return err
		}
	}
	return nil
}
