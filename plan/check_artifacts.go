package plan

import (
	"fmt"
	"go/token"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan/internal/hidden"
	"github.com/planlock/planlock/plan/internal/paths"
)

// maxComparisons bounds how often a path is compared with a glob in one plan.
const maxComparisons = 300_000

func (c *checker) artifacts(s *Step) {
	a := s.Artifacts
	seen := map[string]string{}
	for _, l := range []struct {
		key   string
		paths []string
	}{{"create", a.Create}, {"modify", a.Modify}, {"delete", a.Delete}} {
		for k, p := range l.paths {
			key := fmt.Sprintf("artifacts.%s[%d]", l.key, k)
			if !c.pattern(key, p) {
				continue
			}
			c.artifact(key, p, s)
			c.twice(key, l.key, p, seen)
		}
	}
	c.symbols("artifacts.symbols_add", a.SymbolsAdd)
	c.symbols("artifacts.symbols_remove", a.SymbolsRemove)
	c.protectedSymbols("artifacts.symbols_add", a.SymbolsAdd)
	c.protectedSymbols("artifacts.symbols_remove", a.SymbolsRemove)
	for _, name := range a.SymbolsAdd {
		if slices.Contains(a.SymbolsRemove, name) {
			c.report("artifact-conflict", "artifacts.symbols_remove",
				fmt.Sprintf("the symbol %q is added and removed", name), "keep one of the two")
		}
	}
	if c.strict && (a.SymbolsAdd == nil || a.SymbolsRemove == nil) && changesGo(a) {
		c.report("symbols-not-declared", "artifacts", "the step changes Go files and does not say which symbols; they are recorded and not accounted",
			"add  symbols_add = []  and  symbols_remove = []  with the names of the symbols; [] means none")
	}
}

// twice reports a path that is declared twice in a step, also in another
// spelling of the same name.
func (c *checker) twice(key, list, path string, seen map[string]string) {
	folded := paths.Fold(path)
	before, ok := seen[folded]
	if !ok {
		seen[folded] = list + " " + path
		return
	}
	in, other, _ := strings.Cut(before, " ")
	switch {
	case other != path && !paths.Lookalike(other, path):
	case other != path:
		c.report("path-lookalike", key, fmt.Sprintf("%q and %q are one name on some file systems", other, path), "choose names that differ by more than case or Unicode form")
	case in != list:
		c.report("artifact-conflict", key, fmt.Sprintf("%q is under %s and under %s", path, in, list), "a path stands in one of create, modify and delete")
	default:
		c.report("artifact-twice", key, fmt.Sprintf("%q stands twice under %s", path, list), "take one out")
	}
}

func (c *checker) artifact(key, p string, s *Step) {
	lower := strings.ToLower(p)
	if _, own := c.own[p]; own || ledger.Reserved(p) || lower == ".git" || lower == ".planlock" {
		c.report("path-reserved", key, fmt.Sprintf("%q is not a step's to change", p), "the plan, its lock, .git and .planlock belong to others")
		return
	}
	if c.affords(key, c.nonGoals.Globs()+c.envelope.Globs()) {
		if id, ok := c.nonGoals.Meets(p); ok {
			c.report("artifact-in-non-goal", key, fmt.Sprintf("%q is protected by non-goal %q", p, id), "take the path out of the step, or out of the non-goal")
		}
		if name, ok := c.envelope.Meets(p); ok {
			c.report("envelope-modified", key, fmt.Sprintf("%q is part of the envelope (%q), which must not move during a run", p, name), "take it out of [envelope], or out of the step")
		}
	}
	if s.Limits != nil && len(s.Limits.Modules) > 0 &&
		!slices.ContainsFunc(s.Limits.Modules, func(m string) bool { return inModule(m, p) }) {
		c.report("artifact-outside-modules", key, fmt.Sprintf("%q lies in none of the step's modules", p), "add its folder to limits.modules")
	}
}

// affords reports whether so many more comparisons with globs are within the
// bound. It says once that they are not.
func (c *checker) affords(key string, comparisons int) bool {
	c.work += comparisons
	if c.work > maxComparisons {
		c.report("too-complex", key, "the plan has too many paths and globs to compare them all", `prefer globs of the form "folder/**"`)
		c.work = math.MinInt / 2
	}
	return c.work >= 0
}

// inModule reports whether a path or glob lies in a folder, which may be a glob
// itself.
func inModule(module, path string) bool {
	module = strings.TrimSuffix(strings.TrimPrefix(module, "./"), "/")
	if module == "." || module == "" || module == "**" || path == module || strings.HasPrefix(path, module+"/") {
		return true
	}
	if strings.HasPrefix(path, "**") {
		return true // may lie anywhere
	}
	return ledger.IsGlob(module) && (ledger.Match(module, path) || ledger.Match(module+"/**", path))
}

// symbols judges names such as "server.Limiter.Allow".
func (c *checker) symbols(key string, names []string) {
	for k, name := range names {
		dot := strings.LastIndexByte(name, '.')
		if dot < 0 || !token.IsIdentifier(name[dot+1:]) || hidden.Index(name) >= 0 || strings.Contains(name, "..") ||
			strings.HasPrefix(name, "/") {
			c.report("symbol-invalid", fmt.Sprintf("%s[%d]", key, k), fmt.Sprintf("%q is not a symbol", name), `a symbol is FOLDER.Name or FOLDER.Type.Method, as in "server.Limiter.Allow", and ".Name" in the root`)
		}
	}
}

// protectedSymbols reports symbols that a non-goal protects; a type stands for
// its methods.
func (c *checker) protectedSymbols(key string, names []string) {
	for k, name := range names {
		for at := name; ; {
			if id, ok := c.kept[at]; ok {
				c.report("artifact-in-non-goal", fmt.Sprintf("%s[%d]", key, k), fmt.Sprintf("the symbol %q is protected by non-goal %q", name, id), "take the symbol out of the step, or out of the non-goal")
				break
			}
			dot := strings.LastIndexByte(at, '.')
			if dot <= 0 {
				break
			}
			at = at[:dot]
		}
	}
}

// publicSymbols lists the symbols that others can use. Tests are not among
// them.
func publicSymbols(a *Artifacts) []string {
	var public []string
	for _, name := range slices.Concat(a.SymbolsAdd, a.SymbolsRemove) {
		last := name[strings.LastIndexByte(name, '.')+1:]
		if last == "" || !unicode.IsUpper([]rune(last)[0]) ||
			slices.ContainsFunc(testPrefixes, func(p string) bool { return strings.HasPrefix(last, p) }) {
			continue
		}
		public = append(public, name)
	}
	return public
}

var testPrefixes = []string{"Test", "Benchmark", "Fuzz", "Example"}

func changesGo(a *Artifacts) bool {
	for _, list := range [][]string{a.Create, a.Modify, a.Delete} {
		for _, p := range list {
			if strings.HasSuffix(p, ".go") {
				return true
			}
		}
	}
	return false
}

// creations reports plain paths that two steps declare as created, where no
// step between the two deletes them.
func (c *checker) creations() {
	by := map[string]Address{}
	for _, a := range c.sequence {
		at, ok := c.steps[a]
		if !ok || c.found.cut {
			continue
		}
		t := &c.p.Tasks[at.task]
		s := &t.Steps[at.step]
		if s.Artifacts == nil {
			continue
		}
		c.task, c.step, c.prefix = t.ID, s.ID, fmt.Sprintf("tasks[%d].steps[%d]", at.task, at.step)
		for k, p := range s.Artifacts.Create {
			if ledger.IsGlob(p) {
				continue
			}
			key := fmt.Sprintf("artifacts.create[%d]", k)
			if first, ok := by[p]; ok && first != a {
				c.report("artifact-created-again", key, fmt.Sprintf("step %s creates %q, and step %s has created it before", a, p, first),
					fmt.Sprintf("declare  modify = [%q]  here, or delete it in a step between the two", p))
				continue
			}
			by[p] = a
		}
		for k, p := range s.Artifacts.Delete {
			c.deletion(fmt.Sprintf("artifacts.delete[%d]", k), p, by)
		}
	}
}

// deletion forgets what a path or glob takes away.
func (c *checker) deletion(key, pattern string, by map[string]Address) {
	delete(by, pattern)
	if !ledger.IsGlob(pattern) || ledger.CheckPattern(pattern) != nil || !c.affords(key, len(by)) {
		return
	}
	for p := range by {
		if ledger.Match(pattern, p) {
			delete(by, p)
		}
	}
}

func (c *checker) limits(s *Step) {
	l := s.Limits
	if l != nil {
		for k, m := range l.Modules {
			if m != "." {
				c.pattern(fmt.Sprintf("limits.modules[%d]", k), m)
			}
		}
	}
	if s.Artifacts == nil || !changesFiles(s.Artifacts) {
		return
	}
	n := len(s.Artifacts.Create) + len(s.Artifacts.Modify) + len(s.Artifacts.Delete)
	if c.strict {
		c.limitsMissing(s, n)
	}
	if l != nil && l.MaxFiles != nil && n > *l.MaxFiles {
		c.report("limits-too-small", "limits.max_files", fmt.Sprintf("the step declares more artifacts (%d) than it may change files (%d)", n, *l.MaxFiles), "raise max_files, or declare less")
	}
}

// limitsMissing says which of the two limits a step lacks, unless something
// else was said of its limits already. n is the number of artifacts that it
// declares.
func (c *checker) limitsMissing(s *Step, n int) {
	l, a := s.Limits, addressOf(c.task, s.ID)
	if bounded(l) || c.limitsMisread(l) {
		return
	}
	switch {
	case l == nil:
		c.report("limits-missing", "", fmt.Sprintf("step %s changes files but declares no limits", a),
			fmt.Sprintf("add  limits = { max_files = %d, max_lines = 80 }  or put it once under [defaults]", n))
	case l.MaxFiles == nil && l.MaxLines == nil:
		c.report("limits-missing", "limits", fmt.Sprintf("the limits of step %s name neither files nor lines", a),
			fmt.Sprintf("add  max_files = %d  and  max_lines = 80  to them", n))
	case l.MaxFiles == nil:
		c.report("limits-missing", "limits", fmt.Sprintf("the limits of step %s lack max_files: it may change any number of files", a),
			fmt.Sprintf("add  max_files = %d  to them", n))
	default:
		c.report("limits-missing", "limits", fmt.Sprintf("the limits of step %s lack max_lines: it may change any number of lines", a),
			"add  max_lines = 80  to them")
	}
}

// bounded reports whether limits bound both files and lines.
func bounded(l *Limits) bool { return l != nil && l.MaxFiles != nil && l.MaxLines != nil }

// limitsMisread reports whether reading found something wrong with the limits
// of the step, or with those that it inherits: a key that is not known, or a
// value that could not be taken. Mending that may be all there is to do.
func (c *checker) limitsMisread(l *Limits) bool {
	known, _ := Names(new(Limits).visit)
	for _, table := range []string{c.prefix + ".limits", "defaults.limits"} {
		names, written := c.d.keys(table)
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
	return c.misspelled("limits")
}
