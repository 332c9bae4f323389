package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/planlock/planlock/internal/pgserver"
)

var command = regexp.MustCompile(`run = "sleep 1; printf (\d+)`)

// traced is lanes(n) whose steps leave a line in a file of theirs each time that
// they are carried out, in a folder outside of the workspace.
func traced(n int, trace string) []byte {
	return command.ReplaceAll([]byte(lanes(n)), []byte("run = \"date >> "+trace+"/${1}; sleep 1; printf ${1}"))
}

// started starts planlock, which is killed when the test ends.
func (s *shell) started(dir string, words ...string) (*exec.Cmd, *said) {
	s.t.Helper()
	c, out := exec.Command(s.planlock, words...), &said{}
	c.Dir, c.Env, c.Stdout, c.Stderr = dir, append(os.Environ(), s.env...), out, out
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if s.t.Failed() {
			s.t.Logf("planlock %s:\n%s", strings.Join(words, " "), out)
		}
		_ = c.Process.Kill()
		_ = c.Wait() // it was killed, or has ended
	})
	return c, out
}

// recorded are the steps of which the journal of a run has such a record.
func (s *shell) recorded(store, run, kind string) (steps []string) {
	s.t.Helper()
	for line := range strings.Lines(s.call(s.t.TempDir(), 0, "log", run, "--type", kind, "--store", store)) {
		if words := strings.Fields(line); len(words) > 3 {
			step, _, _ := strings.Cut(words[3], "#")
			steps = append(steps, step)
		}
	}
	return steps
}

// until waits until something is so.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for limit := time.Now().Add(time.Minute); !so(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("%s: not within a minute", what)
		}
	}
}

// standByServer is a server for runs, and the address of a workspace there.
func standByServer(t *testing.T) (store string) {
	server, err := pgserver.New("fsync=off")
	if err != nil {
		t.Skip("no PostgreSQL:", err)
	}
	t.Cleanup(func() { _ = server.Remove() })
	return "postgres://postgres@/postgres?host=" + server.Dir
}

// TestStandBy kills the owners of two runs while these are under way. Somebody who
// stands by, and shares nothing with them but the database and the key, ends both,
// in folders of its own: with the trees of undisturbed runs, and without carrying
// out again what was completed. Without workers, it is killed as well, and started
// again.
func TestStandBy(t *testing.T) {
	store, planlock := standByServer(t), programs(t)
	for _, engine := range []string{"", "postgres"} {
		t.Run("engine "+engine, func(t *testing.T) { takenOver(t, planlock, store+"&workspace=of-"+engine, engine) })
	}
}

// A victim is a run whose owner is killed.
type victim struct {
	steps             int
	id                string
	dir, trace, other string // where it works, where its steps leave a trace, and where the same plan is run undisturbed
	owner             *exec.Cmd
	completed         map[string]carried // steps, when it was killed
}

// carried is how often a step was carried out, as it says itself and as the journal does.
type carried struct{ traces, attempts int }

func takenOver(t *testing.T, planlock, store, engine string) {
	ours, theirs, away, folder := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	owner := &shell{t, planlock, []string{"PLANLOCK_STATE=" + ours, "USER=ana"}}
	other := &shell{t, planlock, []string{"PLANLOCK_STATE=" + theirs, "USER=bob"}}
	by := []string{"--store", store}
	if engine != "" {
		by = append(by, "--engine", engine)
	}
	runs := []*victim{{steps: 9}, {steps: 10}}
	for _, r := range runs {
		r.dir, r.trace, r.other = t.TempDir(), t.TempDir(), t.TempDir()
		for _, dir := range []string{r.dir, r.other} {
			if err := os.WriteFile(filepath.Join(dir, "plan.toml"), traced(r.steps, r.trace), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		var says *said
		r.owner, says = owner.started(r.dir, append([]string{"run", "plan.toml", "--no-sandbox", "--jobs", "2"}, by...)...)
		until(t, "a run begins", func() bool { r.id = id.FindString(says.String()); return r.id != "" })
	}
	if out, err := exec.Command("cp", "-Rp", filepath.Join(ours, "keys"), theirs).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	stand := append([]string{"worker", "--stand-by", folder, "--grace", "10s", "--jobs", "4"}, by...)
	standing, says := other.started(away, stand...)
	of := func(r *victim, kind string) []string { return other.recorded(store, r.id, kind) }
	completed := func(r *victim) map[string]carried {
		all, attempts := map[string]carried{}, of(r, "attempt-started")
		for _, step := range of(r, "step-completed") {
			text, err := os.ReadFile(filepath.Join(r.trace, strings.TrimSuffix(step, ".1")))
			if err != nil {
				t.Error(err)
			}
			all[step] = carried{strings.Count(string(text), "\n"),
				len(slices.DeleteFunc(slices.Clone(attempts), func(s string) bool { return s != step }))}
		}
		return all
	}
	for _, r := range runs {
		until(t, "two steps are completed", func() bool { return len(of(r, "step-completed")) > 1 })
	}
	for _, r := range runs {
		if err := r.owner.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = r.owner.Wait() // it was killed
		if r.completed = completed(r); len(r.completed) == r.steps {
			t.Fatal("the run had ended before its owner was killed")
		}
	}
	if engine == "" { // and is an owner that is killed, too: it goes on in the folders that it left
		for _, r := range runs {
			until(t, "more steps are completed elsewhere", func() bool { return len(of(r, "step-completed")) > len(r.completed) })
		}
		_ = standing.Process.Kill()
		_ = standing.Wait() // it was killed
		for _, r := range runs {
			r.completed = completed(r)
		}
		standing, says = other.started(away, stand...)
	}
	for _, r := range runs {
		until(t, "the run ends elsewhere", func() bool { return strings.Contains(says.String(), "msg=over run="+r.id) })
		at := filepath.Join(folder, r.id)
		if out := other.call(at, 0, "status", r.id); !strings.Contains(out, "ACHIEVED") {
			t.Errorf("the run:\n%s", out)
		}
		other.call(at, 0, "verify", r.id)
		if all := of(r, "step-completed"); len(all) != r.steps || len(slices.Compact(slices.Sorted(slices.Values(all)))) != r.steps {
			t.Errorf("completed are %v, want each of %d steps once", all, r.steps)
		}
		now := completed(r)
		for step, n := range r.completed {
			if now[step] != n {
				t.Errorf("step %s, which was completed before, was carried out again: %v, and now %v", step, n, now[step])
			}
		}
		owner.call(r.other, 0, "run", "plan.toml", "--no-sandbox", "--jobs", "4") // leaves its traces behind those above
		if got, want := other.call(at, 0, "tree", "."), owner.call(r.other, 0, "tree", "."); got != want {
			t.Errorf("the tree is %s, that of an undisturbed run %s", got, want)
		}
	}
	if n := strings.Count(says.String(), "taken over"); n != len(runs) {
		t.Errorf("%d were taken over", n)
	}
	ends(t, standing, says)
}

// ends has a worker end.
func ends(t *testing.T, worker *exec.Cmd, says *said) {
	t.Helper()
	if err := worker.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := worker.Wait(); err != nil {
		t.Errorf("a worker that is told to end: %v\n%s", err, says)
	}
}

// TestStandByLeavesTheLiving: an owner whose connections are cut, while it has
// nothing to write, keeps its run.
func TestStandByLeavesTheLiving(t *testing.T) {
	store, planlock, dir := standByServer(t), programs(t), t.TempDir()
	s := &shell{t, planlock, []string{"PLANLOCK_STATE=" + t.TempDir(), "USER=ana"}}
	text := strings.Replace(lanes(1), "sleep 1", "sleep 30", 1)
	if err := os.WriteFile(filepath.Join(dir, "plan.toml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	standing, says := s.started(t.TempDir(), "worker", "--stand-by", t.TempDir(), "--grace", "10s", "--store", store)
	owner, out := s.started(dir, "run", "plan.toml", "--store", store)
	until(t, "a step begins", func() bool { return strings.Contains(out.String(), "▸ 1.1") })
	for range 3 {
		conn, err := pgx.Connect(t.Context(), store)
		n := 0
		if err == nil {
			err = conn.QueryRow(t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
				WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`).Scan(&n)
		}
		if err != nil || n == 0 {
			t.Fatalf("%d connections are cut: %v", n, err)
		}
		_ = conn.Close(t.Context()) // of no use any more
		time.Sleep(7 * time.Second)
	}
	if err := owner.Wait(); err != nil || !strings.Contains(out.String(), "ACHIEVED") {
		t.Errorf("the run: %v", err)
	}
	if strings.Contains(says.String(), "taken over") {
		t.Error("the run was taken over")
	}
	ends(t, standing, says)
}
