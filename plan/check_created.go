package plan

import (
	"fmt"

	"github.com/planlock/planlock/ledger"
)

// creations reports plain paths that two steps declare as created, where no step between the two deletes them.
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
