package remote

import (
	"testing"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/ledger"
)

// TestFit: a worker has the tree that a lane's last job began with, which the next
// attempt of a step that failed begins with, and the one that it made.
func TestFit(t *testing.T) {
	w := &lane{Worker: &Worker{Executors: exec.Default(&shell.Executor{})}}
	other := &lane{}
	w.beside = []*lane{w, other}
	x := w.executor("")
	id, err := identity(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	fit := func(run string, tree ledger.Digest) Fit {
		return w.fit(t.Context(), Job{Run: run, Identity: id, Base: record.Snapshot{Tree: tree}})
	}
	if got := fit("run", "base"); got != Able {
		t.Errorf("a worker that did nothing yet: %v", got)
	}
	other.had.Store(&had{"run", "base", "made"})
	for _, c := range []struct {
		run  string
		tree ledger.Digest
		want Fit
	}{{"run", "base", HasTree}, {"run", "made", HasTree}, {"run", "else", KnowsRun}, {"another", "else", Able}, {"another", "base", HasTree}} {
		if got := fit(c.run, c.tree); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
