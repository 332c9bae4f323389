package layer

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// Notes of an overlay about a folder or file.
const (
	opaqueNote   = "opaque"   // "y": nothing below it is merged
	redirectNote = "redirect" // what lies below it has this path, or this name in its folder
	whiteoutNote = "whiteout" // an empty file that stands for one that was removed
)

// notes are the names of those about a file or folder.
type notes []string

func (n notes) has(name string) bool { return slices.Contains(n, name) }

// A stack reads folders as an overlay merges them, topmost first: so the kernel
// reads the lower folders of one. The last is an ordinary folder.
type stack struct {
	roots []*os.Root
	marks marks
	known map[string][]spot // folders that were looked up
}

// A spot is an entry of one of the folders.
type spot struct {
	layer int
	path  string
	info  fs.FileInfo
}

// newStack reads folders that stay open as long as it is used.
func newStack(roots []*os.Root, marks marks) *stack {
	s := &stack{roots: roots, marks: marks, known: map[string][]spot{}}
	top := make([]spot, len(roots))
	for i := range roots {
		top[i] = spot{layer: i, path: "."}
	}
	s.known["."] = top
	return s
}

// at is what stands at a path: the folders that are merged there, or the one
// entry that is no folder; nothing if nothing is there.
func (s *stack) at(name string) ([]spot, error) {
	if found, ok := s.known[name]; ok {
		return found, nil
	}
	above, err := s.at(path.Dir(name))
	if err != nil || !folders(above) {
		return nil, err
	}
	found, err := s.child(above, path.Base(name))
	if err == nil && folders(found) {
		s.known[name] = found
	}
	return found, err
}

// folders reports whether spots are folders that are merged.
func folders(spots []spot) bool {
	return len(spots) > 0 && (spots[0].info == nil || spots[0].info.IsDir())
}

// child is what stands at name in folders that are merged.
func (s *stack) child(in []spot, name string) ([]spot, error) {
	var found []spot
	for i, dir := range in {
		at := spot{layer: dir.layer, path: path.Join(dir.path, name)}
		var err error
		if at.info, err = s.roots[at.layer].Lstat(at.path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		gone, err := s.gone(at)
		if err != nil {
			return nil, err
		}
		if gone || !at.info.IsDir() {
			if !gone && len(found) == 0 {
				found = append(found, at)
			}
			return found, nil
		}
		found = append(found, at)
		if at.layer == len(s.roots)-1 {
			break // notes in an ordinary folder say nothing
		}
		opaque, redirect, err := s.notes(at)
		if err != nil || opaque {
			return found, err
		}
		if redirect != "" {
			below, err := s.redirected(in[i+1:], at.layer, redirect)
			if folders(below) {
				found = append(found, below...)
			}
			return found, err
		}
	}
	return found, nil
}

// redirected are the folders that a note in a layer says lie below.
func (s *stack) redirected(rest []spot, layer int, to string) ([]spot, error) {
	if !strings.HasPrefix(to, "/") {
		return s.child(rest, to)
	}
	here := slices.DeleteFunc(slices.Clone(s.known["."]), func(at spot) bool { return at.layer <= layer })
	for name := range strings.SplitSeq(to[1:], "/") {
		var err error
		if here, err = s.child(here, name); err != nil || !folders(here) {
			return nil, err
		}
	}
	return here, nil
}

// notes are those about a folder.
func (s *stack) notes(at spot) (opaque bool, redirect string, err error) {
	f, err := s.roots[at.layer].Open(at.path)
	if err != nil {
		return false, "", err
	}
	defer f.Close()
	noted, _, err := s.marks.list(f)
	if err != nil {
		return false, "", err
	}
	return s.marks.folder(f, noted)
}

// folder reads the notes about an open folder.
func (m marks) folder(f *os.File, noted notes) (opaque bool, redirect string, err error) {
	if noted.has(opaqueNote) {
		text, err := m.value(f, opaqueNote)
		if err != nil || text == "y" {
			return true, "", err
		}
	}
	if noted.has(redirectNote) {
		redirect, err = m.value(f, redirectNote)
	}
	return false, redirect, err
}

// gone reports whether an entry stands for one that was removed: a device that
// is none, or, as other tools write it, an empty file with a note.
func (s *stack) gone(at spot) (bool, error) {
	if whiteout(at.info) {
		return true, nil
	}
	if !at.info.Mode().IsRegular() || at.info.Size() > 0 {
		return false, nil
	}
	f, err := openRegular(s.roots[at.layer], at.path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	noted, _, err := s.marks.list(f)
	return noted.has(whiteoutNote), err
}

// look is the entry at a path; nil if there is none.
func (s *stack) look(name string) (*ledger.Entry, error) {
	found, err := s.at(name)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	at := found[0]
	e, err := entryOf(s.roots[at.layer], at.path, name, at.info, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // somebody took it away meanwhile
	}
	return e, err
}

// names are those of the entries of a folder, sorted.
func (s *stack) names(name string) ([]string, error) {
	found, err := s.at(name)
	if err != nil || !folders(found) {
		return nil, err
	}
	seen := map[string]bool{} // and whether it is there
	for _, at := range found {
		list, err := fs.ReadDir(s.roots[at.layer].FS(), at.path)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if _, ok := seen[e.Name()]; ok {
				continue
			}
			info, err := e.Info()
			if err != nil {
				return nil, err
			}
			gone, err := s.gone(spot{at.layer, path.Join(at.path, e.Name()), info})
			if err != nil {
				return nil, err
			}
			seen[e.Name()] = !gone
		}
	}
	var names []string
	for name, there := range seen {
		if there {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// open opens the file at a path.
func (s *stack) open(name string) (*os.File, error) {
	found, err := s.at(name)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 || folders(found) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return openRegular(s.roots[found[0].layer], found[0].path)
}
