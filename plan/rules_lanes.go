package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/source"
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
		{code: "access-contradiction", severity: Error, said: true,
			why: "What a step says in access is what it may touch: nothing where it says that it changes nothing, nothing that a " +
				"non-goal protects or that lies outside of its modules, and all the symbols that it declares to add and remove.",
			step: func(x *inspection, s *stepPart, tell tell) {
				if key, message, hint := x.contradicted(s); message != "" {
					tell(key, message, hint)
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

// contradicted says where a step says in access what something else in the plan
// denies; "" if nowhere.
func (x *inspection) contradicted(s *stepPart) (key, message, hint string) {
	a := s.Access
	if a == nil {
		return "", "", ""
	}
	for i, w := range a.Writes {
		key := fmt.Sprintf("access.writes[%d]", i)
		switch n := x.nonGoalOver(w); {
		case s.Artifacts != nil && len(s.Artifacts.paths()) == 0 && !x.unaccounted(w):
			return key, fmt.Sprintf("%q is said to be written, and the step says that it changes nothing", w),
				"declare it under artifacts, or take it out of access"
		case n != "":
			return key, fmt.Sprintf("%q is said to be written, and non-goal %q protects it", w, n),
				"take the path out of access, or out of the non-goal"
		case s.Limits != nil && len(s.Limits.Modules) > 0 && !x.unaccounted(w) &&
			!slices.ContainsFunc(s.Limits.Modules, func(m string) bool { return inModule(m, w) }):
			return key, fmt.Sprintf("%q is said to be written, and lies in none of the step's modules", w),
				"add its folder to limits.modules, or take it out of access"
		}
	}
	if a.Symbols == nil || s.Artifacts == nil {
		return "", "", ""
	}
	for _, name := range slices.Concat(s.Artifacts.SymbolsAdd, s.Artifacts.SymbolsRemove) {
		owned := func(o string) bool { return source.Belongs(name, o) }
		if !slices.ContainsFunc(a.Symbols, owned) {
			return "access.symbols", fmt.Sprintf("the step adds or removes %q, and does not own it", name),
				fmt.Sprintf("add %q to  access.symbols,  or leave that list out", name)
		}
	}
	return "", "", ""
}

// nonGoalOver is the id of a non-goal that protects all that a pattern stands
// for; "" if there is none.
func (x *inspection) nonGoalOver(pattern string) string {
	for _, n := range x.plan.NonGoals {
		if slices.ContainsFunc(n.Paths, func(p string) bool { return covers(p, pattern) }) {
			return n.ID
		}
	}
	return ""
}

// unaccounted reports whether the plan leaves out of the account what a pattern
// stands for.
func (x *inspection) unaccounted(pattern string) bool {
	return slices.ContainsFunc(slices.Concat(x.plan.Scope.Ignore, x.plan.Scope.Track, x.plan.Scope.Stamps),
		func(p string) bool { return covers(p, pattern) })
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
