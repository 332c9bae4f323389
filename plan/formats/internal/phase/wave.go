package phase

import (
	"fmt"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
)

// cycles names plans that wait for each other, each circle in full and once.
func cycles(set []*member, speclets []plan.Speclet) []plan.Diagnostic {
	var found []plan.Diagnostic
	p := plan.Plan{Speclets: speclets}
	at := map[string]*member{}
	for _, m := range set {
		if at[m.id] == nil {
			at[m.id] = m
		}
	}
	for _, cycle := range p.Graph().Cycles {
		m := at[cycle[0]]
		found = append(found, plan.Diagnostic{Code: "speclet-cycle", Severity: plan.Error, Pos: m.t.At(m.at),
			Message: "plans wait for each other: " + sketch.Chain(cycle), Hint: "take one out of  depends_on"})
	}
	return found
}

// waves compares the waves that plans declare with those that follow from what
// they depend on: one more than the latest of these. A wave that is not after a
// dependency's contradicts it, and the dependency goes before; one that is later
// than it needs to be is a remark, since people also use waves to spread work.
func waves(set []*member, speclets []plan.Speclet) []plan.Diagnostic {
	var found []plan.Diagnostic
	p := plan.Plan{Speclets: speclets}
	at := map[string]*member{}
	for _, m := range set {
		at[m.id] = m
	}
	for i, stage := range p.Graph().Stages {
		for _, id := range stage {
			at[id].order = i + 1
		}
	}
	for _, m := range set {
		if !m.hasWave {
			continue
		}
		said := len(found)
		for _, j := range m.needs {
			if d := set[j]; d.hasWave && d != m && m.wave <= d.wave {
				found = append(found, plan.Diagnostic{Code: "wave-not-after-dependency", Severity: plan.Warning,
					Pos:     m.t.At(m.waveAt),
					Message: fmt.Sprintf("plan %q is in wave %d and depends on plan %q, which is in wave %d: it waits all the same", m.id, m.wave, d.id, d.wave),
					Hint:    fmt.Sprintf("write  wave: %d,  or take the dependency out", max(m.order, d.wave+1))})
			}
		}
		if len(found) == said && m.order > 0 && m.wave != m.order {
			found = append(found, plan.Diagnostic{Code: "wave-differs", Severity: plan.Note, Pos: m.t.At(m.waveAt),
				Message: fmt.Sprintf("plan %q says wave %d; by what it depends on it could be in wave %d", m.id, m.wave,
					m.order),
				Hint: fmt.Sprintf("write  wave: %d,  or name in  depends_on  what it waits for", m.order)})
		}
	}
	return found
}

// A member is one file of a set.
type member struct {
	*reader
	id      string   // as the file calls itself
	phase   string   // the number of its phase, folded
	depends []string // as written; nil: not said
	at      int      // line of depends_on
	needs   []int    // the members that are meant
	wave    int      // declared
	hasWave bool
	waveAt  int
	order   int // the wave that follows from dependencies, from 1; 0 in a cycle
}
