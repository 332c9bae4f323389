package git

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	slashpath "path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/planlock/planlock/ledger"
)

// gitDir is where a repository lies in its work tree.
const gitDir = ".git"

// Read reads the state of the repository whose work tree is dir, without
// running git, and without writing anything. A .git that is there and leads
// nowhere is part of the state, not an error; an error means that something
// could not be read.
func Read(dir string) (ledger.GitState, error) {
	g := &reader{state: ledger.GitState{}}
	if err := g.read(dir); err != nil {
		return nil, err
	}
	return g.state, nil
}

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

type reader struct {
	state  ledger.GitState
	dir    string // of this work tree: HEAD, index
	common string // shared by all work trees: refs, config, hooks
	listed int
}

// once are the files of which each has one name in the state, and where they
// lie.
var (
	worktreeFiles = [...]string{"HEAD", "config.worktree", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD",
		"BISECT_LOG", "rebase-merge/head-name", "rebase-apply/head-name", "info/sparse-checkout"}
	commonFiles = [...]string{"config", "shallow", "info/attributes", "info/exclude", "info/grafts", "objects/info/alternates"}
)

func (g *reader) read(dir string) error {
	found, err := g.locate(filepath.Join(dir, gitDir))
	if err != nil || !found {
		return err
	}
	for _, name := range worktreeFiles {
		if err := g.file(name, filepath.Join(g.dir, name)); err != nil {
			return err
		}
	}
	for _, name := range commonFiles {
		if err := g.file(name, filepath.Join(g.common, name)); err != nil {
			return err
		}
	}
	if err := g.index(); err != nil {
		return err
	}
	if err := g.refs(); err != nil {
		return err
	}
	if err := g.hooks("hooks", filepath.Join(g.common, "hooks")); err != nil {
		return err
	}
	return g.modules(filepath.Join(g.common, "modules"))
}

// locate finds the folders of the repository and records how they are reached.
func (g *reader) locate(path string) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, failure(gitDir, err)
	}
	mark := info.Mode().Type().String()
	switch {
	case info.IsDir():
		g.dir = path
	case info.Mode()&fs.ModeSymlink != 0:
		// Git follows such a link, so what is watched must be what git uses.
		target, err := os.Readlink(path)
		if err != nil {
			return false, failure(gitDir, err)
		}
		mark += " " + target
		g.dir = path
	case info.Mode().IsRegular():
		text, err := readBounded(path, maxPointer)
		if err != nil {
			return false, failure(gitDir, err)
		}
		mark += " " + string(text)
		pointer, ok := strings.CutPrefix(string(text), "gitdir:")
		if pointer = strings.TrimSpace(pointer); ok && pointer != "" && !strings.ContainsRune(pointer, 0) {
			g.dir = resolve(filepath.Dir(path), pointer)
		}
	}
	g.state[gitDir] = ledger.Sum([]byte(mark))
	if g.dir == "" || !isFolder(g.dir) {
		return false, nil
	}
	g.common = g.dir
	text, err := readBounded(filepath.Join(g.dir, "commondir"), maxPointer)
	if err == nil {
		if pointer := strings.TrimSpace(string(text)); pointer != "" && !strings.ContainsRune(pointer, 0) {
			g.common = resolve(g.dir, pointer)
		}
		g.state[gitDir] = ledger.Sum([]byte(mark + "\x00" + string(text)))
	} else if !isNothing(err) {
		return false, failure("commondir", err)
	}
	return true, nil
}

func resolve(base, pointer string) string {
	pointer = filepath.FromSlash(pointer)
	if filepath.IsAbs(pointer) {
		return filepath.Clean(pointer)
	}
	return filepath.Join(base, pointer)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
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

// hooks records every hook of a folder but the samples that git puts there.
func (g *reader) hooks(name, dir string) error {
	return g.each(name, dir, func(e fs.DirEntry) error {
		if strings.HasSuffix(e.Name(), ".sample") {
			return nil
		}
		return g.file(name+"/"+e.Name(), filepath.Join(dir, e.Name()))
	})
}

// modules records what git would run or obey in submodules.
func (g *reader) modules(dir string) error {
	return g.walk("modules", dir, func(name, path string, e fs.DirEntry) error {
		base := e.Name()
		folder := slashpath.Base(slashpath.Dir(name))
		switch {
		case base == "config", folder == "hooks" && !strings.HasSuffix(base, ".sample"),
			base == "HEAD" && isFolder(filepath.Join(filepath.Dir(path), "objects")): // not one of a remote, or a log
			return g.file(name, path)
		}
		return nil
	})
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

func failure(name string, err error) error {
	return fmt.Errorf("git: cannot read %q of the repository: %w", name, err)
}
