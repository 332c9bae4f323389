package git

import (
	"encoding/hex"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// maxSymbolic bounds how often a ref may name another one; git gives up there,
// too.
const maxSymbolic = 5

// Head is the hash of the commit that is checked out in the work tree dir, as
// "git rev-parse HEAD" prints it, without running git. It is "" where there is
// no repository, no commit, or nothing that can be followed without git, as in
// a repository that keeps its refs as tables.
func Head(dir string) string {
	g := &reader{state: ledger.GitState{}}
	if found, err := g.locate(filepath.Join(dir, gitDir)); err != nil || !found {
		return ""
	}
	value := g.value(g.dir, "HEAD")
	for range maxSymbolic {
		ref, symbolic := strings.CutPrefix(value, "ref:")
		if !symbolic {
			break
		}
		value = g.ref(strings.TrimSpace(ref))
	}
	if raw, err := hex.DecodeString(value); err != nil || len(raw) != 20 && len(raw) != 32 {
		return ""
	}
	return value
}

// HeadAbove is what [Head] says of the repository that a folder is part of.
func HeadAbove(dir string) string {
	if top, _, ok := Top(dir); ok {
		dir = top
	}
	return Head(dir)
}

// ref is the value of a ref: that of its own file, else that of the list of
// packed refs; "" if there is none.
func (g *reader) ref(name string) string {
	if !strings.HasPrefix(name, "refs/") || !filepath.IsLocal(filepath.FromSlash(name)) {
		return ""
	}
	for _, dir := range []string{g.dir, g.common} { // a work tree has refs of its own, as of a bisect
		if value := g.value(dir, name); value != "" {
			return value
		}
	}
	packed := make(map[string]string)
	if g.packed(packed) != nil {
		return ""
	}
	return packed[name]
}

// value is what a small file of the repository says; "" if there is none.
func (g *reader) value(dir, name string) string {
	text, err := readBounded(filepath.Join(dir, filepath.FromSlash(name)), maxPointer)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
