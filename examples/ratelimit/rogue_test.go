package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// A victim is a step of the plan, and what its rogue lines go for.
type victim struct {
	step   plan.Address
	file   string
	does   string // what the step has to do to the file; "" if nothing
	source string // where symbol is declared
	fn     string // its declaration in source, as a regular expression of sed
	lost   string // what the report says of a loss of it
	lines  int    // how many the step may change
}

var victims = []victim{
	{"1.1", "ratelimit/limiter_test.go", "create", "ratelimit/limiter_test.go", "TestClientsAreApart",
		"create symbol ratelimit.TestClientsAreApart ← did not happen", 120},
	{"1.2", "ratelimit/limiter.go", "create", "ratelimit/limiter.go", `(l \*Limiter) Clients`,
		"create symbol ratelimit.Limiter.Clients ← did not happen", 100},
	{"2.1", "server/limit_test.go", "create", "server/limit_test.go", "TestNoLimitByDefault",
		"create symbol server.TestNoLimitByDefault ← did not happen", 80},
	{"2.2", "server/server.go", "modify", "server/server.go", "(c Config) list",
		"remove symbol server.Config.list ← not declared", 60},
	{"2.3", "main.go", "modify", "main.go", "serve",
		"remove symbol .serve ← not declared", 10},
	{"3.1", "README.md", "modify", "server/server.go", "New",
		"server.New: function removed", 40},
	{"3.2", "README.md", "", "server/server.go", "New",
		"server.New: function removed", 0},
}

// A rogue is a line that makes a step do something else than it declares.
type rogue struct {
	name string
	line func(victim) string
	told func(victim) []string // what the report has to say
}

var rogues = []rogue{
	{"UndeclaredFile",
		func(victim) string { return "echo rogue > rogue.txt" },
		func(victim) []string { return []string{"create rogue.txt ← not declared"} }},
	{"ProtectedFile",
		func(victim) string { return "echo '// rogue' >> internal/auth/auth.go" },
		func(victim) []string {
			return []string{"modify internal/auth/auth.go ← not declared", `non-goal "N1"`}
		}},
	{"MissingFile",
		func(v victim) string { return "rm " + v.file },
		func(v victim) []string {
			if v.does == "" {
				return []string{"delete " + v.file + " ← not declared"}
			}
			return []string{v.does + " " + v.file + " ← did not happen"}
		}},
	{"LostSymbol",
		func(v victim) string {
			return fmt.Sprintf("mkdir -p tmp && sed '/^func %s(/,/^}/d' %s > tmp/rogue && cp tmp/rogue %[2]s", v.fn,
				v.source)
		},
		func(v victim) []string { return []string{v.lost} }},
	{"TooManyLines",
		func(v victim) string {
			return `awk 'BEGIN { for (i = 0; i < 500; i++) print "// rogue" }' >> ` + v.file
		},
		func(v victim) []string { return []string{"[limit-lines]", fmt.Sprintf("at most %d lines", v.lines)} }},
}

// rogueLines adds each kind of rogue line to each step. The step must fail for
// it, the tree must be as if it had not begun, and the report must name what
// was expected and what happened.
//
// Without the tag torture each step has one kind, in turn, so that there is
// each step and each kind.
//
// A case begins with the tree that the step before left in the given run, and
// runs the rest of the plan.
func rogueLines(t *testing.T, ws exec.Workspace, run *history.Run) {
	store, shut, err := ws.Store()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shut() })
	before := run.Started.Base
	for i, v := range victims {
		tree, err := store.Tree(t.Context(), before)
		if err != nil {
			t.Fatal(err)
		}
		before = run.Step(v.step).Completed.Snapshot
		for j, r := range rogues {
			if !whole && i%len(rogues) != j {
				continue
			}
			t.Run(string(v.step)+r.name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				if err := store.Restore(t.Context(), dir, tree, ledger.Empty()); err != nil {
					t.Fatal(err)
				}
				furnish(t, dir)
				draft := readPlan(t)
				startAt(draft, v.step)
				if done := runRogue(t, dir, draft, v, r).Count(history.Completed); done != 0 {
					t.Errorf("%d steps completed, and the first one had to end the run", done)
				}
			})
		}
	}
}

// The same with the whole plan, and a rogue line at its end.
func TestRogueLineAfterAllOthers(t *testing.T) {
	if !whole {
		t.Skip("it runs the whole plan once more, for the last case of TestPlan/RogueLine: go test -tags torture")
	}
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "service")
	if err := copyService("service", dir); err != nil {
		t.Fatal(err)
	}
	furnish(t, dir)
	last := len(victims) - 1
	if done := runRogue(t, dir, readPlan(t), victims[last], rogues[0]).Count(history.Completed); done != last {
		t.Errorf("%d steps completed, want %d", done, last)
	}
}

// runRogue runs a plan with a rogue line in one of its steps, and makes sure
// that it ends there.
func runRogue(t *testing.T, dir string, draft *plan.Draft, v victim, r rogue) *history.Run {
	t.Helper()
	add(draft, v.step, r.line(v))
	locked, err := plan.Lock(draft, plan.LockOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var before map[string]file
	c := exec.Controller{Dir: dir, Gates: builtin.Gates(), Executors: exec.Default(&shell.Executor{}),
		Observe: func(_ context.Context, e event.Event) {
			if e.Kind == event.Judging && e.Phase == gate.Before && e.Step == v.step {
				before = walk(t, dir)
			}
		}}
	report, err := c.Run(t.Context(), locked)
	var outcome *exec.OutcomeError
	if !errors.As(err, &outcome) {
		t.Fatalf("the run ended with %v, want an error that wraps %T\n%v", err, outcome, report)
	}
	if s := report.Run.Step(v.step); s.Status != history.Failed {
		t.Fatalf("the step is %s\n%v", s.Status, report)
	}
	text := report.String()
	for _, want := range r.told(v) {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not say %q:\n%s", want, text)
		}
	}
	if d := cmp.Diff(before, walk(t, dir)); d != "" {
		t.Errorf("the tree before the step and after it (-before +after):\n%s", d)
	}
	return report.Run
}

// furnish adds what the service has none of: a link, an empty folder, and an
// old file with a mode of its own.
func furnish(t *testing.T, dir string) {
	t.Helper()
	old := time.Date(2001, 2, 3, 4, 5, 6, 700, time.UTC)
	note := filepath.Join(dir, "note")
	if err := errors.Join(
		os.WriteFile(note, []byte("of old\n"), 0o640),
		os.Chmod(note, 0o640),
		os.Chtimes(note, old, old),
		os.Symlink("note", filepath.Join(dir, "link")),
		os.Mkdir(filepath.Join(dir, "empty"), 0o700),
	); err != nil {
		t.Fatal(err)
	}
}

func readPlan(t *testing.T) *plan.Draft {
	t.Helper()
	draft, err := native.ReadFile("plan.toml")
	if err != nil {
		t.Fatal(err)
	}
	return draft
}

// startAt leaves out all steps before first, and the tasks that are empty then.
func startAt(d *plan.Draft, first plan.Address) {
	task, step, _ := strings.Cut(string(first), ".")
	for d.Plan.Tasks[0].ID != task {
		d.Plan.Tasks = d.Plan.Tasks[1:]
	}
	begin := &d.Plan.Tasks[0]
	begin.DependsOn = nil
	for begin.Steps[0].ID != step {
		begin.Steps = begin.Steps[1:]
	}
}

// add writes a line at the end of the method that a step succeeds with: its
// last backup, if it has one.
func add(d *plan.Draft, to plan.Address, line string) {
	_, step, _ := d.Plan.Step(to)
	if n := len(step.Backups); n > 0 {
		step.Backups[n-1].Run += "\n" + line + "\n"
	} else {
		step.Run += "\n" + line + "\n"
	}
}
