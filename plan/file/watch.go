package file

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/planlock/planlock/plan"
)

// Watch takes the stamps of files and folders, as the origin of a plan that was
// read from them and that read reads once more. A plan of files that may be
// joined by others watches their folders too, see [Around].
func Watch(paths []string, read func() (*plan.Draft, error)) plan.Origin {
	w := &watch{read: read}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return &watch{read: read} // and so never surely unmoved
		}
		w.paths, w.stamps = append(w.paths, path), append(w.stamps, stampOf(info))
	}
	return w
}

// Around lists the files of a plan and the folders that they lie in.
func Around(files []plan.Source) []string {
	var paths []string
	for _, f := range files {
		for _, path := range []string{f.Path, filepath.Dir(f.Path)} {
			if abs, err := filepath.Abs(path); err == nil {
				path = abs
			}
			if !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// A watch is the origin of a plan.
type watch struct {
	paths  []string
	stamps []stamp
	read   func() (*plan.Draft, error)
}

// Unmoved reports whether the files surely are as they were when the stamps
// were taken.
func (w *watch) Unmoved() bool {
	for i, path := range w.paths {
		info, err := os.Stat(path)
		if err != nil || w.stamps[i].fresh || !w.stamps[i].same(info) {
			return false
		}
	}
	return len(w.paths) > 0
}

// Read reads the plan once more.
func (w *watch) Read() (*plan.Draft, error) { return w.read() }

// A stamp tells cheaply whether a file may have changed.
type stamp struct {
	size    int64
	mod     time.Time
	changed time.Time // of content, name or attributes, where the system says
	info    fs.FileInfo
	fresh   bool // changed so shortly before it was read that a change after it might leave the same stamp
}

// settled is the age at which the time of a file tells apart what was written
// before from what comes after.
const settled = 2 * time.Second

// stampOf is what is looked at to see whether a file may have changed.
func stampOf(info fs.FileInfo) stamp {
	return stamp{info.Size(), info.ModTime(), changed(info), info, time.Since(info.ModTime()) < settled}
}

// same reports whether a file has the stamp. A file that was written again
// within a tick of the clock may have it, too, which is why young stamps are
// not trusted.
func (s stamp) same(info fs.FileInfo) bool {
	return s.size == info.Size() && s.mod.Equal(info.ModTime()) && s.changed.Equal(changed(info)) &&
		os.SameFile(s.info, info)
}
