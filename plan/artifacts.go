package plan

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
)

// Artifacts is what a step declares to change: paths or globs, and Go symbols.
type Artifacts struct {
	Create, Modify, Delete    []string
	SymbolsAdd, SymbolsRemove []string // nil: not accounted, but for public ones under Strict
	Bears                     []Bearing
}

// A Bearing declares what a file that a step creates or modifies has at its end
// besides contents and an ordinary mode. What nobody declares is refused.
type Bearing struct {
	Path                   string
	Owner, Group           *int // nil: as files there get
	SetUID, SetGID, Sticky bool
	Attributes             []string // names, such as "security.capability"
}

// Bearing is what the step declares that a path bears; nil if that is nothing.
func (a *Artifacts) Bearing(path string) *Bearing {
	if a == nil {
		return nil
	}
	for i := range a.Bears {
		if a.Bears[i].Path == path {
			return &a.Bears[i]
		}
	}
	return nil
}

// Bits are the special bits of the mode that are declared; none of a bearing
// that is nil.
func (b *Bearing) Bits() (bits fs.FileMode) {
	if b == nil {
		return 0
	}
	for _, x := range []struct {
		bit  fs.FileMode
		said bool
	}{{fs.ModeSetuid, b.SetUID}, {fs.ModeSetgid, b.SetGID}, {fs.ModeSticky, b.Sticky}} {
		if x.said {
			bits |= x.bit
		}
	}
	return bits
}

// Declared is the artifacts as the ledger accounts them; none, of a step that
// declares nothing.
func (a *Artifacts) Declared() ledger.Declared {
	if a == nil {
		return ledger.Declared{}
	}
	return ledger.Declared{Create: a.Create, Modify: a.Modify, Delete: a.Delete,
		SymbolsAdd: a.SymbolsAdd, SymbolsRemove: a.SymbolsRemove}
}

// paths are those that a step declares.
func (a *Artifacts) paths() []string { return slices.Concat(a.Create, a.Modify, a.Delete) }

// changesFiles reports whether the step declares to change any.
func (s *Step) changesFiles() bool { return s.Artifacts != nil && len(s.Artifacts.paths()) > 0 }

// changesPublic reports whether the step declares to change public symbols.
func (s *Step) changesPublic() bool {
	return s.Artifacts != nil && len(publicSymbols(s.Artifacts)) > 0 || s.redefines()
}

// redefines reports whether the step may change public symbols in place: it
// declares that it changes what existing code does, and modifies source files,
// or what a glob stands for that may have some. Which symbols these are only
// shows when it is done.
func (s *Step) redefines() bool {
	if s.Artifacts == nil || s.SemanticChange != Modifying && s.SemanticChange != Breaking {
		return false
	}
	return slices.ContainsFunc(s.Artifacts.Modify, func(p string) bool {
		return source.LanguageOf(p) != "" && !strings.HasSuffix(p, "_test.go") || ledger.IsGlob(p) && path.Ext(p) == ""
	})
}

// publicSymbols lists the symbols that others can use. Tests are not among
// them.
func publicSymbols(a *Artifacts) []string {
	return slices.DeleteFunc(slices.Concat(a.SymbolsAdd, a.SymbolsRemove), func(name string) bool {
		_, last, _ := source.Cut(name)
		return last == "" || !unicode.IsUpper([]rune(last)[0]) ||
			slices.ContainsFunc(testPrefixes, func(p string) bool { return strings.HasPrefix(last, p) })
	})
}

var testPrefixes = []string{"Test", "Benchmark", "Fuzz", "Example"}

// oppose reports whether a step that does what it declares makes a check false.
func (a *Artifacts) oppose(c Check) bool {
	at := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return ledger.Match(p, path.Clean(c.Path)) })
	}
	switch c.Kind {
	case "file_exists", "file_contains":
		return at(a.Delete)
	case "file_absent":
		return at(a.Create)
	case "symbol_exists":
		return slices.Contains(a.SymbolsRemove, c.Symbol)
	case "symbol_absent":
		return slices.Contains(a.SymbolsAdd, c.Symbol)
	}
	return false
}
