package ledger

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Scope says which paths of a folder are accounted, and how closely: each list
// puts what it matches on one [Level], and what none matches is Full. It is
// part of the contract. The controller's own folder .planlock and .git, both in
// the root, are never part of a tree; a .git further down is a file or folder
// like any other.
//
// Globs are those of [CheckPattern]. What matches a folder holds for all that
// is in it. Where a path is on several levels, the least close one holds.
type Scope struct {
	Ignore []string // globs: Ignored, not looked at
	Stamps []string // globs: Stamps, only names are watched, and nothing is restored
	Track  []string // globs: Tracked, watched (changes are seen), but not restored
	Own    []string // exact paths of the controller's own files in the tree (plan, lock, views): never part of the tree
}

// Clone is a copy that shares no list with s.
func (s Scope) Clone() Scope {
	return Scope{
		Ignore: slices.Clone(s.Ignore), Stamps: slices.Clone(s.Stamps),
		Track: slices.Clone(s.Track), Own: slices.Clone(s.Own),
	}
}

// SameEntries reports whether both scopes put the same entries into a tree, in
// the same detail. What is only tracked is read like all else.
func (s Scope) SameEntries(o Scope) bool {
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

// Omits reports whether the entry at path, and all below it, is no part of a
// tree: it is ignored, the controller's own, or git's. Nothing is said of what
// lies above, so whoever walks down from the root asks about each path once.
func (s *Scope) Omits(path string) bool {
	return path == controllerDir || path == gitDir || slices.Contains(s.Own, path) || matchAny(s.Ignore, path)
}

// NamesOnly reports whether the list for the level [Stamps] has a pattern for
// path itself.
func (s *Scope) NamesOnly(path string) bool { return matchAny(s.Stamps, path) }

// Level is how closely a scan looks at a path.
func (s *Scope) Level(path string) Level {
	switch {
	case s.omitsAbove(path):
		return Ignored
	case matches(s.Stamps, path):
		return Stamps
	case matches(s.Track, path):
		return Tracked
	}
	return Full
}

// omitsAbove reports whether path, or a folder above it, is no part of a tree.
func (s *Scope) omitsAbove(path string) bool {
	for i := 0; ; i++ {
		j := strings.IndexByte(path[i:], '/')
		if j < 0 {
			return s.Omits(path)
		}
		i += j
		if s.Omits(path[:i]) {
			return true
		}
	}
}

// matches reports whether one of the patterns matches path or a folder above
// it.
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

// matchAny reports whether one of the patterns matches.
func matchAny(patterns []string, path string) bool {
	for _, p := range patterns {
		if Match(p, path) {
			return true
		}
	}
	return false
}
