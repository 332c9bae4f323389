package ledger

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Scope says which paths of a folder are accounted, and how closely: each list
// puts what it matches on one [Level], and what none matches is Full. It is part of the
// contract. The controller's own folder .planlock and .git, both in the root,
// are never part of a tree; a .git further down is a file or folder like any other.
//
// Globs are those of [CheckPattern]. What matches a folder holds for all that is in it. Where a
// path is on several levels, the least close one holds.
type Scope struct {
	Ignore []string // globs: Ignored, not looked at
	Stamps []string // globs: Stamps, only names are watched, and nothing is restored
	Track  []string // globs: Tracked, watched (changes are seen), but not restored
	Own    []string // exact paths of the controller's own files in the tree (plan, lock, views): never part of the tree
}

func (s Scope) clone() Scope {
	return Scope{Ignore: slices.Clone(s.Ignore), Stamps: slices.Clone(s.Stamps), Track: slices.Clone(s.Track), Own: slices.Clone(s.Own)}
}

func (s Scope) equal(o Scope) bool {
	return slices.Equal(s.Ignore, o.Ignore) && slices.Equal(s.Stamps, o.Stamps) && slices.Equal(s.Own, o.Own)
}

// Check reports all patterns that cannot be used.
func (s Scope) Check() error {
	var errs []error
	for _, list := range []struct {
		name     string
		patterns []string
	}{{"ignore", s.Ignore}, {"stamps", s.Stamps}, {"track", s.Track}} {
		for _, p := range list.patterns {
			if err := CheckPattern(p); err != nil {
				errs = append(errs, fmt.Errorf("ledger: %s: %w", list.name, err))
			}
		}
	}
	for _, p := range s.Own {
		if why := checkPath(p); why != "" {
			errs = append(errs, fmt.Errorf("ledger: own path %q %s", p, why))
		}
	}
	return errors.Join(errs...)
}

// A matcher answers for one scope. The nil matcher ignores and tracks nothing.
type matcher struct {
	ignore, stamps, track []string
	own                   map[string]bool
}

func newMatcher(s Scope) (*matcher, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	m := &matcher{own: make(map[string]bool, len(s.Own))}
	m.ignore = append(m.ignore, s.Ignore...)
	m.stamps = append(m.stamps, s.Stamps...)
	m.track = append(m.track, s.Track...)
	for _, p := range s.Own {
		m.own[p] = true
	}
	return m, nil
}

// leavesOut reports whether the entry called path, and all below it, is no part of the tree.
// Its folder must be one that is not left out.
func (m *matcher) leavesOut(path string) bool {
	if path == controllerDir || path == gitDir {
		return true
	}
	if m == nil {
		return false
	}
	return m.own[path] || matchAny(m.ignore, path)
}

// matches reports whether one of the patterns matches path or a folder above it.
func matches(patterns []string, path string) bool {
	if len(patterns) == 0 {
		return false
	}
	for i := 0; ; i++ {
		j := strings.IndexByte(path[i:], '/')
		if j < 0 {
			return matchAny(patterns, path)
		}
		i += j
		if matchAny(patterns, path[:i]) {
			return true
		}
	}
}

func matchAny(patterns []string, path string) bool {
	for _, p := range patterns {
		if Match(p, path) {
			return true
		}
	}
	return false
}
