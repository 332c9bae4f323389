package delivery

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"github.com/planlock/planlock/checkpoint/internal/walk"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/ledger"
)

// A hand reaches the paths of a workspace, and looks at them. It is not safe
// for concurrent use.
type hand struct {
	reader
	w       *walk.Walker
	folders map[string]*spelling // of the folders that were reached
}

// A spelling is how a folder keeps names.
type spelling struct {
	wrong *ledger.Entry   // stands in the way to the folder: it is spelled otherwise
	known bool            // whether the folder tells spellings apart
	names map[string]bool // as they are spelled, where it does not; else nil
}

// hand opens the place for one courier. Hands share nothing, so that couriers
// need no lock.
func (p *Place) hand() (*hand, error) {
	root, err := p.root.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	return &hand{w: &walk.Walker{Root: root}, folders: map[string]*spelling{"": {}}}, nil
}

func (h *hand) close() { _ = h.w.Close() } // only handles: there is nothing to lose

// A wayError says that a path cannot be reached: what is found is in the way,
// or, if it is nil, its folder is gone.
type wayError struct{ found *ledger.Entry }

func (e *wayError) Error() string {
	if e.found == nil {
		return "its folder is gone"
	}
	return fmt.Sprintf("%q is in the way", e.found.Path)
}

// at opens the folder of path, which is good until the next call. The error is
// a *wayError where there is none, or only one that is spelled otherwise.
func (h *hand) at(path string) (dir *disk.Root, name string, err error) {
	folder, _ := cutPath(path)
	s, err := h.spelled(folder)
	if err == nil {
		if s.wrong != nil {
			return nil, "", &wayError{s.wrong}
		}
		dir, name, err = h.w.At(path)
	}
	if unreachable(err) {
		return nil, "", h.obstacle(folder)
	}
	return dir, name, err
}

// cutPath splits a path into its folder, "" for the root, and its name there.
func cutPath(path string) (folder, name string) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}

// prefixes are a folder and those above it, outermost first, without the root.
func prefixes(folder string) (list []string) {
	for i := range folder {
		if folder[i] == '/' {
			list = append(list, folder[:i])
		}
	}
	if folder != "" {
		list = append(list, folder)
	}
	return list
}

// obstacle looks for what keeps folder from being one.
func (h *hand) obstacle(folder string) error {
	for _, path := range prefixes(folder) {
		dir, name, err := h.w.At(path)
		if unreachable(err) {
			break
		}
		if err != nil {
			return err
		}
		e, err := h.look(dir, name, path)
		switch {
		case err != nil:
			return err
		case e == nil:
			return &wayError{}
		case e.Kind != ledger.Dir:
			return &wayError{e}
		}
	}
	return &wayError{}
}

// spelled is how a folder keeps names, and whether the folder itself is spelled
// like that.
func (h *hand) spelled(folder string) (*spelling, error) {
	if s := h.folders[folder]; s != nil {
		return s, nil
	}
	above, _ := cutPath(folder)
	up, err := h.spelled(above)
	if err != nil {
		return nil, err
	}
	s := &spelling{wrong: up.wrong}
	if s.wrong == nil {
		dir, name, err := h.w.At(folder)
		if err != nil {
			return nil, err
		}
		if s.wrong, err = h.otherwise(up, dir, name, folder); err != nil {
			return nil, err
		}
	}
	h.folders[folder] = s
	return s, nil
}

// forget forgets the folder at path, which comes or goes.
func (h *hand) forget(path string) {
	h.w.Forget(path)
	for folder := range h.folders {
		if folder == path || strings.HasPrefix(folder, path+"/") {
			delete(h.folders, folder)
		}
	}
}

// misspelled is what stands at path under another spelling of its name, on file
// systems that do not tell them apart; nil if nothing does. Something stands at
// name in dir, which is the folder of path.
func (h *hand) misspelled(dir *disk.Root, name, path string) (*ledger.Entry, error) {
	folder, _ := cutPath(path)
	s, err := h.spelled(folder)
	if err != nil {
		return nil, err
	}
	return h.otherwise(s, dir, name, path)
}

func (h *hand) otherwise(s *spelling, dir *disk.Root, name, path string) (*ledger.Entry, error) {
	if !s.known {
		if err := s.find(dir, name); err != nil {
			return nil, err
		}
	}
	if s.names == nil || s.names[name] {
		return nil, nil
	}
	if err := s.list(dir); err != nil || s.names[name] { // it may have come since
		return nil, err
	}
	there, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	folder, _ := cutPath(path)
	for other := range s.names {
		if info, err := dir.Lstat(other); err == nil && os.SameFile(info, there) {
			return h.look(dir, other, strings.TrimPrefix(folder+"/"+other, "/"))
		}
	}
	return nil, nil // it came since the folder was listed, under its own name
}

// find finds out whether dir tells the spellings of names apart, by asking for
// another one of name.
func (s *spelling) find(dir *disk.Root, name string) error {
	other, plain := swapped(name)
	if other == name && plain {
		return nil // this name does not tell
	}
	if !plain && runtime.GOOS == "darwin" {
		return s.list(dir) // may tell cases apart and not normal forms
	}
	if other == name {
		return nil
	}
	a, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	b, oerr := dir.Lstat(other)
	switch {
	case err != nil:
		return err
	case errors.Is(oerr, fs.ErrNotExist), oerr == nil && !os.SameFile(a, b):
		s.known = true
		return nil
	case oerr != nil:
		return oerr
	}
	return s.list(dir)
}

// list reads the names of a folder as the disk spells them.
func (s *spelling) list(dir *disk.Root) error {
	list, err := dir.ReadDir(".")
	if err != nil {
		return err
	}
	s.known, s.names = true, map[string]bool{}
	for _, e := range list {
		s.names[e.Name()] = true
	}
	return nil
}

// swapped is name with the case of its ASCII letters swapped, and whether it
// has no other bytes than ASCII.
func swapped(name string) (other string, plain bool) {
	b := []byte(name)
	plain = true
	for i, c := range b {
		switch {
		case c >= 'a' && c <= 'z':
			b[i] = c - 'a' + 'A'
		case c >= 'A' && c <= 'Z':
			b[i] = c - 'A' + 'a'
		case c >= 0x80:
			plain = false
		}
	}
	return string(b), plain
}
