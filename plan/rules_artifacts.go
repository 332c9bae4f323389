package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
	"github.com/planlock/planlock/plan/internal/paths"
)

// artifactRules are those of what a step declares to change, and of how much.
func artifactRules() []rule {
	return []rule{
		{code: "artifacts-missing", severity: Error,
			why: "Under strict each step says what it changes. artifacts = {} says: nothing.",
			step: lacking(func(x *inspection, s *stepPart) bool {
				return s.Artifacts == nil && x.silent(s, "artifacts")
			},
				"", "step %s does not say what it changes",
				`add  artifacts = { create = ["docs/limits.md"] }  with its own paths, or  artifacts = {}  `+
					"for nothing")},
		{code: "path-reserved", severity: Error, said: true,
			why: "The plan, its lock, and what lies in a folder .git or .planlock, wherever that is, are never a step's " +
				"artifacts.",
			step: func(x *inspection, s *stepPart, tell tell) {
				for _, a := range s.artifacts {
					if x.reserved(a.text) {
						tell(a.key(), fmt.Sprintf("%q is not a step's to change", a.text),
							"the plan, its lock, .git and .planlock belong to others")
					}
				}
			}},
		{code: "path-unportable", severity: Error, said: true,
			why: "A step leaves no file whose name is more than 255 bytes long, which no file system holds, or means " +
				"something else on Windows: a device (CON, NUL, COM1, with any extension), another file (a point or " +
				"a blank at the end), a part of one (a colon). What is there may be deleted, and a glob may stand " +
				"for it.",
			step: func(x *inspection, s *stepPart, tell tell) {
				for _, a := range s.artifacts {
					if why := unportable(&a); why != "" && !x.reserved(a.text) {
						tell(a.key(), why, "give the file another name; for one that is there and must keep its name, "+
							"write a glob")
					}
				}
			}},
		{code: "path-lookalike", severity: Error,
			why: "Two paths of a step differ in case or Unicode form only, and are one file on some file systems.",
			step: artifactPairs(func(a, before text) (message, hint string) {
				if a.text == before.text || !paths.Lookalike(before.text, a.text) {
					return "", ""
				}
				return fmt.Sprintf("%q and %q are one name on some file systems", before.text, a.text),
					"choose names that differ by more than case or Unicode form"
			})},
		{code: "artifact-conflict", severity: Error, said: true,
			why: "A path stands in one of create, modify and delete; a symbol is added or removed.",
			step: func(x *inspection, s *stepPart, tell tell) {
				artifactPairs(func(a, before text) (message, hint string) {
					if a.text != before.text || a.name == before.name {
						return "", ""
					}
					return fmt.Sprintf("%q is under %s and under %s", a.text, before.name, a.name),
						"a path stands in one of create, modify and delete"
				})(x, s, tell)
				if s.Artifacts == nil {
					return
				}
				for _, name := range s.Artifacts.SymbolsAdd {
					if slices.Contains(s.Artifacts.SymbolsRemove, name) {
						tell("artifacts.symbols_remove", fmt.Sprintf("the symbol %q is added and removed", name),
							"keep one of the two")
					}
				}
			}},
		{code: "artifact-twice", severity: Warning, why: "A path stands once in its list.",
			step: artifactPairs(func(a, before text) (message, hint string) {
				if a.text != before.text || a.name != before.name {
					return "", ""
				}
				return fmt.Sprintf("%q stands twice under %s", a.text, a.name), "take one out"
			})},
		{code: "artifact-in-non-goal", severity: Error, said: true, why: "A step declares what a non-goal protects.",
			step: func(x *inspection, s *stepPart, tell tell) {
				for _, a := range s.artifacts {
					if x.reserved(a.text) || !x.affords(a.key, x.nonGoals.Globs()) {
						continue
					}
					if id, ok := x.nonGoals.Meets(a.text); ok {
						tell(a.key(), fmt.Sprintf("%q is protected by non-goal %q", a.text, id),
							"take the path out of the step, or out of the non-goal")
					}
				}
				if s.Artifacts != nil {
					x.protectedSymbols("artifacts.symbols_add", s.Artifacts.SymbolsAdd, tell)
					x.protectedSymbols("artifacts.symbols_remove", s.Artifacts.SymbolsRemove, tell)
				}
			}},
		{code: "envelope-modified", severity: Error, said: true, why: "What the outcome depends on must not move during the run.",
			step: func(x *inspection, s *stepPart, tell tell) {
				for _, a := range s.artifacts {
					if x.reserved(a.text) || !x.affords(a.key, x.envelope.Globs()) {
						continue
					}
					if name, ok := x.envelope.Meets(a.text); ok {
						tell(a.key(),
							fmt.Sprintf("%q is part of the envelope (%q), which must not move during a run", a.text,
								name),
							"take it out of [envelope], or out of the step")
					}
				}
			}},
		{code: "artifact-outside-modules", severity: Error, said: true,
			why: "A step declares a path outside the folders that it limits itself to.",
			step: func(x *inspection, s *stepPart, tell tell) {
				if s.Limits == nil || s.Limits.Modules == nil {
					return
				}
				for _, a := range s.artifacts {
					anywhere := strings.HasPrefix(a.text, "**") && len(s.Limits.Modules) > 0
					if !x.reserved(a.text) && !anywhere && !s.Limits.Allows(a.text) {
						tell(a.key(), fmt.Sprintf("%q lies in none of the step's modules", a.text),
							"add its folder to limits.modules")
					}
				}
			}},
		{code: "artifact-created-again", severity: Warning,
			why: "What an earlier step creates or modifies is there, unless a step between the two deletes it: a later one that " +
				"declares it as created will fail. So will one that adds, or removes, a symbol which an earlier one has added, or " +
				"removed. What a glob stands for, and what is a folder, is not known before the run.",
			step: func(x *inspection, s *stepPart, tell tell) {
				for _, k := range slices.Sorted(maps.Keys(x.created[s.at])) {
					p, first := s.Artifacts.Create[k], x.created[s.at][k]
					did := "created it"
					if first.modified {
						did = "modified it"
					}
					tell(fmt.Sprintf("artifacts.create[%d]", k),
						fmt.Sprintf("step %s creates %q, and step %s has %s before", s.address, p, first.by, did),
						fmt.Sprintf("declare  modify = [%q]  here, or delete it in a step between the two", p))
				}
				for _, m := range x.symbols[s.at] {
					does, did := "adds", "added"
					if strings.Contains(m.key, "remove") {
						does, did = "removes", "removed"
					}
					tell(m.key, fmt.Sprintf("step %s %s the symbol %q, and step %s has %s it before",
						s.address, does, m.path, m.by, did), "take it out of one of the two")
				}
			}},
		{code: "artifact-gone", severity: Warning,
			why: "What an earlier step deletes is not there any more, unless a step between the two creates it: a later one that " +
				"declares it as modified or deleted will fail.",
			step: func(x *inspection, s *stepPart, tell tell) {
				for _, m := range x.gone[s.at] {
					tell(m.key, fmt.Sprintf("step %s changes %q, and step %s has deleted it before", s.address, m.path, m.by),
						fmt.Sprintf("declare  create = [%q]  here, or in a step between the two", m.path))
				}
			}},
		{code: "symbols-not-declared", severity: Warning,
			why: "Where a step changes source files that are read and says nothing about symbols, one that adds or removes a " +
				"public symbol fails. Where it says some, one that adds or removes another one fails, whoever may use that.",
			step: func(x *inspection, s *stepPart, tell tell) {
				a := s.Artifacts
				read := func(p string) bool { return source.LanguageOf(p) != "" && x.options.unread(p) == "" }
				if !x.strict || a == nil || a.SymbolsAdd != nil && a.SymbolsRemove != nil ||
					!slices.ContainsFunc(a.paths(), read) {
					return
				}
				switch {
				case a.SymbolsAdd != nil:
					tell("artifacts", "the step says which symbols it adds, and not which it removes: it fails if it removes one",
						"add  symbols_remove = []  with the names of the symbols; [] means none")
				case a.SymbolsRemove != nil:
					tell("artifacts", "the step says which symbols it removes, and not which it adds: it fails if it adds one",
						"add  symbols_add = []  with the names of the symbols; [] means none")
				default:
					tell("artifacts",
						"the step changes source files and does not say which symbols: it fails if it adds or removes a public one",
						"add  symbols_add = []  and  symbols_remove = []  with the names of the symbols; [] means none")
				}
			}},
		{code: "semantic-change-missing", severity: Error, said: true,
			why: "Under strict a step that changes files says what that does to behaviour; so does one of another format that may change any.",
			step: lacking(func(x *inspection, s *stepPart) bool {
				may := s.changesFiles() || s.Artifacts == nil && x.draft.foreign()
				return may && s.SemanticChange == "" && x.silent(s, "semantic_change")
			},
				"", "step %s changes files and does not say what that does to behaviour",
				`add  semantic_change = "preserving"  or one of "extending", "modifying" and "breaking"`)},
		{code: "semantic-change-contradicts", severity: Warning, said: true,
			why: "A step that is preserving neither adds nor removes what others use, and only a breaking one removes it: one that " +
				"declares both will fail, unless nobody else can use the symbols.",
			step: func(_ *inspection, s *stepPart, tell tell) {
				if s.Artifacts == nil || s.SemanticChange == "" || s.SemanticChange == Breaking {
					return
				}
				switch removed := publicSymbols(&Artifacts{SymbolsRemove: s.Artifacts.SymbolsRemove}); {
				case len(removed) > 0:
					tell("semantic_change", fmt.Sprintf("step %s is %s, and removes the public symbol %q", s.address,
						s.SemanticChange, removed[0]), `write  semantic_change = "breaking"`)
				case s.SemanticChange == Preserving && len(publicSymbols(s.Artifacts)) > 0:
					tell("semantic_change", fmt.Sprintf("step %s is preserving, and adds the public symbol %q", s.address,
						publicSymbols(s.Artifacts)[0]), `write  semantic_change = "extending"`)
				}
			}},
		{code: "limits-missing", severity: Error,
			why: "Under strict a step that changes files says how many files and lines.",
			step: func(x *inspection, s *stepPart, tell tell) {
				if x.strict && s.changesFiles() && !bounded(s.Limits) && !x.limitsMisread(s) {
					limitsMissing(s, tell)
				}
			}},
		{code: "limits-too-small", severity: Error, said: true, why: "A step cannot keep both its artifacts and its limits.",
			step: func(_ *inspection, s *stepPart, tell tell) {
				if !s.changesFiles() || s.Limits == nil || s.Limits.MaxFiles == nil {
					return
				}
				if n, most := len(s.Artifacts.paths()), *s.Limits.MaxFiles; n > most {
					tell("limits.max_files",
						fmt.Sprintf("the step declares more artifacts (%d) than it may change files (%d)", n, most),
						"raise max_files, or declare less")
				}
			}},
	}
}

// artifactsOf leaves of the texts of a step those that it declares as
// artifacts, without what is no path.
func artifactsOf(texts []text) []text {
	var all []text
	for _, t := range texts {
		if t.prefix == "artifacts." && t.means == glob && ledger.CheckPattern(t.text) == nil {
			all = append(all, t)
		}
	}
	return all
}

// artifactPairs judges each artifact of a step together with the first one
// before it that has the same name on some file system.
func artifactPairs(
	wrong func(a, before text) (message, hint string),
) func(*inspection, *stepPart, tell) {
	return func(_ *inspection, s *stepPart, tell tell) {
		seen := map[string]text{}
		for _, a := range s.artifacts {
			folded := paths.Fold(a.text)
			before, ok := seen[folded]
			if !ok {
				seen[folded] = a
			} else if message, hint := wrong(a, before); message != "" {
				tell(a.key(), message, hint)
			}
		}
	}
}

// reserved reports whether a path is never a step's to change.
func (x *inspection) reserved(p string) bool {
	_, own := x.own[p]
	return own || ledger.Reserved(p)
}

// unportable says why an artifact is no file that a step may leave.
func unportable(a *text) string {
	if why := ledger.Unportable(a.text); why != "" && a.name != "delete" {
		return fmt.Sprintf("%q %s", a.text, why)
	}
	return ""
}

// Allows reports whether a path or glob lies in one of the modules: where none
// are said, everywhere.
func (l *Limits) Allows(path string) bool {
	return l.Modules == nil || slices.ContainsFunc(l.Modules, func(m string) bool { return inModule(m, path) })
}

// inModule reports whether a path or glob lies in a folder, which may be a glob
// itself.
func inModule(module, path string) bool {
	module = strings.TrimSuffix(strings.TrimPrefix(module, "./"), "/")
	if module == "." || module == "" || module == "**" || path == module || strings.HasPrefix(path, module+"/") {
		return true
	}
	return ledger.IsGlob(module) && (ledger.Match(module, path) || ledger.Match(module+"/**", path))
}

// protectedSymbols reports symbols that a non-goal protects; a type stands for
// its methods.
func (x *inspection) protectedSymbols(key string, names []string, tell tell) {
	for k, name := range names {
		for at := name; at != ""; at, _, _ = source.Cut(at) {
			if id, ok := x.kept[at]; ok {
				tell(fmt.Sprintf("%s[%d]", key, k), fmt.Sprintf("the symbol %q is protected by non-goal %q", name, id),
					"take the symbol out of the step, or out of the non-goal")
				break
			}
		}
	}
}

// limitsMissing says which of the two limits a step lacks.
func limitsMissing(s *stepPart, tell tell) {
	l, n := s.Limits, len(s.Artifacts.paths())
	switch {
	case l == nil:
		tell("", fmt.Sprintf("step %s changes files but declares no limits", s.address),
			fmt.Sprintf("add  limits = { max_files = %d, max_lines = 80 }  or put it once under [defaults]", n))
	case l.MaxFiles == nil && l.MaxLines == nil:
		tell("limits", fmt.Sprintf("the limits of step %s name neither files nor lines", s.address),
			fmt.Sprintf("add  max_files = %d  and  max_lines = 80  to them", n))
	case l.MaxFiles == nil:
		tell("limits",
			fmt.Sprintf("the limits of step %s lack max_files: it may change any number of files", s.address),
			fmt.Sprintf("add  max_files = %d  to them", n))
	default:
		tell("limits",
			fmt.Sprintf("the limits of step %s lack max_lines: it may change any number of lines", s.address),
			"add  max_lines = 80  to them")
	}
}

// bounded reports whether limits bound both files and lines.
func bounded(l *Limits) bool { return l != nil && l.MaxFiles != nil && l.MaxLines != nil }

// limitsMisread reports whether reading found something wrong with the limits
// of the step, or with those that it inherits: a key that is not known, or a
// value that could not be taken. Mending that may be all there is to do.
func (x *inspection) limitsMisread(s *stepPart) bool {
	known := Names(new(Limits).visit)
	l := s.Limits
	for _, table := range []string{s.path + ".limits", "defaults.limits"} {
		names, written := x.draft.keys(table)
		if written && names == nil {
			return true
		}
		for _, name := range names {
			lost := l == nil || name == "max_files" && l.MaxFiles == nil || name == "max_lines" && l.MaxLines == nil
			if lost || !slices.Contains(known, name) {
				return true
			}
		}
	}
	return x.misspelled(s, "limits")
}
