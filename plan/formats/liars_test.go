package formats_test

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats"
)

// liars say that they did the work, and did not.
func liars() map[string]exec.Func {
	return map[string]exec.Func{
		"does nothing": exectest.Nothing(),
		"writes a junk file": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			return exectest.Write("junk-"+string(w.Step.Address)+".txt", "junk\n")(ctx, w)
		},
		"makes each declared file empty": func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			declared := w.Task.Files
			if a := w.Step.Artifacts; a != nil {
				declared = append(declared, append(a.Create, a.Modify...)...)
			}
			for _, name := range append(declared, w.Step.Expected()...) {
				if !strings.ContainsAny(name, "*?[{") && filepath.IsLocal(name) && !strings.HasSuffix(name, "/") {
					_, _ = exectest.Write(name, "")(ctx, w) // a path may be a folder's
				}
			}
			return exec.Outcome{Output: "done"}, nil
		},
	}
}

// No plan of any format ends ACHIEVED on the word of who did not do its work.
func TestLiars(t *testing.T) {
	for name, s := range samples() {
		if !s.clean {
			continue
		}
		for lie, x := range liars() {
			t.Run(name+"/"+lie, func(t *testing.T) { distrusted(t, put(t, s.files), x) })
		}
	}
}

// TestLiarsOfTheCorpus is TestLiars of real plans.
func TestLiarsOfTheCorpus(t *testing.T) {
	tried := map[plan.Format]int{}
	err := filepath.WalkDir(corpus(t), func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == "score" && d.IsDir():
			return fs.SkipDir // the scorer
		}
		draft, err := formats.ReadFile(at)
		if err != nil || tried[draft.Format] == most || !carriedOut(draft) {
			return nil
		}
		tried[draft.Format]++
		for lie, x := range liars() {
			t.Run(path.Join(string(draft.Format), filepath.Base(at), lie), func(t *testing.T) { distrusted(t, at, x) })
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(tried) < 3 {
		t.Errorf("plans of few formats were tried: %v", tried)
	}
}

// most is how many plans of the corpus are tried of each format.
const most = 2

// carriedOut reports whether a plan can be, and is not too long for a test.
func carriedOut(d *plan.Draft) bool {
	for _, f := range d.Check(plan.CheckOptions{}) {
		if f.Severity == plan.Error || f.Code == "cannot-run" {
			return false
		}
	}
	n := 0
	for range d.Plan.Steps() {
		n++
	}
	return n > 0 && n <= 40
}

// distrusted runs a plan with a liar, whom nobody contradicts.
func distrusted(t *testing.T, at string, x exec.Func) {
	t.Helper()
	d := mustRead(t, at)
	run := observe(t, d, x)
	if run.Status() == history.Achieved {
		t.Errorf("the run ended ACHIEVED\n%s", run.Report)
	}
}

// approves finds each criterion met, and cites what was changed.
func approves() review.Reviewer {
	return review.Func{Label: "reviewer", Ask: func(_ context.Context, r review.Request) (review.Review, error) {
		said := review.Review{Verdict: "pass"}
		for i := range r.Acceptance {
			said.Criteria = append(said.Criteria, review.Criterion{Number: i + 1, Met: true,
				Citations: []string{r.Changes[len(r.Changes)-1].Path + ":1"}})
		}
		return said, nil
	}}
}

// Who does the work, and has somebody look at it, ends ACHIEVED.
func TestReviewedWorkOfEachFormat(t *testing.T) {
	for name, s := range samples() {
		if !s.clean {
			continue
		}
		t.Run(name, func(t *testing.T) {
			d := mustRead(t, put(t, s.files))
			b := &exectest.Bench{Dir: t.TempDir(), Draft: d}
			b.Controller = &exec.Controller{Dir: b.Dir, Gates: append(builtin.Gates(), review.Work(approves())),
				Executors: exec.Default(writer(&d.Plan))}
			b.Run(t).Want(t, history.Achieved)
		})
	}
}
