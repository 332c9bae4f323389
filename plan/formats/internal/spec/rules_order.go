package spec

import (
	"strings"

	"github.com/planlock/planlock/plan/formats/internal/sketch"
)

// eachDependency calls f for every speclet that another waits for.
func (h *half) eachDependency(f func(s *speclet, id said)) {
	for _, s := range h.speclets {
		for _, d := range s.depends {
			for _, id := range d.ids {
				f(s, id)
			}
		}
	}
}

// A SPECLet depends on SPECLets that are there, by id or name.
func specletDepUnknown(c spot) {
	known := map[string]bool{}
	for _, s := range c.h.speclets {
		known[s.id] = true
	}
	c.h.eachDependency(func(s *speclet, id said) {
		if !known[id.text] {
			c.tell(id.at, "name one of: "+shorten(strings.Join(c.h.specletIDs(), ", ")),
				"SPECLet %s depends on %q, which is not there", s.id, id.text)
		}
	})
}

// specletIDs are the first of them, as a hint names them.
func (h *half) specletIDs() []string {
	var ids []string
	for _, s := range h.speclets {
		if ids = append(ids, s.id); len(ids) == 20 {
			break
		}
	}
	return ids
}

// A SPECLet that waits for itself never begins.
func specletSelf(c spot) {
	c.h.eachDependency(func(s *speclet, id said) {
		if id.text == s.id {
			c.tell(id.at, "take it out of the list", "SPECLet %s depends on itself", s.id)
		}
	})
}

// SPECLets that wait for each other never begin. The whole circle is named.
func specletCycle(c spot) {
	first := map[string]*speclet{}
	for _, s := range c.h.speclets {
		if first[s.id] == nil {
			first[s.id] = s
		}
	}
	for _, cycle := range c.graph(c.h).Cycles {
		if s := first[cycle[0]]; len(cycle) > 2 && len(s.depends) > 0 { // two are one that waits for itself
			c.tell(s.depends[0].at, "take one of these dependencies out", "SPECLets wait for each other: %s",
				sketch.Chain(cycle))
		}
	}
}

// parallel_allowed is true or false.
func parallelInvalid(c spot) {
	for _, s := range c.h.speclets {
		if s.parallel.odd != "" {
			c.tell(s.parallel.at, "write true or false, without quotes", "parallel_allowed of SPECLet %s is %s", s.id,
				s.parallel.odd)
		}
	}
}

// Where no SPECLet may run beside another, tasks alone would do.
func parallelNever(c spot) {
	for _, s := range c.h.speclets {
		if s.parallel.value == nil || *s.parallel.value {
			return
		}
	}
	c.tell(c.h.speclets[0].parallel.at,
		"set parallel_allowed = true where that is safe, or list the tasks without SPECLets",
		"no SPECLet may run beside another")
}

// One SPECLet orders nothing: tasks alone would do.
func specletSingle(c spot) {
	if len(c.h.speclets) == 1 {
		c.tell(c.h.speclets[0].at, "list its tasks without it", "there is one SPECLet only")
	}
}

// deep is how many SPECLets may wait for one another.
const deep = 4

// More than four SPECLets, each waiting for the one before, let nothing run
// side by side.
func chainDeep(c spot) {
	stages := c.graph(c.h).Stages
	if len(stages) <= deep {
		return
	}
	for _, s := range c.h.speclets {
		if s.id == stages[deep][0] {
			c.tell(s.at, "look for dependencies that are not needed, or join SPECLets",
				"SPECLets wait for one another over %d levels; %s is on level %d", len(stages), s.id, deep+1)
			return
		}
	}
}
