package standard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/ledger"
)

// maxParsed is the size up to which files are parsed. Larger ones are named in the evidence.
const maxParsed = 4 << 20

// errNoContent says that a pass cannot show contents.
var errNoContent = errors.New("standard: the pass shows no contents; set Content")

// readEntry reads the content of a file of a tree.
func readEntry(ctx context.Context, pass *gate.Pass, e ledger.Entry) ([]byte, error) {
	if pass.Content == nil {
		return nil, errNoContent
	}
	r, err := pass.Content(ctx, e)
	if err != nil {
		return nil, fmt.Errorf("standard: open %q: %w", e.Path, err)
	}
	defer r.Close()
	content, err := readAtMost(r, e.Path, maxParsed)
	if err != nil {
		return nil, fmt.Errorf("standard: read %q: %w", e.Path, err)
	}
	return content, nil
}

// A side is one half of a change.
type side func(ledger.Change) *ledger.Entry

func before(c ledger.Change) *ledger.Entry { return c.Before }
func after(c ledger.Change) *ledger.Entry  { return c.After }

// readable reports whether an entry is a file small enough to be parsed.
func readable(e *ledger.Entry) bool {
	return e != nil && e.Kind == ledger.File && e.Size <= maxParsed
}

// isGo reports whether a path is a Go source file that the go tool looks at.
func isGo(p string) bool {
	return path.Ext(p) == ".go" && !unseen(p)
}

// unseen reports whether a path lies in a folder that the go tool does not look into.
func unseen(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if part == "testdata" || part == "vendor" || strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".") {
			return true
		}
	}
	return false
}

// folderOf is the folder of a path, "" for the root, as symbols name it.
func folderOf(p string) string {
	if d := path.Dir(p); d != "." {
		return d
	}
	return ""
}

// A source is one file with its content.
type source struct {
	path    string
	content []byte
}

// goFiles reads the Go files of a folder of the workspace, sorted by name. A folder that is not there has none.
func (w workspace) goFiles(folder string) ([]source, error) {
	if folder == "" {
		folder = "."
	}
	entries, err := fs.ReadDir(w.FS(), folder)
	if gone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("standard: read folder %q: %w", folder, err)
	}
	var out []source
	for _, e := range entries {
		p := path.Join(folder, e.Name())
		if e.IsDir() || path.Ext(p) != ".go" {
			continue
		}
		content, err := w.read(p, maxParsed)
		if errors.Is(err, errNotRegular) || gone(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("standard: %w", err)
		}
		out = append(out, source{p, content})
	}
	return out, nil
}

// goFolders lists the folders of a tree that hold Go files, sorted.
func goFolders(t *ledger.Tree) []string {
	var out []string
	for e := range t.All() {
		if e.Kind == ledger.File && isGo(e.Path) {
			out = append(out, folderOf(e.Path))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
