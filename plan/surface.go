package plan

import (
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger/source"
)

// A Surface is what a public symbol promises to those who use it: [[surfaces]].
// Inputs and outputs are types as the language of the symbol writes them, each
// with a name before it or not, and with words behind ": " or not. Errors are
// what its callers may get, empty where it cannot fail. The others are words,
// "none" where there are none.
type Surface struct {
	Symbol                  string
	Inputs, Outputs, Errors []string // nil: not said; empty: none
	Effects                 string   // what it changes besides its outputs
	Persistence             string   // what of that outlives the program, and where
	Concurrency             string   // whether it returns before it is done, and who may call it at once
}

// visit tells the keys of [[surfaces]].
func (f *Surface) visit(v Visitor) {
	v.Text(Key{Name: "symbol", Doc: "the public symbol", means: symbol}, &f.Symbol)
	v.Texts(Key{Name: "inputs", Doc: "what it takes, in order: types, as in \"key string: who asks\"; [] means nothing",
		means: prose}, &f.Inputs)
	v.Texts(Key{Name: "outputs", Doc: "what it gives, in order, without the error; [] means nothing", means: prose},
		&f.Outputs)
	v.Texts(Key{Name: "errors", Doc: "the errors that it may give, as in \"server.ErrLimit: over the limit\"; [] means that it gives none",
		Set: true, means: prose}, &f.Errors)
	v.Text(Key{Name: "effects", Doc: "what it changes besides its outputs", means: prose}, &f.Effects)
	v.Text(Key{Name: "persistence", Doc: "what of that outlives the program, and where", means: prose}, &f.Persistence)
	v.Text(Key{Name: "concurrency", Doc: "whether it returns before it is done, and who may call it at once",
		means: prose}, &f.Concurrency)
}

// Unsaid are the keys of what the surface does not say.
func (f *Surface) Unsaid() []string {
	var keys []string
	f.each(func(key, _ string, said bool) {
		if !said {
			keys = append(keys, key)
		}
	})
	return keys
}

// Lines are what the surface says, a line for each key, as in "errors: none".
func (f *Surface) Lines() []string {
	var lines []string
	f.each(func(key, text string, said bool) {
		if said {
			lines = append(lines, key+": "+text)
		}
	})
	return lines
}

// each tells each key but the symbol, with what it says.
func (f *Surface) each(tell func(key, text string, said bool)) {
	for _, l := range []struct {
		key  string
		said []string
	}{{"inputs", f.Inputs}, {"outputs", f.Outputs}, {"errors", f.Errors}} {
		text := strings.Join(l.said, "; ")
		if len(l.said) == 0 {
			text = "none"
		}
		tell(l.key, text, l.said != nil)
	}
	for _, t := range []struct{ key, said string }{{"effects", f.Effects}, {"persistence", f.Persistence},
		{"concurrency", f.Concurrency}} {
		tell(t.key, t.said, strings.TrimSpace(t.said) != "")
	}
}

// Surface is what the plan says of a symbol; nil if that is nothing.
func (p *Plan) Surface(symbol string) *Surface {
	i := slices.IndexFunc(p.Surfaces, func(f Surface) bool { return f.Symbol == symbol })
	if i < 0 {
		return nil
	}
	return &p.Surfaces[i]
}

// SurfacesOf are the surfaces that a step brings about or may change, in the
// order of the plan: of symbols that it adds, removes or owns, and of those that
// no step adds or removes and that a file may declare which the step changes.
func (p *Plan) SurfacesOf(s *Step) []*Surface {
	var all []*Surface
	for i := range p.Surfaces {
		f := &p.Surfaces[i]
		if s.names(f.Symbol) || !p.names(f.Symbol) && s.Artifacts != nil &&
			slices.ContainsFunc(s.Artifacts.paths(),
				func(path string) bool { return source.MayDeclare(path, f.Symbol) }) {
			all = append(all, f)
		}
	}
	return all
}

// Promises are the surfaces of some steps, or of all where none is named, a line
// each, as in "server.New: inputs: none · outputs: *Limiter".
func (p *Plan) Promises(steps ...*Step) []string {
	var lines []string
	for i := range p.Surfaces {
		f := &p.Surfaces[i]
		if len(steps) == 0 ||
			slices.ContainsFunc(steps, func(s *Step) bool { return slices.Contains(p.SurfacesOf(s), f) }) {
			lines = append(lines, f.Symbol+": "+strings.Join(f.Lines(), " · "))
		}
	}
	return lines
}

// PromisesOf are the surfaces of the steps of a task, as Promises has them.
func (p *Plan) PromisesOf(t *Task) []string {
	if len(t.Steps) == 0 {
		return nil
	}
	steps := make([]*Step, len(t.Steps))
	for i := range t.Steps {
		steps[i] = &t.Steps[i]
	}
	return p.Promises(steps...)
}

// names reports whether a step says of a symbol that it adds, removes or owns
// it.
func (s *Step) names(symbol string) bool {
	return s.Artifacts != nil && (slices.Contains(s.Artifacts.SymbolsAdd, symbol) ||
		slices.Contains(s.Artifacts.SymbolsRemove, symbol)) ||
		s.Access != nil && slices.Contains(s.Access.Symbols, symbol)
}

// names reports whether any step says of a symbol that it adds, removes or owns
// it.
func (p *Plan) names(symbol string) bool {
	for _, s := range p.Steps() {
		if s.names(symbol) {
			return true
		}
	}
	return false
}
