package ledger

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Scope says which paths of a folder are accounted. It is part of the
// contract. The controller's own folder .planlock and .git, both in the root,
// are never part of a tree; a .git further down is a file or folder like any other.
//
// Globs are those of [CheckPattern]. What matches a folder holds for all that is in it.
type Scope struct {
	Ignore []string // globs: not looked at
	Track  []string // globs: watched (changes are seen), but not restored
	Own    []string // exact paths of the controller's own files in the tree (plan, lock, views): never part of the tree
}

func (s Scope) clone() Scope {
	return Scope{Ignore: slices.Clone(s.Ignore), Track: slices.Clone(s.Track), Own: slices.Clone(s.Own)}
}

// Check reports all patterns that cannot be used.
func (s Scope) Check() error {
	var errs []error
	for _, list := range []struct {
		name     string
		patterns []string
	}{{"ignore", s.Ignore}, {"track", s.Track}} {
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
	ignore, track []string
	own           map[string]bool
}

func newMatcher(s Scope) (*matcher, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	m := &matcher{own: make(map[string]bool, len(s.Own))}
	m.ignore = append(m.ignore, s.Ignore...)
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

// tracks reports whether path or a folder above it is watched only.
func (m *matcher) tracks(path string) bool {
	if m == nil || len(m.track) == 0 {
		return false
	}
	for i := 0; ; i++ {
		j := strings.IndexByte(path[i:], '/')
		if j < 0 {
			return matchAny(m.track, path)
		}
		i += j
		if matchAny(m.track, path[:i]) {
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
