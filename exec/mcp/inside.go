package mcp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// An OutsideError says that a client named a path that leads out of the
// workspace.
type OutsideError struct{ Path string }

func (e *OutsideError) Error() string {
	return fmt.Sprintf("mcp: %q is not in the workspace: name a path in it, relative to it", e.Path)
}

// inside is where a path that a client named lies: in the workspace, from the
// root of the file system, without links. What leads elsewhere by "..", from
// the root or through a link is refused.
func inside(dir, path string) (string, error) {
	root, err := filepath.EvalSymlinks(dir)
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		return "", fmt.Errorf("mcp: the workspace: %w", err)
	}
	if filepath.IsAbs(path) {
		if path, err = filepath.Rel(root, path); err != nil {
			return "", &OutsideError{path}
		}
	}
	if !filepath.IsLocal(path) {
		return "", &OutsideError{path}
	}
	full, err := filepath.EvalSymlinks(filepath.Join(root, path))
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("mcp: there is no %q in the workspace", path)
	}
	if err != nil {
		return "", fmt.Errorf("mcp: %q: %w", path, errors.Unwrap(err))
	}
	if rel, err := filepath.Rel(root, full); err != nil || !filepath.IsLocal(rel) {
		return "", &OutsideError{path}
	}
	return full, nil
}
