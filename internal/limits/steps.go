package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

const (
	goalWhole = "a whole step, no-op executor / bare walk"
	goalNoop  = "durable no-op step, 100 files / raw append + fsync"
)

// noops is a plan of n steps that change nothing.
func noops(n int, file string) (*plan.Locked, error) {
	var b strings.Builder
	fmt.Fprintf(&b, `schema = 1
non_goals = []
invariants = []
requirements = [{ id = "R1", text = "nothing" }]
goal = { description = "Do nothing, many times" }
[defaults]
executor = "noop"
requirements = ["R1"]
rollback = "reversible"
on_failure = "block"
semantic_change = "preserving"
artifacts = {}
postconditions = [{ kind = "file_exists", path = %q }]
[[tasks]]
id = 1
description = "Nothing"
`, file)
	for i := range n {
		fmt.Fprintf(&b, "[[tasks.steps]]\nid = %d\ndescription = \"nothing\"\nrun = \"true\"\n", i+1)
	}
	draft, err := native.Read("plan.toml", []byte(b.String()))
	if err != nil {
		return nil, err
	}
	var terms plan.LockOptions
	for _, a := range draft.Plan.Acknowledgements() {
		terms.Acknowledged = append(terms.Acknowledged, a.Code)
	}
	return plan.Lock(draft, terms)
}

func controller(dir, state string, x exec.Executor) *exec.Controller {
	return &exec.Controller{Dir: dir, Gates: builtin.Gates(), Executors: map[string]exec.Executor{"noop": x},
		Runs: filelog.Runs{Dir: filepath.Join(dir, exec.Own, "runs"), Witness: filelog.Witness{Dir: state}}}
}

// between runs a plan of n steps whose executor does nothing but calls theirs,
// and times that; ours is the time from the end of one call of the executor to
// the beginning of the next: all that the controller does for a step.
func (s settings) between(ctx context.Context, dir, file string, n int, theirs func() error) (pair, error) {
	locked, err := noops(n, file)
	if err != nil {
		return pair{}, err
	}
	var p pair
	var last time.Time
	report, err := controller(dir, filepath.Join(s.work, "state"),
		exec.Func(func(context.Context, exec.Work) (exec.Outcome, error) {
			if !last.IsZero() {
				p.ours = append(p.ours, time.Since(last))
			}
			err := timed(&p.theirs, theirs)
			last = time.Now()
			return exec.Outcome{}, err
		})).Run(ctx, locked)
	return p, carriedOut(report, err)
}

// carriedOut says what went wrong in a run. That nobody looked at what its steps
// did is no matter here.
func carriedOut(report *exec.Report, err error) error {
	if err == nil || report.Status() == history.Partial && report.Run.Count(history.Completed) == len(report.Run.Steps) {
		return nil
	}
	return fmt.Errorf("%w\n%s", err, report)
}

// wholeSteps measures steps in a large tree.
func (s settings) wholeSteps(ctx context.Context, name string, w wood, all *table) error {
	if !s.wants(goalWhole) {
		return nil
	}
	dir, err := s.folder(name + "/tree")
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, w.name(0))); err != nil {
		if err := w.plant(dir); err != nil {
			return err
		}
	}
	walk := bareWalk(dir)
	p, err := s.between(ctx, dir, w.name(0), s.rounds+3, func() error { walk(); return nil })
	if err != nil {
		return err
	}
	all.ratio(goalWhole, name, p.ours[2:], p.theirs[2:], 1.3)
	return nil
}

// longRun measures the steps of a long run in a small folder, at its beginning
// and at its end.
func (s settings) longRun(ctx context.Context, all *table) error {
	if !s.wants(goalNoop) {
		return nil
	}
	dir, err := s.folder("hundred")
	if err != nil {
		return err
	}
	for i := range 100 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.txt", i)), []byte("text\n"), 0o644); err != nil {
			return err
		}
	}
	raw, err := newAppender(filepath.Join(s.work, "raw"), 512)
	if err != nil {
		return err
	}
	defer raw.f.Close()
	p, err := s.between(ctx, dir, "0.txt", s.steps, raw.append)
	if err != nil {
		return err
	}
	some := min(200, len(p.ours)/4)
	end := len(p.ours)
	all.ratio(goalNoop+", from step 10 on", "", p.ours[8:8+some], p.theirs[8:8+some], 2)
	all.ratio(fmt.Sprintf("%s, up to step %d", goalNoop, s.steps), "", p.ours[end-some:], p.theirs[end-some:], 2)
	if n := len(*all); n > 1 {
		all.grown(fmt.Sprintf("the last %d steps / those from step 10 on, each by its raw append", some), (*all)[n-2],
			(*all)[n-1], 1.25)
	}
	return nil
}
