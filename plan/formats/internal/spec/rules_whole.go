package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan"
)

// Later steps see what went wrong before them: [error_propagation] has enabled
// and read_prior_steps, both true, and dependency_tracking is not false. They see
// it whatever is said, and where it is said that they do not, a person is asked
// before each task.
func propagationIncomplete(c spot) {
	n := c.h.root.Find("error_propagation")
	if n == nil {
		c.tell(0, "add  [error_propagation]  with enabled = true, read_prior_steps = true and "+
			`propagation_strategy = "halt_on_critical"`, "nothing is said about what a failure means for later steps")
		return
	}
	var missing, off []string
	for _, names := range [...][]string{{"enabled", "propagation_enabled"}, {"read_prior_steps"}, {"dependency_tracking"}} {
		switch f := flagIn(n, names...); {
		case f.value != nil && !*f.value:
			missing, off = append(missing, names[0]+" = true"), append(off, names[0]+" = false")
		case f.value == nil && (names[0] != "dependency_tracking" || f.odd != ""):
			missing = append(missing, names[0]+" = true")
		}
	}
	hint := "set  " + strings.Join(missing, "  and  ")
	switch {
	case len(off) > 0:
		c.tell(n.At, hint, "the plan says %s: later steps learn all the same what went wrong before them, and a person is asked "+
			"before each task", strings.Join(off, " and "))
	case len(missing) > 0:
		c.tell(n.At, hint, "the plan does not say that later steps learn what went wrong before them, as they do")
	}
}

// The strategy is halt_on_critical, continue_and_log or collaborative_review.
func strategyUnknown(c spot) {
	s := modeIn(c.h.root.Find("error_propagation"), "propagation_strategy", "strategy")
	if s.ok && !slices.Contains(strategies, plan.Propagation(s.text)) {
		c.tell(s.at, "write halt_on_critical, continue_and_log or collaborative_review", "the strategy %q is not known",
			s.text)
	}
}

// The mode of a run is silent, collaborative, dynamic or education.
func defaultMode(c spot) {
	if m := modeIn(c.h.root.Find("execution"), "default_mode", "mode"); m.ok && modeOf(m.text) == "" {
		c.tell(m.at, "write silent, collaborative, dynamic or education", "the mode %q is not known", m.text)
	}
}

// A constraint that the Markdown or a step names is a key of [constraints].
func (s *step) namesConstraints() []said { return s.constraints }

// A component that the Markdown or a step names is a key of [components].
func (s *step) namesComponents() []said { return s.components }

// dangling judges what names keys of a table that are not there: the Markdown
// by the way, and steps of the parameters in so many words.
func dangling(table string, names func(*step) []said) func(spot) {
	return func(c spot) {
		n := c.h.root.Find(table)
		hint := fmt.Sprintf("add it to [%s] in %s, or name one that is there", table, c.h.file.Name)
		judge := func(c spot, at int, key string) {
			if n.Find(key) == nil {
				c.tell(at, hint, "the %s %q is not in [%s]", strings.TrimSuffix(table, "s"), key, table)
			}
		}
		if c.m != nil {
			for _, r := range c.m.refs {
				if key, ok := strings.CutPrefix(r.text, table+"."); ok {
					judge(c.in(c.m), r.at, key)
				}
			}
			c.m.steps(func(t *task, s *step) {
				for _, name := range names(s) {
					if key, ok := strings.CutPrefix(name.text, table+"."); !ok { // else it was judged above
						judge(c.in(c.m).of(t, s), name.at, key)
					}
				}
			})
		}
		c.h.steps(func(t *task, s *step) {
			for _, name := range names(s) {
				judge(c.of(t, s), name.at, strings.TrimPrefix(name.text, table+"."))
			}
		})
	}
}

// A key of a native plan has a value that it can have there: of its kind, and
// within its bounds.
func valueUnfit(c spot) {
	for _, f := range c.h.unfit {
		c.report(c.h, f.Offset, f.task, f.step, f.Message, f.Hint)
	}
}

// A key that nothing acts on is a promise that nobody keeps. The parameters may
// have all keys of native plans, and they mean the same.
func keyIdle(c spot) {
	for i, k := range c.h.shirks {
		often, more := "", ""
		if k.times > 1 {
			often = fmt.Sprintf(", %d times", k.times)
		}
		if i == maxFaults-1 && c.h.unlisted > 0 {
			more = fmt.Sprintf("; and %d more of this kind", c.h.unlisted)
		}
		c.report(c.h, k.at, k.task, k.step,
			fmt.Sprintf("nothing acts on %s in %s%s: %s%s", k.name, k.of, often, k.why, more), k.hint)
	}
}

// required are the sections of the Markdown besides the goal, by how their
// headings begin.
var required = []string{"Definition of Complete", "Definitions", "Components", "Constraints", "Bridging",
	"Instructions for LLM"}

// The Markdown has the sections Definition of Complete, Definitions,
// Components, Constraints, Bridging and Instructions for LLM.
func sectionsMissing(c spot) {
	missing := slices.DeleteFunc(slices.Clone(required), func(name string) bool {
		return slices.ContainsFunc(c.h.sections, func(s string) bool {
			return strings.HasPrefix(s,
				strings.ToLower(name))
		})
	})
	if len(missing) > 0 {
		c.tell(0, "add them, each with a heading ##", "sections that readers look for are not there: %s",
			strings.Join(missing, ", "))
	}
}
