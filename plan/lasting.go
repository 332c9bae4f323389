package plan

import (
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/plan/internal/paths"
)

// Lasts reports whether a check says how things are, and not what a step
// changed or what the machine has: what it says after a step is to hold still
// when all steps are done, unless a later one takes over.
func (c Check) Lasts() bool {
	return !slices.Contains([]string{"file_changed", "go_api_compatible", "env_set", "tool_available"}, c.Kind)
}

// OfTree reports whether what a check says follows from the tree, and the tools
// that a run is bound to: where the tree is restored, so is what it says. A
// command, or a check of a host, may look at anything.
func (c Check) OfTree() bool {
	return strings.HasPrefix(c.Kind, "file_") || strings.HasPrefix(c.Kind, "symbol_") ||
		slices.Contains([]string{"go_build", "go_vet", "go_api_compatible"}, c.Kind)
}

// Declares are checks that say of the artifacts of a step what is so when it is
// done: paths and symbols that it creates and adds are there, those that it
// deletes and removes are not. Of what a glob stands for there is none.
func (s *Step) Declares() (checks []Check) {
	if s.Artifacts == nil {
		return nil
	}
	paths := func(kind string, list []string) {
		for _, p := range list {
			if !ledger.IsGlob(p) {
				checks = append(checks, Check{Kind: kind, Path: p})
			}
		}
	}
	symbols := func(kind string, list []string) {
		for _, name := range list {
			checks = append(checks, Check{Kind: kind, Symbol: name})
		}
	}
	paths("file_exists", s.Artifacts.Create)
	paths("file_absent", s.Artifacts.Delete)
	symbols("symbol_exists", s.Artifacts.SymbolsAdd)
	symbols("symbol_absent", s.Artifacts.SymbolsRemove)
	return checks
}

// DeclaresOtherwise reports whether a step that comes later declares something
// else of what a check of an earlier one says: it supersedes that step, has a
// check of the opposite, or declares the opposite of an artifact.
func (s *Step) DeclaresOtherwise(earlier Address, c Check) bool {
	return slices.Contains(s.Supersedes, string(earlier)) || slices.ContainsFunc(s.Postconditions, c.opposes) ||
		s.Artifacts != nil && s.Artifacts.oppose(c)
}

// DeclaresAnew reports whether a step that comes later declares that it changes
// a path which an earlier one modifies, or supersedes that step.
func (s *Step) DeclaresAnew(earlier Address, path string) bool {
	return slices.Contains(s.Supersedes, string(earlier)) || s.Artifacts != nil &&
		slices.ContainsFunc(s.Artifacts.paths(), func(p string) bool { return ledger.Match(p, path) })
}

// TakesOver reports whether a step that comes later says otherwise of what a
// check of an earlier one says: it supersedes that step; it has a check of the
// opposite; it declares the opposite, as to delete the file; or it declares
// nothing, and its words name the file or symbol. That it modifies a file does
// not say that what is in it goes.
func (s *Step) TakesOver(earlier Address, c Check) bool {
	return s.DeclaresOtherwise(earlier, c) ||
		s.Artifacts == nil && c.Kind != "file_contains" && (s.words(c.Path) || s.words(lastOf(c.Symbol)))
}

// opposes reports whether two checks cannot both hold: one wants there what the
// other wants gone, or they want different ends of one command.
func (c Check) opposes(other Check) bool {
	kinds := func(a, b string) bool {
		return c.Kind == a && other.Kind == b || c.Kind == b && other.Kind == a
	}
	switch {
	case kinds("file_exists", "file_absent"), kinds("file_contains", "file_absent"):
		return path.Clean(c.Path) == path.Clean(other.Path)
	case kinds("symbol_exists", "symbol_absent"):
		return c.Symbol == other.Symbol
	case kinds("command", "command"):
		run, negated := c.plainly()
		same, also := other.plainly()
		return run == same && (negated != also || c.status() != other.status())
	}
	return false
}

// plainly is the command of a check without the ! that turns its status round.
func (c Check) plainly() (run string, negated bool) {
	run, negated = strings.CutPrefix(strings.TrimSpace(c.Run), "!")
	return strings.TrimSpace(run), negated
}

// status is the one that a command is to end with.
func (c Check) status() int {
	if c.Exit == nil {
		return 0
	}
	return *c.Exit
}

// words reports whether what a step says in words names something.
func (s *Step) words(name string) bool {
	return paths.Named(s.Description, name) || paths.Named(s.Prompt, name) || paths.Named(s.Run, name) ||
		paths.Named(s.ToolCall(), name)
}

// lastOf is the last name of a symbol, by which words call it.
func lastOf(symbol string) string {
	_, last, _ := source.Cut(symbol)
	return last
}
