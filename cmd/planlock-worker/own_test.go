package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/planlock/planlock/exec/temporal"
	"github.com/planlock/planlock/ledger"
)

// A given is a run that is given to owners, which share nothing with whoever began it but
// the database and the key.
type given struct {
	*shell          // who begins it
	owner           *shell
	by              []string // what says where it is kept, and by what owners are found
	store, dir, run string
	folder          string // of the owners
}

// give begins a plan, and gives it to owners; nobody is one yet.
func give(t *testing.T, text string, more ...string) *given {
	store := standByServer(t)
	engine := "temporal://" + temporalServer(t) + "/default"
	ours, theirs, planlock := t.TempDir(), t.TempDir(), programs(t)
	g := &given{shell: &shell{t, planlock, []string{"PLANLOCK_STATE=" + ours, "USER=ana"}},
		owner: &shell{t, planlock, []string{"PLANLOCK_STATE=" + theirs, "USER=bob"}},
		by:    []string{"--store", store, "--engine", engine}, store: store, dir: t.TempDir(), folder: t.TempDir()}
	if err := os.WriteFile(filepath.Join(g.dir, "plan.toml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	words := append([]string{"run", "plan.toml", "--no-sandbox", "--detach"}, g.by...)
	out := g.call(g.dir, 0, append(words, more...)...)
	if g.run = id.FindString(out); !strings.Contains(out, "planlock status "+g.run) {
		t.Errorf("nothing says how to look at it:\n%s", out)
	}
	if begun := g.recorded(store, g.run, "attempt-started"); len(begun) > 0 {
		t.Errorf("%v were begun before it was given away", begun)
	}
	if out, err := exec.Command("cp", "-Rp", filepath.Join(ours, "keys"), theirs).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return g
}

// owns starts an owner.
func (g *given) owns(more ...string) (*exec.Cmd, *said) {
	g.t.Helper()
	return g.owner.started(g.t.TempDir(), slices.Concat([]string{"worker", "--own", g.folder, "--jobs", "2"}, g.by, more)...)
}

// status is what the status of the run is to have, sooner or later.
func (g *given) status(want string) {
	g.t.Helper()
	until(g.t, want, func() bool { return strings.Contains(g.call(g.dir, 0, "status", g.run), want) })
}

// TestOwners gives a run away, and kills its owner while it is under way. Another one
// ends it, with the tree of an undisturbed run, and without carrying out again
// what was completed.
func TestOwners(t *testing.T) {
	trace, other := t.TempDir(), t.TempDir()
	text := traced(9, trace)
	g := give(t, string(text))
	first, _ := g.owns()
	until(t, "two steps are completed", func() bool { return len(g.recorded(g.store, g.run, "step-completed")) > 1 })
	if out := g.call(g.dir, 0, "status", g.run); strings.Contains(out, "cut off") || !strings.Contains(out, "works on") {
		t.Errorf("while an owner has it, its status is\n%s", out)
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // it was killed
	traces := func(step string) string {
		text, err := os.ReadFile(filepath.Join(trace, strings.TrimSuffix(step, ".1")))
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	before := map[string]string{}
	for _, step := range g.recorded(g.store, g.run, "step-completed") {
		before[step] = traces(step)
	}
	if len(before) == 9 {
		t.Fatal("the run had ended before its owner was killed")
	}
	second, says := g.owns()
	g.status("ACHIEVED")
	for step, was := range before {
		if traces(step) != was {
			t.Errorf("step %s, which was completed before, was carried out again", step)
		}
	}
	if all := g.recorded(g.store, g.run, "step-completed"); len(all) != 9 || len(slices.Compact(slices.Sorted(slices.Values(all)))) != 9 {
		t.Errorf("completed are %v, want each of 9 steps once", all)
	}
	until(t, "the owner is told", func() bool { return strings.Contains(says.String(), "msg=over run="+g.run) })
	at := filepath.Join(g.folder, g.run)
	g.owner.call(at, 0, "verify", g.run)
	if err := os.WriteFile(filepath.Join(other, "plan.toml"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	g.call(other, 0, "run", "plan.toml", "--no-sandbox", "--jobs", "4")
	if got, want := g.owner.call(at, 0, "tree", "."), g.call(other, 0, "tree", "."); got != want {
		t.Errorf("the tree is %s, that of an undisturbed run %s", got, want)
	}
	ends(t, second, says)
}

// TestOwnersAsk: a run that owners have waits for an answer, and goes on once that was
// given, where the run was begun; and with what is said anew when it is given to
// them once more.
func TestOwnersAsk(t *testing.T) {
	ready := filepath.Join(t.TempDir(), "ready")
	g := give(t, strings.Replace(plan, "READY", ready, 1), "--answers", "wait", "--ack", "modifying:1.2")
	owner, says := g.owns()
	g.status("planlock answer " + g.run + " q1")
	until(t, "it is let go", func() bool { return strings.Contains(says.String(), `msg="let go" run=`+g.run) })
	if out := g.call(g.dir, 0, append([]string{"resume", g.run, "--detach"}, g.by[2:]...)...); !strings.Contains(out, "owners go on") {
		t.Errorf("given once more:\n%s", out)
	}
	until(t, "it is looked at", func() bool { return strings.Count(says.String(), `msg="let go" run=`+g.run) > 1 })
	if err := os.WriteFile(ready, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if out := g.call(g.dir, 0, "answer", g.run, "q1", "r"); !strings.Contains(out, "owners go on with run "+g.run) {
		t.Errorf("answered:\n%s", out)
	}
	g.status("ACHIEVED")
	ends(t, owner, says)
}

// spender is an agent whose steps cost money.
const spender = `#!/bin/sh
read -r request
case "$request" in
*'"type":"version"'*) echo '{"type":"version","name":"scribe","version":"1.0"}'; exit ;;
*'"step":"1.1"'*) echo one > one.txt ;;
*'"step":"2.1"'*) echo two > two.txt ;;
esac
echo '{"type":"usage","input_tokens":10,"calls":1,"cost":0.03}'
echo '{"type":"result","ok":true}'
`

// TestOwnersSpend: the workflow of a run that waits, and for no answer, since its money is
// spent, ends and says why. Given away again with more, the run goes on.
func TestOwnersSpend(t *testing.T) {
	agent := filepath.Join(t.TempDir(), "agent.sh")
	if err := os.WriteFile(agent, []byte(spender), 0o755); err != nil {
		t.Fatal(err)
	}
	text := "schema = 1\nprofile = \"observe\"\ngoal.description = \"Have two files\"\n"
	for i, name := range []string{"one", "two"} {
		text += fmt.Sprintf("[[tasks]]\nid = %d\ndescription = \"Write\"\n[[tasks.steps]]\nid = 1\ndescription = \"Write\"\n"+
			"prompt = \"Write\"\npostconditions = [{ kind = \"file_contains\", path = %q, text = %q }]\n", i+1, name+".txt", name)
	}
	g := give(t, text, "--executor", agent, "--budget", "0.02")
	owner, says := g.owns("--executor", agent)
	address := strings.TrimSuffix(strings.TrimPrefix(g.by[3], "temporal://"), "/default")
	runs, err := temporal.OpenRuns(t.Context(), temporal.Config{Workspace: string(ledger.Sum([]byte(g.store)).Short()),
		Client: client.Options{HostPort: address}})
	if err != nil {
		t.Fatal(err)
	}
	defer runs.Close()
	ended := func() temporal.State {
		t.Helper()
		ctx, end := context.WithTimeout(t.Context(), time.Minute)
		defer end()
		s, err := runs.Wait(ctx, g.run) // returns once the workflow has ended
		if err != nil {
			t.Fatalf("%v\n%s", err, says.String())
		}
		return s
	}
	if s := ended(); !s.Over || s.Done != 1 || !strings.Contains(s.Says, "its money is spent: it has cost $0.03 of $0.02") {
		t.Errorf("without money: %+v", s)
	}
	if done := g.recorded(g.store, g.run, "step-completed"); len(done) != 1 {
		t.Errorf("completed are %v", done)
	}
	words := append([]string{"resume", g.run, "--detach", "--budget", "1"}, g.by...)
	if out := g.call(g.dir, 0, words...); !strings.Contains(out, "owners go on with run "+g.run) {
		t.Errorf("with more:\n%s", out)
	}
	until(t, "it is over", func() bool { return strings.Contains(says.String(), "msg=over run="+g.run) })
	if s := ended(); !s.Over || s.Done != 2 || s.Says != "" {
		t.Errorf("with more: %+v", s)
	}
	ends(t, owner, says)
}

// TestOwnersLetGo: a run that owners have, or are to have, is resumed with other flags and given
// back to them, goes on elsewhere when its owner is told to end, and is ended by a person.
func TestOwnersLetGo(t *testing.T) {
	g := give(t, strings.ReplaceAll(lanes(6), "sleep 1", "sleep 2"))
	words := append([]string{"resume", g.run, "--detach", "--jobs", "2"}, g.by...)
	if out := g.call(g.dir, 0, words...); !strings.Contains(out, "owners go on") { // none is there that lets go of it
		t.Errorf("with other flags:\n%s", out)
	}
	owner, says := g.owns()
	until(t, "a step is completed", func() bool { return len(g.recorded(g.store, g.run, "step-completed")) > 0 })
	words = append([]string{"resume", g.run, "--dir", filepath.Join(t.TempDir(), "new"), "--detach", "--jobs", "1"}, g.by...)
	if out := g.call(t.TempDir(), 0, words...); !strings.Contains(out, "owners go on") {
		t.Errorf("with other flags:\n%s", out)
	}
	until(t, "it goes on", func() bool { return strings.Count(says.String(), "msg=begun run="+g.run) > 1 })
	ends(t, owner, says) // which lets go of it
	owner, says = g.owns()
	until(t, "another one goes on", func() bool { return strings.Contains(says.String(), "msg=begun run="+g.run) })
	if out := g.call(g.dir, 0, "abandon", g.run, "--reason", "not wanted"); !strings.Contains(out, "has ended") {
		t.Errorf("abandoned:\n%s", out)
	}
	if n := len(g.recorded(g.store, g.run, "step-completed")); n == 6 {
		t.Error("all steps were carried out")
	}
	ends(t, owner, says)
}
