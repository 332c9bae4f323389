package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
)

// laneRules are those of what steps read and write that may run at once.
func laneRules() []rule {
	return []rule{
		{code: "access-incomplete", severity: Error, said: true,
			why: "Where a step says in access what it writes, that covers all of its artifacts: others may run beside it on " +
				"its word.",
			step: func(x *inspection, s *stepPart, tell tell) {
				if s.Access == nil || s.Access.Writes == nil {
					return
				}
				for _, a := range s.artifacts {
					covered := func(p string) bool { return covers(p, a.text) }
					if x.affords(a.key, len(s.Access.Writes)) && !slices.ContainsFunc(s.Access.Writes, covered) {
						tell("access.writes", fmt.Sprintf("%q is to be changed, and access does not say that it is written",
							a.text), fmt.Sprintf("add %q to  access.writes,  or leave that list out", a.text))
						return
					}
				}
			}},
		{code: "access-overlap", severity: Error, said: true,
			why: "Steps that a plan marks as parallel to each other, by a wave or by speclets of one stage, do not say in " +
				"access that one writes what the other reads or writes, or that both own a symbol.",
			step: func(x *inspection, s *stepPart, tell tell) {
				if why := x.overlap(s); why != "" {
					tell("access", why+"; the plan lets them run at once",
						"narrow what one of them accesses, let one task depend on the other, or take them out of the wave")
				}
			}},
	}
}

// covers reports whether all that a path or glob stands for is named by a
// pattern, as far as that can be told.
func covers(pattern, path string) bool {
	folder := strings.TrimSuffix(pattern, "/")
	return pattern == path || strings.HasPrefix(path, folder+"/") || ledger.Match(pattern, path)
}

// maxCrossed bounds what is compared of what steps access.
const maxCrossed = 1_000_000

// overlap says where a step accesses what an earlier one does that may run
// beside it, by what both say in access, or "". Steps that are so far apart that
// they are never looked at together are left out, and so are those of a plan
// that come after very many: they do not run at once, whether told or not.
func (x *inspection) overlap(s *stepPart) string {
	l := x.lanes
	if l == nil || s.Access == nil {
		return ""
	}
	i, ok := l.at[s.address]
	if !ok {
		return ""
	}
	of := l.steps[i].accessed()
	if of == nil {
		return ""
	}
	for j := i - 1; j >= 0 && j > i-farthest; j-- {
		task := l.steps[j].task
		if task == l.steps[i].task || l.unwilling(task, l.steps[i].task) != "" {
			continue
		}
		other := l.steps[j].accessed()
		if other == nil {
			continue
		}
		if x.crossed += of.size() * other.size(); x.crossed > maxCrossed {
			return ""
		}
		if why := other.meets(of); why != "" && !l.needs(l.steps[i].task, task) {
			return why
		}
	}
	return ""
}

// accessed is what the step says of its access alone; nil: nothing, or what is
// no path.
func (s *laneStep) accessed() *laneStep {
	a := s.Access
	if a == nil {
		return nil
	}
	for _, p := range slices.Concat(a.Reads, a.Writes) {
		if ledger.CheckPattern(p) != nil {
			return nil
		}
	}
	return &laneStep{Step: s.Step, writes: a.Writes, reads: a.Reads, owns: a.Symbols}
}

// size is how many things a step touches.
func (s *laneStep) size() int { return len(s.writes) + len(s.reads) + len(s.owns) }
