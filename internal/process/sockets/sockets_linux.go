package sockets

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Found are the paths of sockets that are there: those that programs of this
// network have bound, those that are mounted by themselves, as a container
// shows the socket of its host, and those in the folders that services keep
// them in, whatever network these are of.
func Found() []string {
	paths := bound(read("/proc/net/unix"))
	mounts := mounted(read("/proc/self/mountinfo"))
	for path, m := range mounts {
		if m.part && m.local() {
			paths = append(paths, path)
		}
	}
	for _, folder := range folders() {
		paths = append(paths, known.below(folder, mounts, depth)...)
	}
	slices.Sort(paths)
	return slices.DeleteFunc(slices.Compact(paths), func(path string) bool {
		info, err := os.Lstat(path)
		return err != nil || info.Mode()&os.ModeSocket == 0
	})
}

// depth is how many folders down sockets are looked for.
const depth = 4

// folders are those that services keep their sockets in: of the machine, and of
// the user, which most often lies below.
func folders() []string {
	all := []string{"/run"}
	if _, err := os.Readlink("/var/run"); err != nil { // else it is the same
		all = append(all, "/var/run")
	}
	own := filepath.Clean(os.Getenv("XDG_RUNTIME_DIR"))
	if filepath.IsAbs(own) && !strings.HasPrefix(own, "/run/") {
		all = append(all, own)
	}
	return all
}

// read is the text of a file of /proc, "" where there is none.
func read(name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return string(text)
}

// bound are the paths in a list of the kind of /proc/net/unix.
func bound(list string) []string {
	var paths []string
	for line := range strings.Lines(list) {
		if _, path, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " /"); ok {
			paths = append(paths, "/"+path)
		}
	}
	return paths
}

// A mount is what is known of one by its line in /proc/self/mountinfo.
type mount struct {
	part bool   // of its file system: one file or folder of it
	kind string // of the file system
}

// local reports whether looking at a file there waits for nobody.
func (m mount) local() bool {
	switch kind, _, _ := strings.Cut(m.kind, "."); kind {
	case "fuse", "fuseblk", "autofs", "nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "afs", "virtiofs":
		return false
	}
	return true
}

// mounted lists mounts by their place.
func mounted(list string) map[string]mount {
	all := map[string]mount{}
	for line := range strings.Lines(list) {
		head, tail, _ := strings.Cut(line, " - ")
		fields, kind := strings.Fields(head), strings.Fields(tail)
		if len(fields) < 5 || len(kind) == 0 {
			continue
		}
		all[plain.Replace(fields[4])] = mount{part: fields[3] != "/", kind: kind[0]}
	}
	return all
}

// plain is a path without the escapes of /proc/self/mountinfo.
var plain = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

// memory is what was found in folders. It is looked at again once the folder
// has changed: some have thousands of files.
type memory struct {
	mu      sync.Mutex
	folders map[string]listing
}

// A listing is what matters of a folder.
type listing struct {
	changed          time.Time
	sockets, folders []string
}

var known memory

// below are the sockets in a folder and down to some depth below it. Folders
// of other file systems are left out, but for those that are held in memory, as
// folders of services are: they may be large, or wait for somebody.
func (m *memory) below(folder string, mounts map[string]mount, depth int) []string {
	if at, ok := mounts[folder]; ok && at.kind != "tmpfs" {
		return nil
	}
	here := m.list(folder)
	paths := slices.Clone(here.sockets)
	if depth > 0 {
		for _, name := range here.folders {
			paths = append(paths, m.below(filepath.Join(folder, name), mounts, depth-1)...)
		}
	}
	return paths
}

// list looks into a folder, if it has changed since that was done.
func (m *memory) list(folder string) listing {
	info, err := os.Lstat(folder)
	if err != nil || !info.IsDir() {
		return listing{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if there, ok := m.folders[folder]; ok && there.changed.Equal(info.ModTime()) {
		return there
	}
	l := listing{changed: info.ModTime()}
	f, err := os.Open(folder)
	if err != nil {
		return l
	}
	defer f.Close()
	entries, _ := f.ReadDir(-1) // what could be read counts
	for _, e := range entries {
		switch e.Type() {
		case os.ModeSocket:
			l.sockets = append(l.sockets, filepath.Join(folder, e.Name()))
		case os.ModeDir:
			l.folders = append(l.folders, e.Name())
		}
	}
	if time.Since(l.changed) > stale { // else it may change once more within the same tick
		if m.folders == nil {
			m.folders = map[string]listing{}
		}
		m.folders[folder] = l
	}
	return l
}

// stale is how old a change must be to be told from the next one.
const stale = time.Second
