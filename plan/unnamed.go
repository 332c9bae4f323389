package plan

import (
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan/internal/paths"
)

// obeyed are files of a workspace by which whoever wrote them has coding agents
// run commands, or send keys elsewhere, with their folders.
var obeyed = []string{
	".claude/settings.json", ".claude/settings.local.json", ".mcp.json", ".codex/config.toml",
	".gemini/settings.json", ".env", "opencode.json", "opencode.jsonc", ".opencode/opencode.json",
}

// Obeyed reports whether what a glob stands for may be a file that coding agents
// obey: it names one, or its folder, or something in there that is no work tree.
func Obeyed(glob string) bool {
	of, in := ledger.Scope{Ignore: []string{glob}}, "/"+glob+"/"
	return slices.ContainsFunc(obeyed, func(name string) bool {
		top, _, _ := strings.Cut(name, "/")
		return of.Level(name) == ledger.Ignored ||
			strings.Contains(in, "/"+top+"/") && path.Base(glob) != "worktrees"
	})
}

// Unnamed are those of some globs that stand for no path which the plan names, nor
// for a folder that it lies in, for nothing that a non-goal may protect, and for
// nothing that coding agents obey.
func (p *Plan) Unnamed(globs []string) []string {
	var names []string
	note := func(visit func(Visitor)) {
		for _, t := range textsOf(visit) {
			if t.means == glob && !ledger.IsGlob(t.text) {
				names = append(names, t.text)
			}
		}
	}
	note(p.Visit)
	for i := range p.Tasks {
		note(p.Tasks[i].Visit)
		names = append(append(names, p.Tasks[i].Files...), p.Tasks[i].PlanFiles...)
	}
	for _, s := range p.Steps() {
		note(s.Visit)
		names = append(names, s.Evidence...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	var guarded []string
	for _, n := range p.NonGoals {
		for _, guard := range n.Paths {
			guarded = append(guarded, withBelow(guard)...)
		}
	}
	return slices.DeleteFunc(slices.Clone(globs), func(glob string) bool {
		of := ledger.Scope{Ignore: []string{glob}}
		return Obeyed(glob) ||
			slices.ContainsFunc(names, func(name string) bool { return of.Level(name) == ledger.Ignored }) ||
			slices.ContainsFunc(guarded, func(path string) bool { return paths.Meet(glob, path) })
	})
}
