package formats_test

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
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

// Of formats that cannot be carried out no liar gets anywhere.
func TestLiarsOfPartsAreRefused(t *testing.T) {
	for name, s := range samples() {
		if s.clean {
			continue
		}
		t.Run(name, func(t *testing.T) {
			b := &exectest.Bench{Dir: t.TempDir(), Draft: mustRead(t, put(t, s.files)), Controller: &exec.Controller{
				Dir: t.TempDir(), Gates: builtin.Gates(), Executors: exec.Default(exectest.Nothing())}}
			if _, err := b.Controller.Lock(t.Context(), b.Draft); err == nil {
				t.Error("it could be locked")
			}
		})
	}
}

// TestLiarsOfTheCorpus is TestLiars of real plans.
func TestLiarsOfTheCorpus(t *testing.T) {
	for at, d := range ofTheCorpus(t) {
		for lie, x := range liars() {
			t.Run(path.Join(string(d.Format), filepath.Base(at), lie), func(t *testing.T) { distrusted(t, at, x) })
		}
	}
}

// Who does what a real plan asks for in words, and has somebody look at it, ends
// ACHIEVED. What commands, contents of files and persons say is theirs alone.
func TestHonestWorkOfTheCorpus(t *testing.T) {
	tried := map[plan.Format]bool{}
	for at, d := range ofTheCorpus(t) {
		if !inWords(&d.Plan) {
			continue
		}
		tried[d.Format] = true
		t.Run(path.Join(string(d.Format), filepath.Base(at)), func(t *testing.T) {
			reviewed(t, mustRead(t, at)).Want(t, history.Achieved)
		})
	}
	if len(tried) < 3 {
		t.Errorf("plans of few formats were tried: %v", tried)
	}
}

// ofTheCorpus are the plans that are tried of each format, by where they lie.
func ofTheCorpus(t *testing.T) map[string]*plan.Draft {
	t.Helper()
	found, tried := map[string]*plan.Draft{}, map[plan.Format]int{}
	err := filepath.WalkDir(corpus(t), func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		draft, err := formats.ReadFile(at)
		if err != nil || tried[draft.Format] == most || !carriedOut(draft) {
			return nil
		}
		tried[draft.Format]++
		found[at] = draft
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(tried) < 5 {
		t.Errorf("there are plans of few formats: %v", tried)
	}
	return found
}

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
	return n > 0 && n <= longest
}

// inWords reports whether no machine and no question decides anything of a plan,
// and each step changes something that can be cited.
func inWords(p *plan.Plan) bool {
	for t, s := range p.Steps() {
		if len(s.Postconditions) > 0 || s.Expect != nil || len(s.Preconditions) > 0 || len(written(p, t, s)) == 0 {
			return false
		}
	}
	return len(p.Completion.Checks) == 0 && !slices.ContainsFunc(p.Tasks, func(t plan.Task) bool {
		return strings.HasPrefix(t.Kind, "checkpoint")
	})
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
			reviewed(t, mustRead(t, put(t, s.files))).Want(t, history.Achieved)
		})
	}
}

// reviewed runs a plan with who does all of it, and has somebody look.
func reviewed(t *testing.T, d *plan.Draft) *exectest.Result {
	t.Helper()
	b := &exectest.Bench{Dir: t.TempDir(), Draft: d}
	b.Controller = &exec.Controller{Dir: b.Dir, Gates: append(builtin.Gates(), review.Work(approves())),
		Executors: exec.Default(writer(&d.Plan))}
	return b.Run(t)
}
