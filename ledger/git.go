package ledger

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A GitState is what the controller watches of a repository without touching it: digests by name.
// It is empty where there is no repository. The names are
//
//	.git                    that there is one, and where it lies if it is a worktree or a submodule
//	HEAD                    what is checked out
//	refs/heads/main, …      the refs, wherever git keeps them; with many, one name for a group ("refs/tags")
//	index                   what is staged; not the times that "git status" refreshes
//	config, config.worktree
//	hooks/pre-commit, …     every hook but the samples
//	info/attributes, …      what else tells git how to treat files, or where to find objects
//	MERGE_HEAD, …           operations that are half done
//	modules/NAME/config, …  the same of submodules: HEAD, config and hooks
//
// What a fetch moves is not watched, since editors and git itself fetch in the
// background whenever they like, and none of it says what is checked out or
// runs anything: refs/remotes and refs/prefetch, FETCH_HEAD, ORIG_HEAD, logs
// and objects. Tags are watched, those that a fetch brings along too. In a repository
// that keeps its refs as tables they are watched as a whole, so a fetch does move it.
type GitState map[string]Digest

// Moved names, sorted, what differs.
func (g GitState) Moved(to GitState) []string {
	var names []string
	for name, d := range g {
		if to[name] != d {
			names = append(names, name)
		}
	}
	for name := range to {
		if _, ok := g[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// ReadGit reads the state of the repository whose work tree is dir, without running git, and
// without writing anything. A .git that is there and leads nowhere is part of the state, not an
// error; an error means that something could not be read.
func ReadGit(dir string) (GitState, error) {
	g := &gitReader{state: GitState{}}
	if err := g.read(dir); err != nil {
		return nil, err
	}
	return g.state, nil
}

// Bounds on what is read of a repository: a step may have planted anything there.
const (
	maxPointer = 64 << 10  // bytes of HEAD, a loose ref, a pointer to another folder
	maxGitFile = 256 << 20 // bytes of the index, packed refs, configuration, a hook
	maxGitList = 200_000   // files in one listing
	maxRefs    = 256       // refs that are named one by one
)

// errGitBounds is for a repository that is larger than what is read.
var errGitBounds = errors.New("more than this program reads of a repository")

type gitReader struct {
	state  GitState
	dir    string // of this work tree: HEAD, index
	common string // shared by all work trees: refs, config, hooks
	listed int
}

// once are the files of which each has one name in the state, and where they lie.
var (
	worktreeFiles = [...]string{"HEAD", "config.worktree", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge/head-name", "rebase-apply/head-name", "info/sparse-checkout"}
	commonFiles   = [...]string{"config", "shallow", "info/attributes", "info/exclude", "info/grafts", "objects/info/alternates"}
)

func (g *gitReader) read(dir string) error {
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
func (g *gitReader) locate(path string) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, gitError(gitDir, err)
	}
	mark := info.Mode().Type().String()
	switch {
	case info.IsDir():
		g.dir = path
	case info.Mode()&fs.ModeSymlink != 0:
		// Git follows such a link, so what is watched must be what git uses.
		target, err := os.Readlink(path)
		if err != nil {
			return false, gitError(gitDir, err)
		}
		mark += " " + target
		g.dir = path
	case info.Mode().IsRegular():
		text, err := readBounded(path, maxPointer)
		if err != nil {
			return false, gitError(gitDir, err)
		}
		mark += " " + string(text)
		pointer, ok := strings.CutPrefix(string(text), "gitdir:")
		if pointer = strings.TrimSpace(pointer); ok && pointer != "" && !strings.ContainsRune(pointer, 0) {
			g.dir = resolve(filepath.Dir(path), pointer)
		}
	}
	g.state[gitDir] = Sum([]byte(mark))
	if g.dir == "" || !isFolder(g.dir) {
		return false, nil
	}
	g.common = g.dir
	text, err := readBounded(filepath.Join(g.dir, "commondir"), maxPointer)
	if err == nil {
		if pointer := strings.TrimSpace(string(text)); pointer != "" && !strings.ContainsRune(pointer, 0) {
			g.common = resolve(g.dir, pointer)
		}
		g.state[gitDir] = Sum([]byte(mark + "\x00" + string(text)))
	} else if !isNothing(err) {
		return false, gitError("commondir", err)
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

// file records a file, if there is one: its kind, whether it can be run, and its content or target.
func (g *gitReader) file(name, path string) error {
	info, err := os.Lstat(path)
	if isNothing(err) {
		return nil
	}
	if err != nil {
		return gitError(name, err)
	}
	mark := info.Mode().Type().String()
	switch {
	case info.Mode().IsRegular():
		content, err := readBounded(path, maxGitFile)
		if isNothing(err) {
			return nil
		}
		if err != nil {
			return gitError(name, err)
		}
		if info.Mode()&0o111 != 0 {
			mark += "x"
		}
		mark += " " + string(Sum(content))
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		if err != nil {
			return gitError(name, err)
		}
		mark += " " + target
		// The content behind a link counts too, as git reads it, but only where it is a file.
		if content, err := readBounded(path, maxPointer); err == nil {
			mark += " " + string(Sum(content))
		}
	}
	g.state[Quote(name)] = Sum([]byte(mark))
	return nil
}

// hooks records every hook of a folder but the samples that git puts there.
func (g *gitReader) hooks(name, dir string) error {
	return g.each(name, dir, func(e fs.DirEntry) error {
		if strings.HasSuffix(e.Name(), ".sample") {
			return nil
		}
		return g.file(name+"/"+e.Name(), filepath.Join(dir, e.Name()))
	})
}

// modules records what git would run or obey in submodules.
func (g *gitReader) modules(dir string) error {
	return g.walk("modules", dir, func(name, path string, e fs.DirEntry) error {
		base := e.Name()
		parent, _ := splitPath(name)
		_, folder := splitPath(parent)
		switch {
		case base == "config", folder == "hooks" && !strings.HasSuffix(base, ".sample"),
			base == "HEAD" && isFolder(filepath.Join(filepath.Dir(path), "objects")): // not one of a remote, or a log
			return g.file(name, path)
		}
		return nil
	})
}

// walk calls visit for everything below a folder that is no folder itself; objects are left out.
func (g *gitReader) walk(name, dir string, visit func(name, path string, e fs.DirEntry) error) error {
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
func (g *gitReader) each(name, dir string, visit func(fs.DirEntry) error) error {
	info, err := os.Lstat(dir)
	if isNothing(err) {
		return nil
	}
	if err != nil {
		return gitError(name, err)
	}
	if !info.IsDir() {
		return g.file(name, dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !isNothing(err) {
		return gitError(name, err)
	}
	if g.listed += len(entries); g.listed > maxGitList {
		return gitError(name, errGitBounds)
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
	f, err := os.OpenFile(path, openFlags&^noFollow, 0)
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
		err = errGitBounds
	}
	return content, err
}

// isNothing reports whether an error only says that there is no such thing.
func isNothing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotFolder)
}

func gitError(name string, err error) error {
	return fmt.Errorf("ledger: cannot read %q of the git repository: %w", name, err)
}
