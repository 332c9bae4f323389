package home

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/internal/lazyre"
)

// maxSummary bounds what is looked at: nobody reads a summary of 16 MB.
const maxSummary = 16 << 20

// summarised is the line of a summary that names its run.
var summarised = lazyre.New(`(?m)^run: "([0-9A-Z]{26})"\r?$`)

// Summary reports whether a file is a summary that a run of the workspace drew,
// as it was drawn: nobody else wrote it, and nobody changed it since.
func (h Home) Summary(file string) bool {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSummary {
		return false
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	found := summarised.FindStringSubmatch(string(text))
	if found == nil {
		return false
	}
	drawn, err := filepath.Glob(filepath.Join(h.ViewDir(found[1]), "*SUMMARY.md"))
	if err != nil {
		return false
	}
	for _, name := range drawn {
		if kept, err := os.ReadFile(name); err == nil && bytes.Equal(kept, text) {
			return true
		}
	}
	return false
}
