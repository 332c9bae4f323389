// Package paths compares the paths and globs of a plan: which patterns a path
// meets, and which names some file systems take for one.
package paths

import (
	"strings"

	"github.com/planlock/planlock/ledger"
)

// Patterns finds which of many paths and globs a path meets. A path stands for
// itself and all below it. Paths and globs of the form FOLDER/** are found by
// name, so that a long list costs no more than a short one.
type Patterns struct {
	exact, below map[string]string // to whom the pattern belongs
	globs        []owned
}

// An owned pattern belongs to the thing that is named when it is met.
type owned struct{ pattern, owner string }

// New makes an empty set.
func New() *Patterns {
	return &Patterns{exact: map[string]string{}, below: map[string]string{}}
}

// Add says to whom a pattern belongs; the first to have it keeps it.
func (ps *Patterns) Add(pattern, owner string) {
	if _, ok := ps.exact[pattern]; !ok {
		ps.exact[pattern] = owner
	}
	if folder := strings.TrimSuffix(pattern, "/**"); !ledger.IsGlob(folder) {
		if _, ok := ps.below[folder]; !ok {
			ps.below[folder] = owner
		}
	} else {
		ps.globs = append(ps.globs, owned{pattern, owner})
	}
}

// Meets returns the owner of a pattern that stands for the path, or of one that
// holds all that a glob can stand for.
func (ps *Patterns) Meets(path string) (owner string, ok bool) {
	if owner, ok = ps.exact[path]; ok {
		return owner, true
	}
	fixed := path
	if i := strings.IndexAny(path, "*?[{"); i >= 0 {
		fixed = path[:i]
	}
	for i := range len(fixed) {
		if fixed[i] == '/' {
			if owner, ok = ps.below[fixed[:i]]; ok {
				return owner, true
			}
		}
	}
	if owner, ok = ps.below[path]; ok {
		return owner, true
	}
	for _, g := range ps.globs {
		if ledger.Match(g.pattern, path) {
			return g.owner, true
		}
	}
	return "", false
}

// Globs is how many patterns have to be compared one by one.
func (ps *Patterns) Globs() int { return len(ps.globs) }
