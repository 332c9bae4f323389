package plan

import (
	"slices"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan/internal/paths"
)

// Unnamed are those of some globs that stand for no path which the plan names, nor
// for a folder that it lies in, and for nothing that a non-goal may protect.
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
		for _, path := range n.Paths {
			guarded = append(guarded, withBelow(path)...)
		}
	}
	return slices.DeleteFunc(slices.Clone(globs), func(glob string) bool {
		of := ledger.Scope{Ignore: []string{glob}}
		return slices.ContainsFunc(names, func(name string) bool { return of.Level(name) == ledger.Ignored }) ||
			slices.ContainsFunc(guarded, func(path string) bool { return paths.Meet(glob, path) })
	})
}
