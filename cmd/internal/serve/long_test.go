package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
)

// carriedOut is a server of a run of so many tasks of 20 steps, all of which were
// carried out. The first one was; the journal says the same of all others.
func carriedOut(t *testing.T, tasks int) (v *visit, run string) {
	t.Helper()
	head, _, _ := strings.Cut(asking, "[[tasks]]")
	var plan strings.Builder
	plan.WriteString(head)
	var steps []string
	for id := range tasks {
		fmt.Fprintf(&plan, "\n[[tasks]]\nid = %d\ndescription = \"Write part %[1]d\"\n", id+1)
		for step := range 20 {
			name := fmt.Sprintf("%d-%d.txt", id+1, step+1)
			fmt.Fprintf(&plan, "  [[tasks.steps]]\n  id = %d\n  description = \"Write sentence %[1]d\"\n  run = \"write %s\"\n"+
				"  artifacts = { create = [%[2]q] }\n  postconditions = [{ kind = \"file_exists\", path = %[2]q }]\n",
				step+1, name)
			steps = append(steps, fmt.Sprintf("%d.%d", id+1, step+1))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	b := exectest.New(t, plan.String(), nil, exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
		if w.Step.Address != "1.1" {
			cancel()
			return exec.Outcome{}, ctx.Err()
		}
		return exec.Outcome{}, os.WriteFile(filepath.Join(w.Dir, "1-1.txt"), []byte("one\n"), 0o644)
	}))
	made, err := b.Controller.Run(ctx, b.Lock(t))
	if made == nil {
		t.Fatal(err)
	}
	run = made.Run.Started.Run
	path := filepath.Join(exec.Workspace{Dir: b.Dir}.RunDir(run), "journal")
	var begin, first []record.Fact
	journal, err := filelog.OpenJournal(t.Context(), path, run, func(r record.Record) error {
		switch {
		case r.Step == "1.1":
			first = append(first, r.Fact)
		case r.Step == "" && first == nil:
			begin = append(begin, r.Fact)
		}
		return nil
	})
	if err == nil {
		err = journal.Close()
	}
	if err == nil {
		err = errors.Join(os.Remove(path), os.Remove(path+".head"))
	}
	if err == nil {
		journal, err = filelog.OpenJournal(t.Context(), path, run, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		for _, f := range first {
			f.Step = step
			begin = append(begin, f)
		}
	}
	_, err = journal.Write(t.Context(), begin...)
	if err == nil {
		err = journal.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return visiting(t, b), run
}

// A cost is what a page takes.
type cost struct {
	took        time.Duration
	size, alloc int // bytes
}

// costOf is what a page of a run costs: the least of three times.
func costOf(v *visit, path string) (least cost) {
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begun := time.Now()
		page := v.get(path, http.StatusOK)
		took := time.Since(begun)
		runtime.ReadMemStats(&after)
		if least.took == 0 || took < least.took {
			least = cost{took, len(page), int(after.TotalAlloc - before.TotalAlloc)}
		}
	}
	return least
}

// TestALongRun: the pages of a run that carried out 2,000 steps are bounded in
// size and memory, and neither grows faster than the run. What they take is told:
// it depends on who else uses the machine.
func TestALongRun(t *testing.T) {
	few, fewRun := carriedOut(t, 25)
	all, allRun := carriedOut(t, 100)
	if n := strings.Count(all.get("/runs/"+allRun, http.StatusOK), `<li class="completed">`); n != 2000 {
		t.Fatalf("the page has %d steps that were carried out", n)
	}
	for _, path := range []string{"/", "/runs/RUN", "/runs/RUN/steps/step-10-7"} {
		a := costOf(few, strings.ReplaceAll(path, "RUN", fewRun))
		b := costOf(all, strings.ReplaceAll(path, "RUN", allRun))
		t.Logf("%s: 2,000 steps: %v, %d KiB, %d MiB allocated; 500 steps: %v, %d KiB, %d MiB", path,
			b.took, b.size>>10, b.alloc>>20, a.took, a.size>>10, a.alloc>>20)
		if b.size > 1<<20 || b.alloc > 256<<20 || b.alloc > 6*a.alloc {
			t.Errorf("%s takes %+v, and with a quarter of the steps %+v", path, b, a)
		}
	}
}
