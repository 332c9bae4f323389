package plan

import "slices"

// LooksInside reports whether the check can tell more of files than that they
// are there, or are not what they were. One that cannot proves nothing of work:
// an empty file is there as well.
func (c Check) LooksInside() bool {
	return !slices.Contains([]string{"file_exists", "file_changed", "env_set", "tool_available"}, c.Kind)
}

// Provable tells the steps that have something which may tell their work from
// its absence: a postcondition that can prove something, a test that is to fail before
// and to hold after, or such a check of a requirement that they serve. Of the
// others only a reviewer can say anything. A postcondition of a step that may
// change nothing holds before it as well.
func (p *Plan) Provable() func(*Step) bool {
	fixing := map[Address]bool{}
	for _, s := range p.Steps() {
		if s.TestIntent != nil {
			fixing[s.TestIntent.FixedBy] = true
		}
	}
	checked := map[string]bool{}
	for _, r := range p.Requirements {
		checked[r.ID] = r.Check != nil && r.Check.CanProve()
	}
	return func(s *Step) bool {
		if slices.ContainsFunc(s.Requirements, func(id string) bool { return checked[id] }) {
			return true
		}
		return s.TestIntent != nil || fixing[s.Address] ||
			!s.changesNothing() && slices.ContainsFunc(s.Postconditions, Check.CanProve)
	}
}

// Looking tells the critical steps that only look, where others are critical: no
// check fails without them, and critical_flag = false has the goal not depend on
// them.
func (p *Plan) Looking() func(*Step) bool {
	others := false
	for _, s := range p.Steps() {
		others = others || s.IsCritical() && !s.changesNothing()
	}
	return func(s *Step) bool { return others && s.IsCritical() && s.changesNothing() }
}

// changesNothing reports whether the step declares that it changes nothing,
// neither in the workspace nor outside of it: all that it can do is look.
func (s *Step) changesNothing() bool {
	return s.Artifacts != nil && len(s.Artifacts.paths())+len(s.Artifacts.Bears) == 0 &&
		!s.Rollback.Outside()
}

// Essential tells the steps that decide whether the goal is achieved: the
// critical ones or, in a plan in which none is, all.
func (p *Plan) Essential() func(*Step) bool {
	for _, s := range p.Steps() {
		if s.IsCritical() {
			return (*Step).IsCritical
		}
	}
	return func(*Step) bool { return true }
}
