package process

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/internal/process/sockets"
	"github.com/planlock/planlock/internal/process/view"
)

// devices are what commands write to that keeps nothing.
var devices = []string{
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm",
}

// Outside are the folders outside the workspace that may be written where the
// plan names none: the temporary folder and the user's cache folder, which is
// made if it is not there, because programs make it too. Go's build cache is
// among them, wherever the user keeps it.
func Outside() []string {
	folders := []string{os.TempDir()}
	if cache, err := os.UserCacheDir(); err == nil && os.MkdirAll(cache, 0o700) == nil {
		folders = append(folders, cache)
	}
	if cache := os.Getenv("GOCACHE"); filepath.IsAbs(cache) && os.MkdirAll(cache, 0o700) == nil {
		folders = append(folders, cache)
	}
	return folders
}

// writable are the paths at and below which a command may write.
func (c confinement) writable() []string {
	paths := slices.Concat(devices, c.graphics)
	if c.reached.Tree == userTree {
		paths = append(paths, "/proc") // to write the mappings of its user namespace, which the forked child waits for
	}
	if c.Workspace == "" {
		return paths
	}
	if c.Private != "" {
		paths = append(paths, c.Private)
	}
	switch {
	case c.Own != nil:
		paths = append(paths, c.Own.Folder)
	case c.Writable == nil:
		paths = append(paths, Outside()...)
	}
	for _, path := range c.Writable {
		paths = append(paths, c.under(home(path)))
	}
	if c.Writes == nil {
		return append(paths, c.Workspace)
	}
	if c.sight.folders != nil {
		return append(paths, c.sight.folders...)
	}
	return append(paths, c.foldersOf(func(path string) bool {
		info, err := os.Lstat(path)
		return err == nil && info.IsDir()
	})...)
}

// foldersOf are the folders of what may be written in the workspace, among
// those that are there.
func (c confinement) foldersOf(there func(path string) bool) []string {
	folders := make([]string, len(c.Writes))
	for i, pattern := range c.Writes {
		folders[i] = c.folderOf(pattern, there)
	}
	return folders
}

// under is path, relative to the workspace where it is not absolute.
func (c confinement) under(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.Workspace, path)
}

// Names reports whether a plan names a path, or a folder that holds it, as one
// that commands may write.
func (s Sandbox) Names(path string) bool {
	return slices.ContainsFunc(s.Writable, func(name string) bool {
		folder := confinement{Sandbox: s}.under(home(name))
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			folder = real
		}
		return view.Within(folder, path)
	})
}

// home replaces a leading "~/" by the user's home folder.
func home(path string) string {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path
	}
	folder, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(folder, rest)
}

// folderOf is the nearest folder that is there and holds all that pattern can
// match: rules are for folders, and programs replace files by renaming others
// over them.
func (c confinement) folderOf(pattern string, there func(path string) bool) string {
	fixed := pattern
	if meta := strings.IndexAny(fixed, `*?[{\`); meta >= 0 {
		fixed = fixed[:meta] + "x" // so that "a/*" lies in a, and "a/b*" too
	}
	folder := filepath.Dir(filepath.Join(c.Workspace, filepath.FromSlash("/"+fixed)))
	for folder != c.Workspace && !there(folder) {
		folder = filepath.Dir(folder)
	}
	return folder
}

// protected are the paths that stay read-only in the workspace.
func (c confinement) protected() []string {
	paths := []string{filepath.Join(c.Workspace, ".planlock")}
	if c.View == nil { // else it is a copy, as all of the workspace is
		paths = append(paths, filepath.Join(c.Workspace, ".git"))
	}
	for _, path := range c.Protect {
		if path = c.under(filepath.FromSlash(path)); !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// doors are the sockets of services that commands must not reach: all that are
// there, but those in the workspace, and those that the plan names as writable.
func (c confinement) doors() []string {
	if !c.confines() {
		return nil
	}
	return slices.DeleteFunc(sockets.Found(), func(path string) bool {
		return c.Level != Strict && view.Within(c.Workspace, path) || c.named(path)
	})
}

// named reports whether a path is one that the plan names as writable, by
// whatever name.
func (c confinement) named(path string) bool {
	there, err := os.Stat(path)
	return err == nil && slices.ContainsFunc(c.Writable, func(name string) bool {
		other, err := os.Stat(c.under(home(name)))
		return err == nil && os.SameFile(there, other)
	})
}

// readable are the paths at and below which a command may read, at level
// strict: everything but the homes of people and devices, and below those the
// workspace, what may be written, and the folders of programs and of the Go
// tool.
func (c confinement) readable() []string {
	if c.Level != Strict {
		return nil
	}
	// Everything is allowed but these, since what programs read of a system has
	// no end.
	private := []string{"/home", "/root", "/Users", "/dev"} // what a command needs of /dev is among what may be written
	if folder, err := os.UserHomeDir(); err == nil {
		private = append(private, filepath.Clean(folder))
	}
	paths := append(allBut("/", private), c.Workspace, home("~/.gitconfig"), home("~/.config/git")) // git fails without
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.IsAbs(folder) {
			paths = append(paths, folder)
		}
	}
	gopath := os.Getenv("GOPATH")
	if gopath == "" {
		gopath = home("~/go")
	}
	for _, name := range []string{"GOROOT", "GOMODCACHE", "GOCACHE"} {
		if path := os.Getenv(name); filepath.IsAbs(path) {
			paths = append(paths, path)
		}
	}
	for _, path := range filepath.SplitList(gopath) {
		paths = append(paths, filepath.Join(path, "pkg", "mod"), filepath.Join(path, "bin"))
	}
	return paths
}

// allBut are the entries of folder, without the private paths: one that holds
// such a path is replaced by its own entries.
func allBut(folder string, private []string) []string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var paths []string
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		switch {
		case slices.Contains(private, path) || entry.Type()&os.ModeSymlink != 0 &&
			slices.Contains(private, target(path)):
		case slices.ContainsFunc(private, func(p string) bool { return strings.HasPrefix(p, path+"/") }):
			paths = append(paths, allBut(path, private)...)
		default:
			paths = append(paths, path)
		}
	}
	return paths
}

// target is what a link leads to in the end, "" where that is nothing.
func target(link string) string {
	path, err := filepath.EvalSymlinks(link)
	if err != nil {
		return ""
	}
	return path
}

// check refuses a workspace that cannot be confined to.
func (c confinement) check() error {
	if !c.confines() {
		return nil
	}
	if filepath.Dir(c.Workspace) == c.Workspace {
		return fmt.Errorf("process: workspace %q is the whole file system; nothing would be confined", c.Workspace)
	}
	return nil
}
