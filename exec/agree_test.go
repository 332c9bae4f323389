package exec_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/document/html"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/internal/agree"
	"github.com/planlock/planlock/exec/preset"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/gate/review"
	"github.com/planlock/planlock/plan"
)

// TestDocumentsOfRunsAgree carries out random plans under each preset, by
// executors that fail, do nothing or do too much, with reviewers, and with
// people who answer, leave, or set the run back: no two documents of a run say
// different things of the same thing, whether it waits or is over.
func TestDocumentsOfRunsAgree(t *testing.T) {
	games := uint64(18)
	if testing.Short() {
		games = 6
	}
	compared, ended := 0, map[history.Status]int{}
	for seed := range games {
		g := game{rand.New(rand.NewPCG(seed, 0)), preset.All()[seed%uint64(len(preset.All()))].Name}
		for _, report := range g.play(t) {
			found, err := agree.Compare(exectest.Documents(t, report, slices.Concat(document.All(), []document.Document{html.Page()}, document.ForCI())))
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for _, line := range found.Contradictions {
				t.Errorf("seed %d (%s): %s", seed, g.preset, line)
			}
			compared += found.Compared
			ended[report.Status()]++
		}
	}
	t.Logf("%d things compared, of runs that are %v", compared, ended)
	if want := 100 * int(games); compared < want {
		t.Errorf("%d things stood in more than one document, and %d are wanted", compared, want)
	}
}

// A game is a random run of a random plan under a preset.
type game struct {
	*rand.Rand
	preset string
}

// in reports true once in n times.
func (g game) in(n int) bool { return g.IntN(n) == 0 }

// play carries a plan out until it is over or nobody goes on with it, and returns
// what became of it each time that the controller let go of it.
func (g game) play(t *testing.T) []*exec.Report {
	t.Helper()
	text, script := g.plan()
	gates := builtin.Gates()
	if g.in(2) {
		gates = append(gates, review.Work(review.Func{Label: "second", Ask: g.review}))
	}
	b := exectest.Around(t, text, nil, exec.Controller{Executors: exec.Executors{"": script, "script": script}, Gates: gates})
	b.Controller.Preset, b.Controller.Escalator = g.preset, asker(g.answer)
	ctx, locked := context.Background(), b.Lock(t)
	report, err := b.Controller.Run(ctx, locked)
	all := []*exec.Report{report}
	for n := 0; err != nil && n < 4 && report.Run.Ended == nil; n++ {
		var done []plan.Address
		for _, s := range report.Run.Steps {
			if s.Status == history.Completed {
				done = append(done, s.Address)
			}
		}
		id := report.Run.Started.Run
		if len(done) > 0 && g.in(2) {
			if _, err := b.Controller.Rollback(ctx, id, done[g.IntN(len(done))], "somebody", "once more"); err != nil {
				t.Fatal(err)
			}
		}
		report, err = b.Controller.Resume(ctx, locked, id)
		all = append(all, report)
	}
	return all
}

// plan is a plan of some tasks, which may run at once, and what its steps do.
func (g game) plan() (text string, script exectest.Script) {
	script = exectest.Script{}
	text = "schema = 1\nprofile = \"observe\"\n[execution]\njobs = 3\n" +
		fmt.Sprintf("default_mode = %q\n", []string{"silent", "dynamic", "collaborative"}[g.IntN(3)]) +
		fmt.Sprintf("[error_propagation]\nstrategy = %q\n",
			[]string{"halt_on_critical", "continue_and_log", "collaborative_review"}[g.IntN(3)]) +
		"[goal]\ndescription = \"Write files\"\n[defaults]\nrollback = \"reversible\"\nlimits = { max_files = 2 }\n"
	tasks := 2 + g.IntN(3)
	for task := 1; task <= tasks; task++ {
		text += fmt.Sprintf("[[tasks]]\nid = %d\ndescription = \"Task %d\"\nacceptance_criteria = [\"it is written\"]\n", task, task)
		if task > 1 && g.in(2) {
			text += fmt.Sprintf("depends_on = [%d]\n", 1+g.IntN(task-1))
		}
		for step := 1; step <= 1+g.IntN(2); step++ {
			a := plan.Address(fmt.Sprintf("%d.%d", task, step))
			text += g.step(a, step)
			script[a] = g.does(string(a))
		}
	}
	if g.in(2) {
		for task := 1; task <= tasks; task++ {
			text += fmt.Sprintf("[[speclets]]\nid = \"s%d\"\ntasks = [%d]\nparallel_allowed = true\n", task, task)
		}
	}
	return text, script
}

// step is a step that writes a file which is called as it is.
func (g game) step(a plan.Address, id int) string {
	text := fmt.Sprintf("[[tasks.steps]]\nid = %d\ndescription = \"Write %s\"\nprompt = \"Write it\"\ncritical_flag = %t\n"+
		"on_failure = %q\n", id, a, g.in(2), []string{"retry", "block", "ask"}[g.IntN(3)])
	if g.in(2) {
		text += fmt.Sprintf("artifacts = { create = [%q] }\n", a)
	}
	switch g.IntN(3) {
	case 0:
		text += fmt.Sprintf("postconditions = [{ kind = \"file_contains\", path = %q, text = \"one\" }]\n", a)
	case 1:
		text += fmt.Sprintf("postconditions = [{ kind = \"file_exists\", path = %q }]\n", a)
	}
	if g.in(3) {
		text += "expect = { stdout_contains = \"done\" }\nexpected_output = \"done\"\n"
	}
	if g.in(3) {
		text += "[[tasks.steps.backups]]\nid = 1\ndescription = \"another way\"\nprompt = \"Write it otherwise\"\n"
	}
	return text
}

// does is what an executor does at one attempt after the other, the same when
// the plan is carried out again.
func (g game) does(name string) exec.Func {
	good := exectest.All(exectest.Write(name, "one\ntwo\n"), exectest.Say("done"))
	all := []exec.Func{good, good, exectest.Fail("it broke"), exectest.Nothing(), exectest.Write(name, "three\n"),
		exectest.All(good, exectest.Write("more/"+name, "x\n"))}
	var does []exec.Func
	for range 3 {
		does = append(does, all[g.IntN(len(all))])
	}
	return exectest.Attempts(append(does, good)...)
}

// answer is what a person says, who may leave.
func (g game) answer(q ask.Question) (ask.Answer, error) {
	choices := slices.DeleteFunc(slices.Clone(q.Choices), func(c ask.Choice) bool { return strings.Contains("xb", c.Key) })
	switch {
	case g.in(5), len(choices) == 0:
		return ask.Answer{}, ask.ErrLater
	case g.in(8):
		return ask.Answer{}, ask.ErrNoAnswer
	}
	chosen := choices[g.IntN(len(choices))]
	a := answer(q, chosen.Key)
	a.Reason = "write it otherwise"
	return a, nil
}

// review is what a reviewer says.
func (g game) review(_ context.Context, r review.Request) (review.Review, error) {
	switch g.IntN(5) {
	case 0:
		return review.Review{Verdict: "fail", Findings: []string{"not yet"}}, nil
	case 1:
		return review.Review{}, errors.New("it fell over")
	}
	said := review.Review{Verdict: "pass"}
	for i := range r.Acceptance {
		said.Criteria = append(said.Criteria, review.Criterion{Number: i + 1, Met: true,
			Citations: []string{r.Step + ":1"}})
	}
	return said, nil
}
