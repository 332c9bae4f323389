package git

import (
	"errors"
	"io/fs"
	"os"
	slashpath "path"
	"path/filepath"
	"slices"
	"strings"

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

// once are the files of which each has one name in the state, and where they
// lie.
var (
	worktreeFiles = [...]string{"HEAD", "config.worktree", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD",
		"BISECT_LOG", "rebase-merge/head-name", "rebase-apply/head-name", "info/sparse-checkout"}
	commonFiles = [...]string{"config", "shallow", "info/attributes", "info/exclude", "info/grafts", "objects/info/alternates"}
)

// read records everything that steers git: where it is, what it runs and obeys,
// what is staged, and the refs. Objects do not count: they only add.
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
	// A further work tree has a folder of its own, and shares the rest with the
	// first.
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

// resolve is where a pointer in a file leads that lies in base.
func resolve(base, pointer string) string {
	pointer = filepath.FromSlash(pointer)
	if filepath.IsAbs(pointer) {
		return filepath.Clean(pointer)
	}
	return filepath.Join(base, pointer)
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

// Worktrees are the other work trees of the repository that dir is a work tree of,
// as git knows them and they know it, sorted; none where there is no repository.
func Worktrees(dir string) (others []string) {
	g := &reader{state: ledger.GitState{}}
	if found, err := g.locate(filepath.Join(dir, gitDir)); err != nil || !found {
		return nil
	}
	if own := filepath.Base(g.common); own == gitDir && !same(g.common, g.dir) {
		others = append(others, filepath.Dir(g.common))
	}
	entries, err := os.ReadDir(filepath.Join(g.common, "worktrees"))
	if err != nil {
		return others
	}
	for _, e := range entries[:min(len(entries), maxWorktrees)] {
		folder := filepath.Join(g.common, "worktrees", e.Name())
		pointer, err := readBounded(filepath.Join(folder, "gitdir"), maxPointer)
		if err != nil || strings.ContainsRune(string(pointer), 0) || same(folder, g.dir) {
			continue
		}
		top := filepath.Dir(resolve(folder, strings.TrimSpace(string(pointer))))
		back := &reader{state: ledger.GitState{}}
		if found, err := back.locate(filepath.Join(top, gitDir)); err == nil && found && same(back.dir, folder) {
			others = append(others, top)
		}
	}
	slices.Sort(others)
	return others
}

// maxWorktrees bounds how many work trees are looked at.
const maxWorktrees = 1000

// same reports whether two names are of one folder.
func same(a, b string) bool {
	x, err := os.Stat(a)
	y, also := os.Stat(b)
	return err == nil && also == nil && os.SameFile(x, y)
}

// Elsewhere are the folders of the repository of a work tree that lie outside of
// it, such as those of a further work tree or of a submodule; nil if there are
// none.
func Elsewhere(dir string) (folders []string) {
	g := &reader{state: ledger.GitState{}}
	if found, err := g.locate(filepath.Join(dir, gitDir)); err != nil || !found {
		return nil
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for _, folder := range []string{g.common, g.dir} {
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			folder = real
		}
		within := func(above string) bool {
			rel, err := filepath.Rel(above, folder)
			return err == nil && filepath.IsLocal(rel)
		}
		if !within(dir) && !slices.ContainsFunc(folders, within) {
			folders = append(folders, folder)
		}
	}
	return folders
}
