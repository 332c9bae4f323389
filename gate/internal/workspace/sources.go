package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/planlock/planlock/ledger"
)

// Sources reads the files that some patterns match, as path.Match has them,
// sorted and each once, as entries of a tree and their contents. A file larger
// than limit is an error.
func (w Folder) Sources(patterns []string, limit int64) ([]ledger.Entry, ledger.Content, error) {
	var names []string
	for _, pattern := range patterns {
		found, err := fs.Glob(foldersOnly{w.FS()}, pattern)
		if err != nil {
			return nil, nil, fmt.Errorf("gate: %w", err)
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	contents := map[string][]byte{}
	var entries []ledger.Entry
	for _, p := range slices.Compact(names) {
		text, err := w.Read(p, limit)
		if errors.Is(err, ErrNotRegular) || Gone(err) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("gate: %w", err)
		}
		contents[p] = text
		entries = append(entries,
			ledger.Entry{Path: p, Kind: ledger.File, Size: int64(len(text)), Digest: ledger.Sum(text)})
	}
	return entries, func(_ context.Context, e ledger.Entry) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(contents[e.Path])), nil
	}, nil
}

// foldersOnly lists folders, and opens nothing else to see whether it is one: to
// open a pipe would be to wait for whoever writes into it.
type foldersOnly struct{ fs.FS }

// ReadDir is that of folders alone.
func (f foldersOnly) ReadDir(name string) ([]fs.DirEntry, error) {
	info, err := fs.Stat(f.FS, name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.ErrUnsupported}
	}
	return fs.ReadDir(f.FS, name)
}

// Stat looks at a file without opening it.
func (f foldersOnly) Stat(name string) (fs.FileInfo, error) { return fs.Stat(f.FS, name) }
