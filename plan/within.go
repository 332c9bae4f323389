package plan

import (
	"path"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// Within are the paths, folders and globs that a plan names for a step of a
// task: its artifacts, what it says that it writes, the files of its task, those
// that the plan around it names for the task, and files that its postconditions
// look at. Under [Scoped] the step may change them in any way, and
// nothing else. They are nil where nothing of the kind is said, and empty where it
// is said that nothing changes.
func (t *Task) Within(s *Step) []string {
	var names []string
	said := s.Artifacts != nil || s.Access != nil && s.Access.Writes != nil || t.Files != nil || t.PlanFiles != nil
	if !said {
		return nil
	}
	if s.Artifacts != nil {
		names = s.Artifacts.paths()
	}
	if s.Access != nil {
		names = slices.Concat(names, s.Access.Writes)
	}
	names = slices.Concat(names, t.Files, t.PlanFiles)
	for _, c := range s.Postconditions {
		if c.Path != "" {
			names = append(names, c.Path)
		}
	}
	within := []string{}
	for _, name := range names {
		name = strings.TrimPrefix(name, "./")
		folder := strings.HasSuffix(name, "/")
		if !ledger.IsGlob(name) {
			name = path.Clean(name)
		}
		if folder {
			name += "/"
		}
		if ledger.CheckPattern(strings.TrimSuffix(name, "/")) == nil && !slices.Contains(within, name) {
			within = append(within, name)
		}
	}
	if len(within) == 0 && len(names) > 0 {
		return nil // none of what is named is a path
	}
	return within
}

// Declared is what a step of a task promised to change, as its plan holds it to
// that. The task may be nil.
func (p *Plan) Declared(t *Task, s *Step) ledger.Declared {
	d := s.Artifacts.Declared()
	d.Public = p != nil && p.Profile == Strict && d.SymbolsAdd == nil && d.SymbolsRemove == nil
	if t != nil && p != nil && p.Profile == Scoped {
		d.Within = t.Within(s)
		if s.Artifacts != nil { // these are to change as they are declared
			own := s.Artifacts.paths()
			d.Within = slices.DeleteFunc(d.Within, func(name string) bool { return slices.Contains(own, name) })
		}
	}
	return d
}

// Binds reports whether the plan says what a step of a task may change, so that
// all else is a deviation: always under Strict, under Scoped where it names files.
func (p *Plan) Binds(t *Task, s *Step) bool {
	switch {
	case p == nil:
		return true
	case p.Profile == Scoped:
		return t != nil && t.Within(s) != nil
	}
	return p.Profile != Observe
}

// Unbound are the steps that the plan does not hold to files, as [Plan.Binds] has
// it: what they change is recorded and kept.
func (p *Plan) Unbound() (list []Address) {
	for t, s := range p.Steps() {
		if !p.Binds(t, s) {
			list = append(list, s.Address)
		}
	}
	return list
}
