package agent

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// Obeyed are the files that the agent obeys where it works in a folder, with the
// digests of what is in them; "" of what is no file, or cannot be read. Names are
// told from the folder, with slashes: "../.mcp.json" lies above it. Those above
// count up to the root of the outermost repository that the folder is in, but for
// the user's home and what is above that.
func (a Agent) Obeyed(dir string) map[string]ledger.Digest {
	files := a.inside(dir)
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return files
	}
	up := ""
	for _, at := range above(root) {
		up += "../"
		for name, digest := range a.inside(at) {
			files[up+name] = digest
		}
	}
	return files
}

// accepted refuses a folder in which the agent would obey a file that nobody
// accepted as it is. What lies above counts where the workspace is: the folder may
// be a copy of it.
func (e *Executor) accepted(dir string) error {
	if e.o.Workspace == "" {
		return nil
	}
	now := e.agent.inside(dir)
	for name, digest := range e.agent.Obeyed(e.o.Workspace) {
		if strings.HasPrefix(name, "../") {
			now[name] = digest
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if was, ok := e.obeys[name]; !ok || was != now[name] {
			return &ObeysError{e.agent.Name, name}
		}
	}
	return nil
}

// filesIn are the files of a workspace that the arguments of a command name, by
// their names there: those that are there, and those that are written as paths and
// may come to be there.
func filesIn(workspace string, args []string) (files []string) {
	root, err := filepath.Abs(workspace)
	if err != nil {
		return nil
	}
	for _, arg := range args {
		name := arg
		if filepath.IsAbs(arg) {
			if name, err = filepath.Rel(root, arg); err != nil {
				continue
			}
		}
		if !filepath.IsLocal(name) {
			continue
		}
		info, err := os.Stat(filepath.Join(root, name))
		if err == nil && info.Mode().IsRegular() || err != nil && strings.ContainsAny(arg, `/\`) {
			files = append(files, filepath.ToSlash(filepath.Clean(name)))
		}
	}
	return files
}

// inside are the files that the agent obeys in a folder itself.
func (a Agent) inside(dir string) map[string]ledger.Digest {
	files := map[string]ledger.Digest{}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return files // what cannot be read is not obeyed
	}
	seen := map[string]bool{}
	for _, name := range a.Obeys {
		for _, file := range filesUnder(root, name, seen) {
			files[file] = digestOf(filepath.Join(root, filepath.FromSlash(file)))
		}
	}
	return files
}

// above are the folders above another one whose files count, the nearest first.
func above(dir string) []string {
	home, _ := os.UserHomeDir() // "": there is none
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	var all []string
	repository := 0 // how many of them are in one
	for at := dir; at != home; at = filepath.Dir(at) {
		if at != dir {
			all = append(all, at)
		}
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			repository = len(all)
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return slices.Clip(all[:repository])
}

// filesUnder are the files that a name in a folder stands for, by their names
// there. A link is what it leads to; a folder elsewhere is not looked into. seen
// are the folders that were looked into.
func filesUnder(root, name string, seen map[string]bool) (files []string) {
	full, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return nil
	}
	inside, err := filepath.Rel(root, full)
	entries, unread := os.ReadDir(full)
	if err != nil || !filepath.IsLocal(inside) || unread != nil {
		return []string{name}
	}
	if seen[full] {
		return nil
	}
	seen[full] = true
	for _, e := range entries {
		files = append(files, filesUnder(root, path.Join(name, e.Name()), seen)...)
	}
	return files
}

// digestOf is that of what is in a file; "" of what is none, or cannot be read.
func digestOf(name string) ledger.Digest {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return ledger.Sum(text)
}
