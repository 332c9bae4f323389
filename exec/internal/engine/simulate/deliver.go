package simulate

import (
	"github.com/planlock/planlock/exec/history"
)

// deliver brings accepted work into the workspace, where it now and then meets
// what somebody else did.
func (g *Game) deliver() {
	if at, ok := g.run.Undelivered(); !ok || at == 0 {
		g.judge.broken("a delivery is wanted, and nothing is to be delivered")
		return
	}
	var made *history.Step
	for _, s := range g.run.Steps {
		if s.Completed != nil && s.Carried == nil && s.Completed.Snapshot == g.run.Tree {
			made = s
		}
	}
	if made != nil && g.dice.in(15) {
		g.foreign(made, &history.Foreign{Tree: g.tree(), Adopt: g.tree(), Met: true})
		return
	}
	g.fold(history.Where{}.Locate(&history.Delivered{Tree: g.run.Tree})...)
}

// foreign has the controller find what somebody else did.
func (g *Game) foreign(s *history.Step, f *history.Foreign) {
	f.Changes = []string{"somebody was here"}
	g.fold(s.Where(0).Locate(f)...)
}
