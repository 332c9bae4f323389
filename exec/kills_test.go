package exec_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// asVictim makes this test binary a controller that carries out killedLanes in
// the folder that it names.
const asVictim = "PLANLOCK_TEST_VICTIM_OF"

// theKills is how often TestKillsInLanes kills.
const theKills = "PLANLOCK_KILLS"

// killedLanes is a plan of three lanes with three steps each, which are
// commands, and a step behind them.
func killedLanes() string {
	names := make([]string, 10)
	for i := range names {
		names[i] = fmt.Sprintf("o%d", i+1)
		if i > 2 && i < 9 { // a second and a third step for each lane
			names[i] += fmt.Sprintf("\ndepends_on = [%d]\n---\n", i-2)
		}
	}
	names[9] += "\ndepends_on = [7, 8, 9]\n---\n"
	text := steps("[execution]\njobs = 3\n", names...)
	text = strings.Replace(text, "executor = \"script\"", "executor = \"shell\"", 1)
	for i := range names {
		name := fmt.Sprintf("o%d", i+1)
		text = strings.Replace(text, "run = \"true\"\nartifacts = { create = [\""+name+"\"]", fmt.Sprintf(
			"run = \"for i in 1 2 3 4 5 6 7 8; do echo $i of %s >> %s; cat %s > /dev/null; done\"\nartifacts = { create = [%q]",
			name, name, name, name), 1)
	}
	for i := range 3 {
		text += fmt.Sprintf("\n[[speclets]]\nid = \"l%d\"\ntasks = [%d, %d, %d]\nparallel_allowed = true\n", i, i+1, i+4, i+7)
	}
	return text
}

// die goes on with the run of a workspace, or begins one, until somebody kills
// this process.
func die(dir string) error {
	draft, err := native.Read("plan.toml", []byte(killedLanes()))
	if err != nil {
		return err
	}
	locked, err := plan.Lock(draft, plan.LockOptions{})
	if err != nil {
		return err
	}
	c := exec.Controller{Dir: dir, Gates: builtin.Gates(), Executors: exec.Default(&shell.Executor{})}
	_, err = c.Resume(context.Background(), locked, "")
	if errors.Is(err, exec.ErrNoRun) {
		_, err = c.Run(context.Background(), locked)
	}
	return err
}

// TestKillsInLanes kills a controller of three lanes at random moments, and
// calls the next one at once, until the run is complete; so often in all. Each
// run comes to the tree of one that nobody killed, and no step is tried again
// once it was complete. With the tag torture these are 200 kills;
// PLANLOCK_KILLS says how many they are.
func TestKillsInLanes(t *testing.T) {
	left := 6
	if testing.Short() {
		left = 2
	}
	if whole {
		left = 200
	}
	if text := os.Getenv(theKills); text != "" {
		var err error
		left, err = strconv.Atoi(text)
		must(t, err)
	}
	begin := time.Now()
	want := killed(t, func() time.Duration { return time.Hour }, nil)
	took, kills, runs, seed := time.Since(begin), left, 0, rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	when := map[string]int{}
	for ; left > 0; runs++ {
		got := killed(t, func() time.Duration {
			if left == 0 {
				return time.Hour
			}
			return time.Duration(random.Int64N(int64(took)))
		}, func(at string) { left--; when[at]++ })
		if t.Failed() || !maps.Equal(got, want) {
			t.Fatalf("seed %d: run %d comes to %v, want %v", seed, runs+1, got, want)
		}
	}
	t.Logf("%d kills in %d runs of %v each, seed %d; the record that stood last in the journal:", kills, runs, took, seed)
	for _, at := range slices.Sorted(maps.Keys(when)) {
		t.Logf("%4d  %s", when[at], at)
	}
}

// killed carries a run out whose controllers live so long each, tells what
// stood last in the journal when one died, and returns what the workspace holds
// at the end.
func killed(t *testing.T, long func() time.Duration, died func(at string)) map[string]string {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "")
	must(t, err)
	must(t, exectest.Put(dir, "keep", "k\n"))
	for i := range 300 { // so many that what the copy holds is known to who comes next
		must(t, exectest.Put(dir, fmt.Sprintf("many/f%d", i), "m\n"))
	}
	ws := exec.Workspace{Dir: dir}
	for {
		cmd := osexec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asVictim+"="+dir)
		var said strings.Builder
		cmd.Stderr = &said
		must(t, cmd.Start())
		timer := time.AfterFunc(long(), func() { cmd.Process.Kill() })
		err := cmd.Wait()
		timer.Stop()
		if err == nil {
			break
		}
		if cmd.ProcessState.ExitCode() != -1 {
			t.Fatalf("the controller ended: %v\n%s", err, said.String())
		}
		at := "none"
		if run, err := ws.Find(t.Context(), ""); err == nil {
			records, err := ws.Records(t.Context(), run)
			must(t, err)
			if len(records) > 0 {
				at = records[len(records)-1].Type
			}
		}
		died(at)
	}
	triedOnce(t, ws)
	return held(t, dir)
}

// triedOnce looks for steps that were tried again once they were complete, and
// proves the run.
func triedOnce(t *testing.T, ws exec.Workspace) {
	t.Helper()
	run, err := ws.Find(t.Context(), "")
	must(t, err)
	proof, err := ws.Verify(t.Context(), run)
	must(t, err)
	if proof.Run.Status != history.Achieved || len(proof.Run.Groups) < 3 {
		t.Errorf("the run is %s, with %d groups", proof.Run.Status, len(proof.Run.Groups))
	}
	records, err := ws.Records(t.Context(), run)
	must(t, err)
	done := map[string]int{}
	for _, rec := range records {
		switch rec.Type {
		case "step-completed":
			done[rec.Step]++
		case "checkpoint", "attempt-started":
			if done[rec.Step] > 0 {
				t.Errorf("record %d: %s of step %s, which was complete", rec.Seq, rec.Type, rec.Step)
			}
		}
	}
	if len(done) != 10 {
		t.Errorf("completed are %v", done)
	}
	if _, err := os.Stat(filepath.Join(ws.RunDir(run), "lanes")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the lanes are left: %v", err)
	}
}
