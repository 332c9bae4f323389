package scratch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/checkpoint/layer"
)

// prefix begins the name of each controller's folder.
const prefix = "planlock-scratch-"

// A root is the folder of one controller, which it holds open.
type root struct {
	dir  string
	held *os.File
}

// open makes a folder in the first place that is outside of the workspace and
// can be written, and removes what controllers left there that were killed.
func open(ctx context.Context, workspace string) (*root, error) {
	var errs []error
	for _, place := range places() {
		if real, err := filepath.EvalSymlinks(place); err == nil {
			place = real
		}
		if !filepath.IsAbs(place) || within(workspace, place) {
			continue
		}
		sweep(ctx, place)
		r, err := openIn(place)
		if err == nil {
			return r, nil
		}
		errs = append(errs, err)
	}
	if len(errs) == 0 {
		errs = []error{errors.New("they would lie in the workspace; name another folder in TMPDIR")}
	}
	return nil, fmt.Errorf("exec: no folder for temporary files and caches of commands can be had: %w",
		errors.Join(errs...))
}

// places are where it may lie, the best first.
func places() []string {
	all := []string{os.TempDir()}
	if cache, err := os.UserCacheDir(); err == nil {
		all = append(all, cache)
	}
	return append(all, "/var/tmp")
}

// openIn makes a folder in a place and holds it, so that others can tell that
// it is in use.
func openIn(place string) (*root, error) {
	dir, err := os.MkdirTemp(place, prefix)
	if err != nil {
		return nil, err
	}
	held, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	alone(held) // where it is not to be had, nobody removes it
	if _, err := os.Lstat(dir); err != nil {
		return nil, errors.Join(err, held.Close()) // swept before it was held
	}
	return &root{dir: dir, held: held}, nil
}

// close removes the folder.
func (r *root) close(ctx context.Context) error {
	return errors.Join(layer.Discard(context.WithoutCancel(ctx), r.dir), r.held.Close())
}

// sweep removes folders that nobody holds any more. What cannot be removed is
// somebody else's.
func sweep(ctx context.Context, place string) {
	entries, err := os.ReadDir(place)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), prefix) {
			continue
		}
		dir := filepath.Join(place, entry.Name())
		folder, err := os.Open(dir)
		if err != nil {
			continue
		}
		if alone(folder) {
			_ = layer.Discard(ctx, dir)
		}
		_ = folder.Close()
	}
}

// within reports whether a path is a folder or lies in it.
func within(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}
