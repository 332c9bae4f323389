package main

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint/record"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
)

var (
	kills = flag.Int("kills", 1, "how often TestKill kills the command, over as many runs as it takes")
	seed  = flag.Uint64("seed", 0, "of the random moments of TestKill; 0 takes one by chance and prints it")
)

// The command is killed with SIGKILL at random moments, and called again until
// its run is complete. Each run must end with the tree of one that nobody
// disturbed, no step may run again once it was complete, and nothing that the
// command started may survive it.
//
//	go test ./examples/ratelimit -run Kill -kills 200 -v -timeout 1h
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the whole plan, which takes ten seconds")
	}
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("what survives is looked for in /proc:", err)
	}
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	random := rand.New(rand.NewPCG(*seed, 0))
	bin := command(t)
	took, want := undisturbed(t)
	t.Logf("undisturbed: %.1f s, tree %s", took.Seconds(), want)

	when := map[string]int{} // what stood last in the journal when the command was killed
	left, runs := *kills, 0
	for ; left > 0; runs++ {
		k := &killed{bin: bin, home: t.TempDir()}
		family := k.watch()
		for {
			moment := time.Hour
			if left > 0 {
				longest := took / 2
				if random.IntN(4) == 0 {
					longest = took / 20 // while it is still beginning, or mending
				}
				moment = time.Duration(random.Int64N(int64(longest)))
				if *kills == 1 { // in the middle, where some steps are complete and some are not
					moment = took/3 + time.Duration(random.Int64N(int64(took/3)))
				}
			}
			if k.call(t, moment) {
				break
			}
			left--
			when[k.latest(t)]++
			if random.IntN(2) == 0 { // else the next call begins while what was killed may still be dying
				k.survivors(t)
			}
		}
		if family() < 2 {
			t.Fatal("nothing that the command starts was found while it ran, so what survives would not be either")
		}
		k.survivors(t)
		if got := k.complete(t); got != want {
			t.Errorf("seed %d: run %d, killed %d times, ended with tree %s, want %s", *seed, runs+1, k.times, got, want)
		}
		if t.Failed() {
			t.FailNow()
		}
		if err := os.RemoveAll(k.home); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d kills in %d runs, seed %d; the record that stood last in the journal:", *kills, runs, *seed)
	for _, at := range slices.Sorted(maps.Keys(when)) {
		t.Logf("%4d  %s", when[at], at)
	}
}

// undisturbed is how long a run takes that nobody kills, and the tree that it
// ends with. TestPlan has one.
func undisturbed(t *testing.T) (time.Duration, ledger.Digest) {
	t.Helper()
	_, report, took := planned(t)
	return took, report.Run.Tree.Tree
}

// killed is a run of the command that is killed now and then.
type killed struct {
	bin   string
	home  string // a folder of its own
	times int
}

func (k *killed) dir() string { return filepath.Join(k.home, "service") }

// cookie stands in the environment of everything that the command starts: the
// plan lets this variable through, and needs no modules.
func (k *killed) cookie() string { return "GOMODCACHE=" + filepath.Join(k.home, "cookie") }

// call runs the command and kills it, and nothing but it, after a while. It
// reports whether the command ended before that.
func (k *killed) call(t *testing.T, after time.Duration) (ended bool) {
	t.Helper()
	output, err := os.Create(filepath.Join(k.home, "output"))
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	cmd := osexec.Command(k.bin, "-example", ".", "-dir", k.dir())
	cmd.Env = append(os.Environ(), k.cookie())
	cmd.Stdout, cmd.Stderr = output, output // a file: nobody waits for those who hold it open
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { cmd.Process.Kill() })
	defer timer.Stop()
	err = cmd.Wait()
	if err != nil && cmd.ProcessState.ExitCode() != -1 { // it was no signal
		text, _ := os.ReadFile(output.Name())
		t.Fatalf("seed %d: the command, killed %d times before: %v\n%s", *seed, k.times, err, text)
	}
	if err != nil {
		k.times++
	}
	return err == nil
}

// watch counts the processes of the run until stop is called, which returns the
// most at a time.
func (k *killed) watch() (stop func() int) {
	end, most := make(chan struct{}), make(chan int)
	go func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for n := 0; ; {
			select {
			case <-tick.C:
				n = max(n, len(running(k.cookie())))
			case <-end:
				most <- n
				return
			}
		}
	}()
	return func() int { close(end); return <-most }
}

// survivors fails the test unless all that the command started goes by itself.
func (k *killed) survivors(t *testing.T) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.Now().Add(time.Minute)
	for {
		alive := running(k.cookie())
		if len(alive) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("seed %d: killed %d times, and these live on: %q", *seed, k.times, alive)
		}
		<-tick.C
	}
}

// running lists the command lines of the processes with an entry in their
// environment. Processes that ended and were not waited for have none.
func running(entry string) []string {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	var found []string
	for _, path := range environs {
		env, err := os.ReadFile(path)
		if err != nil || !slices.ContainsFunc(bytes.Split(env, []byte{0}),
			func(e []byte) bool { return string(e) == entry }) {
			continue // it is gone, or belongs to somebody else
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		found = append(found, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
	}
	return found
}

// records reads the journal of the run, which may not have begun.
func (k *killed) records(t *testing.T) []record.Record {
	t.Helper()
	ws := exec.Workspace{Dir: k.dir()}
	run, err := ws.Find(t.Context(), "")
	if err != nil {
		return nil
	}
	records, err := ws.Records(t.Context(), run)
	if err != nil {
		t.Fatalf("seed %d: killed %d times: %v", *seed, k.times, err)
	}
	return records
}

func (k *killed) latest(t *testing.T) string {
	t.Helper()
	records := k.records(t)
	if len(records) == 0 {
		return "none"
	}
	last := records[len(records)-1]
	return fmt.Sprintf("%-3s %s", last.Step, last.Type)
}

// complete makes sure that the run is proved, that each step was completed once
// and not tried again, and that the tree is the one that the journal tells of.
// It returns its digest.
func (k *killed) complete(t *testing.T) ledger.Digest {
	t.Helper()
	done := map[string]int{}
	for _, rec := range k.records(t) {
		switch rec.Type {
		case "step-completed":
			done[rec.Step]++
		case "checkpoint", "attempt-started":
			if done[rec.Step] > 0 {
				t.Errorf("seed %d: record %d: %s of step %s, which was complete", *seed, rec.Seq, rec.Type, rec.Step)
			}
		}
	}
	for _, v := range victims {
		if done[string(v.step)] != 1 {
			t.Errorf("seed %d: step %s was completed %d times", *seed, v.step, done[string(v.step)])
		}
	}
	ws := exec.Workspace{Dir: k.dir()}
	run, err := ws.Find(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	proof, err := ws.Verify(t.Context(), run)
	if err != nil {
		t.Fatalf("seed %d: %v", *seed, err)
	}
	scanner := scan.Scanner{Scope: readPlan(t).Plan.Scope}
	tree, err := scanner.Scan(t.Context(), k.dir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := tree.Digest(), proof.Run.Tree.Tree; got != want {
		t.Errorf("seed %d: the tree is %s, the journal says %s", *seed, got, want)
	}
	return tree.Digest()
}
