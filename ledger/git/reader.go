package git

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/planlock/planlock/ledger"
)

// Bounds on what is read of a repository: a step may have planted anything
// there.
const (
	maxPointer = 64 << 10  // bytes of HEAD, a loose ref, a pointer to another folder
	maxFile    = 256 << 20 // bytes of the index, packed refs, configuration, a hook
	maxList    = 200_000   // files in one listing
	maxRefs    = 256       // refs that are named one by one
)

// errBounds is for a repository that is larger than what is read.
var errBounds = errors.New("more than this program reads of a repository")

// A reader reads one repository into its state.
type reader struct {
	state  ledger.GitState
	dir    string // of this work tree: HEAD, index
	common string // shared by all work trees: refs, config, hooks
	listed int
}

// file records a file, if there is one: its kind, whether it can be run, and
// its content or target.
func (g *reader) file(name, path string) error {
	info, err := os.Lstat(path)
	if isNothing(err) {
		return nil
	}
	if err != nil {
		return failure(name, err)
	}
	mark := info.Mode().Type().String()
	switch {
	case info.Mode().IsRegular():
		content, err := readBounded(path, maxFile)
		if isNothing(err) {
			return nil
		}
		if err != nil {
			return failure(name, err)
		}
		if info.Mode()&0o111 != 0 {
			mark += "x"
		}
		mark += " " + string(ledger.Sum(content))
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		if err != nil {
			return failure(name, err)
		}
		mark += " " + target
		// The content behind a link counts too, as git reads it, but only where
		// it is a file.
		if content, err := readBounded(path, maxPointer); err == nil {
			mark += " " + string(ledger.Sum(content))
		}
	}
	g.state[ledger.Quote(name)] = ledger.Sum([]byte(mark))
	return nil
}

// isFolder reports whether there is a folder, links followed, as git does.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// walk calls visit for everything below a folder that is no folder itself;
// objects are left out.
func (g *reader) walk(name, dir string, visit func(name, path string, e fs.DirEntry) error) error {
	return g.each(name, dir, func(e fs.DirEntry) error {
		below, path := name+"/"+e.Name(), filepath.Join(dir, e.Name())
		if !e.IsDir() {
			return visit(below, path, e)
		}
		if e.Name() == "objects" || strings.Count(below, "/") > 64 {
			return nil
		}
		return g.walk(below, path, visit)
	})
}

// each calls visit for the entries of a folder, if it is one.
func (g *reader) each(name, dir string, visit func(fs.DirEntry) error) error {
	info, err := os.Lstat(dir)
	if isNothing(err) {
		return nil
	}
	if err != nil {
		return failure(name, err)
	}
	if !info.IsDir() {
		return g.file(name, dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !isNothing(err) {
		return failure(name, err)
	}
	if g.listed += len(entries); g.listed > maxList {
		return failure(name, errBounds)
	}
	for _, e := range entries {
		if err := visit(e); err != nil {
			return err
		}
	}
	return nil
}

// readBounded is the content of a regular file of at most limit bytes.
func readBounded(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, readOnly, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = errBounds
	}
	return content, err
}

// isNothing reports whether an error only says that there is no such thing.
func isNothing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// failure names the part of the repository that an error is about.
func failure(name string, err error) error {
	return fmt.Errorf("git: cannot read %q of the repository: %w", name, err)
}

// appendText adds a text behind its length, so that texts in a row cannot be
// taken for others.
func appendText(buf []byte, text string) []byte {
	return append(binary.AppendUvarint(buf, uint64(len(text))), text...)
}
