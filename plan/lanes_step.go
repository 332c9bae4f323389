package plan

import (
	"fmt"
	"slices"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/plan/internal/paths"
)

// A laneStep is what a step touches, or why that does not matter.
type laneStep struct {
	*Step
	task  int
	alone string // why it runs beside no other step

	writes, reads []string // paths and globs
	owns, asks    []string // symbols that are its own, and that its checks look at
}

// solitary says why a step runs by itself whatever others do, or "". Files are
// those of its task.
func (s *laneStep) solitary(files []string) string {
	switch {
	case s.Rollback.Outside():
		return fmt.Sprintf("step %s is %s: what it does outside of its own copy is seen by others",
			s.Address, s.Rollback)
	case s.Artifacts != nil && len(s.Artifacts.Bears) > 0:
		return fmt.Sprintf("step %s declares owners, special bits or attributes", s.Address)
	case s.Repeats(false):
		return fmt.Sprintf("step %s must do the same each time, so that it is executed twice", s.Address)
	case s.TDD:
		return fmt.Sprintf("step %s has its test written first", s.Address)
	case s.Artifacts == nil && (s.Access == nil || s.Access.Writes == nil) && len(files) == 0:
		return fmt.Sprintf("step %s does not say what it changes", s.Address)
	}
	for _, t := range textsOf(s.Visit) {
		if t.means == glob && ledger.CheckPattern(t.text) != nil {
			return s.noPath(t.text)
		}
	}
	for _, name := range files {
		if ledger.CheckPattern(name) != nil {
			return s.noPath(name)
		}
	}
	if s.Access != nil && s.Access.Reads != nil {
		return ""
	}
	for _, c := range s.Preconditions {
		if !c.NamesAll() {
			return fmt.Sprintf("step %s does not say what it reads, and a check %s that must hold before it may read anything",
				s.Address, c.Kind)
		}
	}
	return ""
}

func (s *laneStep) noPath(name string) string {
	return fmt.Sprintf("step %s names %q, which is no path in the workspace", s.Address, name)
}

// NamesAll reports whether a check looks at no more of the workspace than it
// names.
func (c Check) NamesAll() bool {
	switch c.Kind {
	case "file_exists", "file_absent", "file_changed", "file_contains", "symbol_exists", "symbol_absent", "env_set", "tool_available":
		return true
	}
	return false
}

// collect makes sets of what the step declares: its access, its artifacts, and
// what its checks name. A step that does not say what it writes is taken to
// write any of the files of its task.
func (s *laneStep) collect(files []string) {
	if s.Artifacts == nil && (s.Access == nil || s.Access.Writes == nil) {
		for _, name := range files {
			s.writes = append(s.writes, withBelow(name)...)
		}
	}
	if a := s.Artifacts; a != nil {
		s.writes, s.owns = a.paths(), slices.Concat(a.SymbolsAdd, a.SymbolsRemove)
	}
	if a := s.Access; a != nil {
		for _, p := range a.Writes {
			if !slices.Contains(s.writes, p) {
				s.writes = append(s.writes, withBelow(p)...)
			}
		}
		for _, p := range a.Reads {
			s.reads = append(s.reads, withBelow(p)...)
		}
		s.owns = slices.Concat(s.owns, a.Symbols)
	}
	for _, c := range slices.Concat(s.Preconditions, s.Postconditions) {
		if c.Path != "" {
			s.reads = append(s.reads, withBelow(c.Path)...)
		}
		if c.Symbol != "" {
			s.asks = append(s.asks, c.Symbol)
		}
	}
	s.reads = append(s.reads, s.Evidence...)
}

// withBelow are a path that may be a folder, and what that holds.
func withBelow(path string) []string {
	if ledger.IsGlob(path) {
		return []string{path}
	}
	return []string{path, path + "/**"}
}

// meets says where what two steps touch is the same, or "".
func (s *laneStep) meets(o *laneStep) string {
	for _, set := range []struct {
		of, by   *laneStep
		one, two []string
		did, do  string
		same     func(p, q string) bool
	}{
		{s, o, s.writes, o.writes, "writes", "writes", paths.Meet},
		{s, o, s.writes, o.reads, "writes", "reads", paths.Meet},
		{o, s, o.writes, s.reads, "writes", "reads", paths.Meet},
		{s, o, s.owns, o.owns, "owns", "owns", sameSymbol},
		{s, o, s.owns, o.asks, "owns", "asks for", sameSymbol},
		{o, s, o.owns, s.asks, "owns", "asks for", sameSymbol},
	} {
		for _, p := range set.one {
			for _, q := range set.two {
				if set.same(p, q) {
					return fmt.Sprintf("step %s %s %q, and step %s %s %q", set.of.Address, set.did, p, set.by.Address,
						set.do, q)
				}
			}
		}
	}
	return ""
}

// sameSymbol reports whether two symbols are one, or one is a type or a folder
// that the other belongs to. What stands for several names may be any.
func sameSymbol(a, b string) bool {
	return ledger.IsGlob(a) || ledger.IsGlob(b) || source.Belongs(a, b) || source.Belongs(b, a)
}
