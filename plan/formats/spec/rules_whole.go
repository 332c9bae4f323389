package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/planlock/planlock/plan"
)

func propagationIncomplete(j *judged, report reporter) {
	if j.t == nil {
		return
	}
	n := j.t.root.Find("error_propagation")
	if n == nil {
		report(j.t, 0, "", "", "nothing is said about what a failure means for later steps",
			"add  [error_propagation]  with enabled = true, read_prior_steps = true and propagation_strategy = \"halt_on_critical\"")
		return
	}
	var missing []string
	for _, f := range []struct {
		name string
		flag flag
	}{{"enabled", flagIn(n, "enabled", "propagation_enabled")}, {"read_prior_steps", flagIn(n, "read_prior_steps")}} {
		if f.flag.value == nil || !*f.flag.value {
			missing = append(missing, f.name+" = true")
		}
	}
	if len(missing) > 0 {
		report(j.t, n.At, "", "", "later steps do not learn what went wrong before them",
			"set  "+strings.Join(missing, "  and  "))
	}
}

func strategyUnknown(j *judged, report reporter) {
	if j.t == nil {
		return
	}
	s := wordsIn(j.t.root.Find("error_propagation"), "propagation_strategy", "strategy")
	if s.ok && !slices.Contains(strategies, plan.Propagation(s.text)) {
		report(j.t, s.at, "", "", fmt.Sprintf("the strategy %q is not known", s.text),
			"write halt_on_critical, continue_and_log or collaborative_review")
	}
}

func defaultMode(j *judged, report reporter) {
	if j.t == nil {
		return
	}
	if m := wordsIn(j.t.root.Find("execution"), "default_mode", "mode"); m.ok && modeOf(m.text) == "" {
		report(j.t, m.at, "", "", fmt.Sprintf("the mode %q is not known", m.text),
			"write silent, collaborative, dynamic or education")
	}
}

func (s *step) namesConstraints() []said { return s.constraints }
func (s *step) namesComponents() []said  { return s.components }

// dangling judges what names keys of a table that are not there.
func dangling(table string, names func(*step) []said) func(*judged, reporter) {
	one := strings.TrimSuffix(table, "s")
	return func(j *judged, report reporter) {
		if j.t == nil {
			return
		}
		n := j.t.root.Find(table)
		complain := func(h *half, at int, t, s, key string) {
			report(h, at, t, s, fmt.Sprintf("the %s %q is not in [%s]", one, key, table),
				fmt.Sprintf("add it to [%s] in %s, or name one that is there", table, j.t.file.Name))
		}
		if j.m != nil {
			for _, r := range j.m.refs {
				if key, ok := strings.CutPrefix(r.text, table+"."); ok && n.Find(key) == nil {
					complain(j.m, r.at, "", "", key)
				}
			}
		}
		j.t.steps(func(t *task, s *step) {
			for _, name := range names(s) {
				if key := strings.TrimPrefix(name.text, table+"."); n.Find(key) == nil {
					complain(j.t, name.at, t.id, s.id, key)
				}
			}
		})
	}
}

// required are the sections of the Markdown besides the goal, by how their
// headings begin.
var required = []string{"Definition of Complete", "Definitions", "Components", "Constraints", "Bridging",
	"Instructions for LLM"}

func sectionsMissing(j *judged, report reporter) {
	if j.m == nil {
		return
	}
	var missing []string
	for _, name := range required {
		if !slices.ContainsFunc(j.m.sections, func(s string) bool {
			return strings.HasPrefix(s,
				strings.ToLower(name))
		}) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		report(j.m, 0, "", "", "sections that readers look for are not there: "+strings.Join(missing, ", "),
			"add them, each with a heading ##")
	}
}
