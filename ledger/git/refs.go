package git

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// fetched reports whether a ref is only what was last seen of another
// repository.
func fetched(ref string) bool {
	return strings.HasPrefix(ref, "refs/remotes/") || strings.HasPrefix(ref, "refs/prefetch/")
}

// refs records every ref that counts by the value that git would read: that of
// its own file, else that of the list of packed refs. So packing them is no
// move.
func (g *reader) refs() error {
	found := make(map[string]string)
	if err := g.packed(found); err != nil {
		return err
	}
	if err := g.loose(g.common, found); err != nil {
		return err
	}
	if g.dir != g.common {
		if err := g.loose(g.dir, found); err != nil {
			return err
		}
	}
	// Another way to keep refs, as tables; these are taken as they are.
	err := g.walk("reftable", filepath.Join(g.common, "reftable"), func(name, path string, _ fs.DirEntry) error {
		return g.file(name, path)
	})
	for name, d := range groupRefs(found) {
		g.state[ledger.Quote(name)] = d
	}
	return err
}

// packed reads the list of packed refs. It is read before the loose ones, which
// go first with git.
func (g *reader) packed(found map[string]string) error {
	text, err := readBounded(filepath.Join(g.common, "packed-refs"), maxFile)
	if isNothing(err) {
		return nil
	}
	if err != nil {
		return failure("packed-refs", err)
	}
	for line := range bytes.Lines(text) {
		value, name, ok := strings.Cut(strings.TrimRight(string(line), "\r\n"), " ")
		if ok && strings.HasPrefix(name, "refs/") && !fetched(name) && len(found) < maxList {
			found[name] = value
		}
	}
	return nil
}

// loose reads the refs that have files of their own. One that is no ref is
// recorded as such: git would stop at it.
func (g *reader) loose(dir string, found map[string]string) error {
	return g.walk("refs", filepath.Join(dir, "refs"), func(name, path string, e fs.DirEntry) error {
		if fetched(name) {
			return nil
		}
		if e.Type()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(path)
			if err != nil && !isNothing(err) {
				return failure(name, err)
			}
			found[name] = "link " + target
			return nil
		}
		value, err := readBounded(path, maxPointer)
		switch {
		case isNothing(err):
			return nil
		case errors.Is(err, errBounds):
			found[name] = "no ref"
			return nil
		case err != nil:
			return failure(name, err)
		}
		found[name] = strings.TrimSpace(string(value))
		return nil
	})
}

// groupRefs gives each ref its name in the state. Where there are very many,
// those of one namespace share a name, the branches last.
func groupRefs(refs map[string]string) map[string]ledger.Digest {
	groups := make(map[string][]string)
	for name := range refs {
		groups[name] = []string{name}
	}
	for _, branches := range []bool{false, true} {
		if len(groups) <= maxRefs {
			break
		}
		for name := range refs {
			if strings.HasPrefix(name, "refs/heads/") == branches {
				delete(groups, name)
				group := namespace(name)
				groups[group] = append(groups[group], name)
			}
		}
	}
	out := make(map[string]ledger.Digest, len(groups))
	for group, names := range groups {
		slices.Sort(names)
		var buf []byte
		for _, name := range names {
			buf = appendText(appendText(buf, name), refs[name])
		}
		out[group] = ledger.Sum(buf)
	}
	return out
}

// namespace is the first two names of a ref: refs/tags, refs/notes.
func namespace(ref string) string {
	parts := strings.SplitN(ref, "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}
