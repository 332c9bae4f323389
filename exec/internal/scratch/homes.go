package scratch

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// homes is the name of the folder, in that of a controller, which holds the
// private ones of its executors.
const homes = "homes"

// Home is the private folder of an executor, by its name: the same for all who
// ask, until Close. Whoever wants it to be out of sight of other commands asks
// before the first of them runs.
func (f *Folders) Home(ctx context.Context, of string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.ready(ctx); err != nil {
		return "", err
	}
	if at, there := f.homes[of]; there {
		return at, nil
	}
	at := filepath.Join(f.root.dir, homes, strconv.Itoa(len(f.homes)+1)) // a name may be a path
	if err := os.MkdirAll(at, 0o700); err != nil {
		return "", err
	}
	f.homes[of] = at
	return at, nil
}

// Has reports whether a folder is a home that somebody was given.
func (f *Folders) Has(at string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, home := range f.homes {
		if home == at {
			return true
		}
	}
	return false
}

// Covers are the private folders of executors that a command must not see,
// those of other controllers among them. private is the one that it may; "" if
// there is none.
func (f *Folders) Covers(private string) (paths []string) {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	own := ""
	if f.root != nil {
		own = filepath.Join(f.root.dir, homes)
	}
	for _, at := range f.homes {
		if private != "" && at != private {
			paths = append(paths, at)
		}
	}
	f.mu.Unlock()
	if private == "" && own != "" {
		paths = append(paths, own)
	}
	for _, place := range places() {
		if real, err := filepath.EvalSymlinks(place); err == nil {
			place = real
		}
		for _, at := range homesIn(place) {
			if at != own && !within(at, f.Workspace) {
				paths = append(paths, at)
			}
		}
	}
	return paths
}

// homesIn are the folders for homes of all controllers that have theirs in a
// place.
func homesIn(place string) (found []string) {
	folder, err := os.Open(place)
	if err != nil {
		return nil
	}
	defer folder.Close()
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return nil
	}
	for _, name := range names {
		if at := filepath.Join(place, name, homes); strings.HasPrefix(name, prefix) && isFolder(at) {
			found = append(found, at)
		}
	}
	return found
}
