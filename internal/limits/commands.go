package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

const (
	goalBeyond = "a whole step of a command at filesystem, beyond its launch"
	goalGrows  = "a whole step of a command / the same in the smallest tree"
)

// sizes are trees of which little but the number of entries is known.
var sizes = map[string]wood{"10k": {9_231, 256}, "100k": {92_308, 256}, "1m": {923_077, 256}}

// A commander carries steps out by their commands, and says when.
type commander struct {
	shell.Executor
	before func(exec.Work)
	took   func(time.Duration)
}

// Execute has the command of a step run.
func (c *commander) Execute(ctx context.Context, w exec.Work) (exec.Outcome, error) {
	if c.before != nil {
		c.before(w)
	}
	begin := time.Now()
	out, err := c.Executor.Execute(ctx, w)
	if c.took != nil {
		c.took(time.Since(begin))
	}
	return out, err
}

// A job is a step by its command and what it writes.
type job struct{ run, writes string }

const made = `artifacts = { create = [%[1]q] }
postconditions = [{ kind = "file_exists", path = %[1]q }]`

// jobs is a plan of tasks of one step each; so many may run at once.
func jobs(level string, lanes int, list []job) (*plan.Locked, error) {
	var b strings.Builder
	fmt.Fprintf(&b, `schema = 1
non_goals = []
invariants = []
requirements = [{ id = "R1", text = "commands" }]
goal = { description = "Run commands" }
execution = { jobs = %d }
sandbox = { level = %q }
[defaults]
requirements = ["R1"]
rollback = "reversible"
on_failure = "block"
semantic_change = "extending"
limits = { max_files = 9, max_lines = 900 }
`, lanes, level)
	for i, j := range list {
		artifacts := "artifacts = {}\npostconditions = [{ kind = \"file_exists\", path = \"there\" }]"
		if j.writes != "" {
			artifacts = fmt.Sprintf(made, j.writes)
		}
		fmt.Fprintf(&b, "[[tasks]]\nid = %d\ndescription = \"one\"\n", i+1)
		fmt.Fprintf(&b, "[[tasks.steps]]\nid = 1\ndescription = \"one\"\nrun = %q\n%s\n", j.run, artifacts)
	}
	for i := range list {
		if lanes > 1 {
			fmt.Fprintf(&b, "[[speclets]]\nid = \"l%[1]d\"\ntasks = [%[1]d]\nparallel_allowed = true\n", i+1)
		}
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

// commands is a controller whose steps are commands.
func commands(dir, state string, c *commander) *exec.Controller {
	return &exec.Controller{Dir: dir, Gates: builtin.Gates(), Executors: exec.Default(c),
		Runs: filelog.Runs{Dir: filepath.Join(dir, exec.Own, "runs"), Witness: filelog.Witness{Dir: state}}, Policy: exec.Policy{Mode: plan.Silent}}
}

// inSizes measures steps of commands in trees that differ in their size alone.
func (s settings) inSizes(ctx context.Context, all *table) error {
	if !s.wants(goalBeyond, goalGrows) {
		return nil
	}
	var least []time.Duration
	for name := range strings.SplitSeq(s.sizes, ",") {
		dir, err := s.planted("size-"+name, name)
		if err != nil {
			return err
		}
		whole, launch, err := s.commandSteps(ctx, dir)
		if err != nil {
			return err
		}
		beyond := median(whole) - median(launch)
		*all = append(*all, row{goal: goalBeyond, tree: name + " entries", ours: shown(beyond),
			theirs: "launch " + shown(median(launch)), target: "≤ 3 ms", judged: true, met: beyond <= 3*time.Millisecond})
		if least != nil {
			all.ratio(goalGrows, name+" entries", whole, least, 1.2)
		} else {
			least = whole
		}
	}
	return nil
}

// planted is a tree of a size.
func (s settings) planted(folder, size string) (dir string, err error) {
	w, ok := sizes[size]
	if !ok {
		return "", fmt.Errorf("there is no size %q", size)
	}
	if dir, err = s.folder(folder + "/tree"); err != nil {
		return "", err
	}
	if err = w.plant(dir); err != nil {
		return "", err
	}
	if err = os.WriteFile(filepath.Join(dir, "there"), nil, 0o644); err != nil {
		return "", err
	}
	rest()
	return dir, nil
}

// commandSteps carries out a plan of steps that run true, and returns how long
// each took as a whole, and how long its command alone.
func (s settings) commandSteps(ctx context.Context, dir string) (whole, launch []time.Duration, err error) {
	list := make([]job, s.rounds+4)
	for i := range list {
		list[i] = job{run: "true"}
	}
	locked, err := jobs("filesystem", 1, list)
	if err != nil {
		return nil, nil, err
	}
	c := commands(dir, filepath.Join(s.work, "state"),
		&commander{took: func(d time.Duration) { launch = append(launch, d) }})
	var mu sync.Mutex
	var last time.Time
	c.Observe = func(_ context.Context, e event.Event) {
		if _, done := e.Fact.(*history.StepCompleted); !done {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); last.IsZero() {
			last = now
		} else {
			whole, last = append(whole, now.Sub(last)), now
		}
	}
	if err := carriedOut(c.Run(ctx, locked)); err != nil {
		return nil, nil, err
	}
	return whole[2:], launch[3:], nil
}
