package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger/source"
)

// languageRules are those of promises about source files: what they offer to
// others, and which symbols they declare.
func languageRules() []rule {
	return []rule{{code: "language-unread", severity: Warning, said: true,
		why: "Nobody can say whether a promise about a source file is kept in whose language nobody reads: that its step " +
			"is preserving or extending, which symbols come and go, that a protected symbol is left alone. What nobody can " +
			"say is not accepted (docs/languages.md).",
		step: func(x *inspection, s *stepPart, tell tell) { unreadPromise(x.plan, x.options, s.Step, tell) }}}
}

// unreadPromise tells of what a step promises about files that nobody reads.
func unreadPromise(p *Plan, o CheckOptions, s *Step, tell tell) {
	if s.Artifacts == nil {
		return
	}
	classed := s.SemanticChange == Preserving || s.SemanticChange == Extending
	var of, names []string // languages and files about which something is promised
	var promise, hint string
	note := func(language, file, what, mend string) {
		if !slices.Contains(of, language) {
			of = append(of, language)
		}
		names = append(names, file)
		if promise == "" {
			promise, hint = what, mend
		}
	}
	for i, path := range s.Artifacts.paths() {
		language := o.unread(path)
		created := i < len(s.Artifacts.Create)
		switch {
		case language == "":
		case classed && !(created && s.SemanticChange == Extending):
			note(language, path, fmt.Sprintf("to be %s", s.SemanticChange), `say  semantic_change = "modifying"`)
		case s.Artifacts.SymbolsAdd != nil || s.Artifacts.SymbolsRemove != nil:
			note(language, path, "which symbols it adds and removes", "leave out  symbols_add  and  symbols_remove")
		default:
			if symbol := protectedIn(p, path); symbol != "" {
				note(language, path, fmt.Sprintf("to leave %q alone", symbol), "protect the file by a path of the non-goal")
			}
		}
	}
	if len(names) == 0 {
		return
	}
	const most = 3
	named := strings.Join(quoteAll(names[:min(most, len(names))]), ", ")
	if more := len(names) - most; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	tell("artifacts", fmt.Sprintf("step %s promises %s, and nobody reads %s here (%s): what nobody can say is not accepted",
		s.Address, promise, strings.Join(of, " and "), named),
		hint+", or have somebody look who can: a gate of your own, or a person when the step asks (docs/languages.md)")
}

// protectedIn is a symbol that a non-goal protects and that a file may hold, by
// its name; "" if there is none.
func protectedIn(p *Plan, path string) string {
	for _, n := range p.NonGoals {
		for _, symbol := range n.Symbols {
			if source.MayDeclare(path, symbol) {
				return symbol
			}
		}
	}
	return ""
}

// quoteAll quotes each text.
func quoteAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = fmt.Sprintf("%q", t)
	}
	return out
}

// unread is the language of a path that nobody reads, "" if there is none. Where
// the host does not say what is read, that is Go alone.
func (o *CheckOptions) unread(path string) string {
	if o.Unread != nil {
		return o.Unread(path)
	}
	if l := source.LanguageOf(path); l != "Go" {
		return l
	}
	return ""
}
