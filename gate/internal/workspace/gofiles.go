package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// A Source is one file with its content.
type Source struct {
	Path    string
	Content []byte
}

// GoFiles reads the Go files of a folder of the workspace, sorted by name. A
// folder that is not there has none, and a file larger than limit is an error.
func (w Folder) GoFiles(folder string, limit int64) ([]Source, error) {
	if folder == "" {
		folder = "."
	}
	entries, err := fs.ReadDir(w.FS(), folder)
	if Gone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("gate: read folder %q: %w", folder, err)
	}
	var out []Source
	for _, e := range entries {
		p := path.Join(folder, e.Name())
		if e.IsDir() || path.Ext(p) != ".go" {
			continue
		}
		text, err := w.Read(p, limit)
		if errors.Is(err, ErrNotRegular) || Gone(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("gate: %w", err)
		}
		out = append(out, Source{p, text})
	}
	return out, nil
}
