package formats

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/file"
	"github.com/planlock/planlock/plan/formats/internal/phase"
	"github.com/planlock/planlock/plan/formats/internal/tasklist"
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

// about are words in the names of files that have the head of the phase plan that
// they are about.
var about = []string{"SUMMARY", "REVIEW", "VERIFICATION", "VALIDATION", "RESEARCH", "CONTEXT", "DISCUSSION", "UAT", "STATE", "ROADMAP", "README"}

// called are words in the names of files that are plans without a mark of any
// format: other pages of a folder are documents.
var called = []string{"PLAN", "TODO", "TASK", "STEPS", "CHECKLIST"}

// candidates lists the files of a folder that are plans by their content,
// sorted by name. Phase plans are those that are called so; where none is, all
// that are not called like what is written about one. Pages without a mark of any
// format are plans where there is nothing else, if they are called so.
func candidates(dir string, entries []os.DirEntry) []candidate {
	var list, others, pages []candidate
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
		case format == tasklist.Markdown && says(path, called):
			pages = append(pages, candidate{path, format})
		case format == tasklist.Markdown:
		case format == phase.Format && !strings.Contains(strings.ToUpper(e.Name()), "PLAN"):
			others = append(others, candidate{path, format})
		default:
			list = append(list, candidate{path, format})
		}
	}
	if len(list) == 0 {
		list = slices.DeleteFunc(others, func(c candidate) bool { return says(c.path, about) })
	}
	if len(list) == 0 {
		list = pages
	}
	slices.SortFunc(list, func(a, b candidate) int { return strings.Compare(a.path, b.path) })
	return list
}

// says reports whether one of some words is part of the name of a file.
func says(path string, words []string) bool {
	name := strings.ToUpper(filepath.Base(path))
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
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
