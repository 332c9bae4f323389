package exec_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/internal/disk"
	"github.com/planlock/planlock/plan"
)

// A syncCounter counts syncs.
type syncCounter struct {
	boot string
	mu   sync.Mutex
	all  int
}

func (c *syncCounter) Boot() string { return c.boot }

func (c *syncCounter) Do(op *disk.Op, run func() error) error {
	c.mu.Lock()
	if op.Kind == disk.Sync || op.Kind == disk.SyncData {
		c.all++
	}
	c.mu.Unlock()
	return run()
}

// TestStepSyncs holds how many syncs of files a step costs while the run goes
// on: one when it is accepted, also if it writes a small file; one more if what
// it writes is large; and one before it is attempted, if restoring a tree does
// not undo it, or nobody could tell that the power went.
//
// In a layer what was accepted is delivered besides: one for what is staged, one
// for the list of it, one for the record of what came out, and one for the
// journal to say so.
func TestStepSyncs(t *testing.T) {
	for _, c := range []struct {
		name     string
		size     int
		rollback string
		boot     string
		want     int
		layered  int
	}{
		{"nothing", 0, "reversible", "test", 1, 1},
		{"a small file", 100, "reversible", "test", 1, 5},
		{"a large file", 100_000, "reversible", "test", 2, 6},
		{"something outside of the workspace", 0, "compensatable\"\ncompensate = \"true", "test", 2, 2},
		{"nobody knows when the machine started", 0, "reversible", "", 2, 2},
	} {
		for variant := range 4 {
			if testing.Short() && variant%3 != 0 {
				continue
			}
			observed, layer, want := variant%2 == 1, plan.InPlace, c.want
			if variant > 1 {
				layer, want = plan.Clone, c.layered
				if !observed && c.size > 0 {
					want-- // that it was delivered need not be durable by itself
				}
			}
			t.Run(fmt.Sprintf("%s, %s, observed %v", c.name, layer, observed), func(t *testing.T) {
				const from, to = 5, 25
				counter := &syncCounter{boot: c.boot}
				ctx := disk.With(t.Context(), disk.New(counter))
				var at [to + 1]int
				script := exectest.Script{}
				text := strings.ReplaceAll(emptySteps(to), "artifacts = {}\n", "limits = { max_files = 1, max_lines = 100000 }\n")
				text = strings.ReplaceAll(text, "semantic_change = \"preserving\"\n", "semantic_change = \"extending\"\n")
				text = strings.Replace(text, "rollback = \"reversible\"\n", "", 1)
				text = strings.ReplaceAll(text, "run = \"true\"\n", "run = \"true\"\nrollback = \""+c.rollback+"\"\n")
				done := 0
				for i := 1; i <= to; i++ {
					address, name := plan.Address(fmt.Sprintf("1.%d", i)), fmt.Sprintf("%d.new", i)
					do := exectest.Nothing()
					artifacts := "artifacts = {}"
					if c.size > 0 {
						do = exectest.Write(name, strings.Repeat(fmt.Sprintf("%07d\n", i), c.size/8))
						artifacts = fmt.Sprintf("artifacts = { create = [%q] }", name)
					}
					script[address] = func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
						done++
						at[done] = counter.all
						return do(ctx, w)
					}
					text = strings.Replace(text, fmt.Sprintf("id = %d\ndescription = \"nothing\"\n", i), fmt.Sprintf("id = %d\ndescription = \"nothing\"\n%s\n", i, artifacts), 1)
				}
				bench := exectest.New(t, layered(text, layer), exectest.Files{"0.txt": "text\n"}, script)
				if observed {
					bench.Controller.Observe = func(context.Context, event.Event) {}
				}
				report, err := bench.Controller.Run(ctx, bench.Lock(t))
				if carried(report, err) != nil {
					t.Fatal(err, report)
				}
				if got := at[to] - at[from]; got != want*(to-from) {
					t.Errorf("%d syncs for %d steps, want %d for each", got, to-from, want)
				}
			})
		}
	}
}
