// Package content reads what changed: contents of entries of trees, as far as
// gates look at them.
package content

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/internal/workspace"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
)

// Max is the size up to which files are parsed. Larger ones are named in the
// evidence.
const Max = source.Max

// errNoContent says that a pass cannot show contents.
var errNoContent = errors.New("gate: the pass shows no contents; set Content")

// Of reads the content of a file of a tree.
func Of(ctx context.Context, pass *gate.Pass, e ledger.Entry) ([]byte, error) {
	if pass.Content == nil {
		return nil, errNoContent
	}
	r, err := pass.Content(ctx, e)
	if err != nil {
		return nil, fmt.Errorf("gate: open %q: %w", e.Path, err)
	}
	defer r.Close()
	content, err := workspace.ReadAtMost(r, e.Path, Max)
	if err != nil {
		return nil, fmt.Errorf("gate: read %q: %w", e.Path, err)
	}
	return content, nil
}

// A Side is one half of a change.
type Side func(ledger.Change) *ledger.Entry

// Before is the side that was.
func Before(c ledger.Change) *ledger.Entry { return c.Before }

// After is the side that is.
func After(c ledger.Change) *ledger.Entry { return c.After }

// Readable reports whether an entry is a file small enough to be parsed.
func Readable(e *ledger.Entry) bool {
	return e != nil && e.Kind == ledger.File && e.Size <= Max
}

// IsGo reports whether a path is a Go source file that the go tool looks at.
func IsGo(p string) bool {
	return path.Ext(p) == ".go" && !Unseen(p)
}

// Unseen reports whether a path lies in a folder that the go tool does not look
// into.
func Unseen(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if part == "testdata" || part == "vendor" || strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".") {
			return true
		}
	}
	return false
}

// FolderOf is the folder of a path, "" for the root, as symbols name it.
func FolderOf(p string) string {
	if d := path.Dir(p); d != "." {
		return d
	}
	return ""
}

// IsFolder reports whether a change concerns folders only.
func IsFolder(c ledger.Change) bool {
	return (c.Before == nil || c.Before.Kind == ledger.Dir) && (c.After == nil || c.After.Kind == ledger.Dir)
}

// Unchanged reports whether an attempt changed nothing, so that nobody has to
// watch a gate that looks at changes.
func Unchanged(pass *gate.Pass) bool { return len(pass.Changes) == 0 }

// IsSurface reports whether a file belongs to what a package exports.
func IsSurface(p string) bool {
	return path.Ext(p) == ".go" && !strings.HasSuffix(p, "_test.go")
}
