package postgres

import (
	"context"
	"testing"

	"github.com/planlock/planlock/exec/remote"
	"github.com/planlock/planlock/exec/remote/remotetest"
)

// blind gives workers jobs whatever trees they have.
type blind struct{ *Queue }

func (b blind) Take(ctx context.Context, fit func(remote.Job) remote.Fit) (remote.Lease, error) {
	return b.Queue.Take(ctx, func(j remote.Job) remote.Fit {
		if fit(j) == remote.Unfit {
			return remote.Unfit
		}
		return remote.HasTree
	})
}

// TestAffinity: the steps of a chain go to the worker that has the tree, which reads
// nothing of what it made itself. -v tells how much that is, in lanes too.
func TestAffinity(t *testing.T) {
	const workers, steps = 4, 16
	for _, plan := range []struct {
		name         string
		tasks, steps int
	}{{"a chain", 1, steps}, {"8 lanes", 8, steps / 4}} {
		read := map[bool]int64{}
		for _, sees := range []bool{false, true} {
			q := opened(t, database(t))
			m := remotetest.Moves{Tasks: plan.tasks, Steps: plan.steps, Owner: q}
			for range workers {
				w := &remote.Worker{Jobs: blind{q}}
				if sees {
					w.Jobs = q
				}
				m.Workers = append(m.Workers, w)
			}
			read[sees] = m.Run(t).Workers
		}
		t.Logf("%s of %d steps that write %d bytes each, in a tree of %d, by %d workers: they read %d bytes; %d where each has any job",
			plan.name, plan.tasks*plan.steps, remotetest.Written, remotetest.Initial, workers, read[true], read[false])
		if plan.tasks == 1 && read[true] > read[false]/2 { // on a busy machine it may come too late now and then
			t.Errorf("that is too much")
		}
	}
}
