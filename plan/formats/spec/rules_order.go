package spec

import (
	"fmt"
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

func specletDepUnknown(j *judged, report reporter) {
	h := j.grouped()
	if h == nil {
		return
	}
	known := map[string]bool{}
	for _, s := range h.speclets {
		known[s.id] = true
	}
	h.eachDependency(func(s *speclet, id said) {
		if !known[id.text] {
			report(h, id.at, "", "", fmt.Sprintf("SPECLet %s depends on %q, which is not there", s.id, id.text),
				"name one of: "+shorten(strings.Join(h.specletIDs(), ", ")))
		}
	})
}

func (h *half) specletIDs() []string {
	var ids []string
	for _, s := range h.speclets {
		if ids = append(ids, s.id); len(ids) == 20 {
			break
		}
	}
	return ids
}

func specletSelf(j *judged, report reporter) {
	h := j.grouped()
	if h == nil {
		return
	}
	h.eachDependency(func(s *speclet, id said) {
		if id.text == s.id {
			report(h, id.at, "", "", fmt.Sprintf("SPECLet %s depends on itself", s.id), "take it out of the list")
		}
	})
}

func specletCycle(j *judged, report reporter) {
	h := j.grouped()
	if h == nil {
		return
	}
	first := map[string]*speclet{}
	for _, s := range h.speclets {
		if first[s.id] == nil {
			first[s.id] = s
		}
	}
	for _, cycle := range j.graph(h).Cycles {
		if s := first[cycle[0]]; len(cycle) > 2 && len(s.depends) > 0 { // two are one that waits for itself
			report(h, s.depends[0].at, "", "", "SPECLets wait for each other: "+sketch.Chain(cycle),
				"take one of these dependencies out")
		}
	}
}

func parallelInvalid(j *judged, report reporter) {
	if h := j.grouped(); h != nil {
		for _, s := range h.speclets {
			if s.parallel.odd != "" {
				report(h, s.parallel.at, "", "", fmt.Sprintf("parallel_allowed of SPECLet %s is %s", s.id,
					s.parallel.odd), "write true or false, without quotes")
			}
		}
	}
}

func parallelNever(j *judged, report reporter) {
	h := j.grouped()
	if h == nil {
		return
	}
	for _, s := range h.speclets {
		if s.parallel.value == nil || *s.parallel.value {
			return
		}
	}
	report(h, h.speclets[0].parallel.at, "", "", "no SPECLet may run beside another",
		"set parallel_allowed = true where that is safe, or list the tasks without SPECLets")
}

func specletSingle(j *judged, report reporter) {
	if h := j.grouped(); h != nil && len(h.speclets) == 1 {
		report(h, h.speclets[0].at, "", "", "there is one SPECLet only", "list its tasks without it")
	}
}

// deep is how many SPECLets may wait for one another.
const deep = 4

func chainDeep(j *judged, report reporter) {
	h := j.grouped()
	if h == nil {
		return
	}
	stages := j.graph(h).Stages
	if len(stages) <= deep {
		return
	}
	for _, s := range h.speclets {
		if s.id == stages[deep][0] {
			report(h, s.at, "", "", fmt.Sprintf("SPECLets wait for one another over %d levels; %s is on level %d",
				len(stages), s.id, deep+1), "look for dependencies that are not needed, or join SPECLets")
			return
		}
	}
}
