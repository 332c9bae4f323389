package formats

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/file"
	"github.com/planlock/planlock/plan/formats/internal/phase"
)

// Bounds of what is looked at to find the plan of a folder.
const (
	maxEntries = 500
	maxLooked  = 4 << 20 // bytes of a file
)

// A candidate is a file of a folder that may be a plan.
type candidate struct {
	path   string
	format plan.Format
}

// read reads the file, which may have changed since it was looked at.
func (c candidate) read() (*plan.Text, error) {
	text, err := file.Read(c.path)
	if err != nil {
		return nil, err
	}
	return &plan.Text{Path: c.path, Text: text}, nil
}

// candidates lists the files of a folder that are plans by their content,
// sorted by name.
func candidates(dir string, entries []os.DirEntry) []candidate {
	var list []candidate
	looked := 0
	for _, e := range entries {
		if !looksReadable(e) {
			continue
		}
		if looked++; looked > maxEntries {
			break
		}
		path := filepath.Join(dir, e.Name())
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxLooked {
			continue
		}
		text, err := file.Read(path)
		if err != nil {
			continue
		}
		switch format, _ := detect(path, text); {
		case format == plan.Unknown:
		case format == phase.Format && !strings.Contains(strings.ToUpper(e.Name()), "PLAN"):
			// a summary or a review has the head of the plan that it is about
		default:
			list = append(list, candidate{path, format})
		}
	}
	slices.SortFunc(list, func(a, b candidate) int { return strings.Compare(a.path, b.path) })
	return list
}

// looksReadable reports whether a file may be a plan by its name.
func looksReadable(e os.DirEntry) bool {
	name := strings.ToLower(e.Name())
	if e.IsDir() || strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".lock.json") ||
		strings.HasPrefix(name, "progress_") {
		return false
	}
	return slices.Contains([]string{".toml", ".md", ".markdown", ".json", ".jsonl"}, filepath.Ext(name))
}
