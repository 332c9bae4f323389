package temporal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/checkpoint/folder"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/escalator"
	"github.com/planlock/planlock/exec/history"
)

// trail is a plan whose steps each add a line to a file, and take their time. The
// second step of one that asks also does what it did not declare.
func trail(steps int, asks bool) string {
	text := `schema = 1
non_goals = []
[goal]
description = "Leave a trail"
[[requirements]]
id = "R1"
text = "There is a trail"
[defaults]
requirements = ["R1"]
rollback = "reversible"
on_failure = "ask"
semantic_change = "extending"
limits = { max_files = 1, max_lines = 9 }
[[tasks]]
id = 1
description = "Walk"
`
	for i := range steps {
		artifacts, more := "modify", ""
		if i == 0 {
			artifacts = "create"
		}
		if asks && i == 1 {
			more = " && echo stray > stray.txt"
		}
		text += fmt.Sprintf(`[[tasks.steps]]
id = %d
description = "Take a step"
run = "sleep 0.5 && echo step %[1]d >> trail.txt%s"
artifacts = { %s = ["trail.txt"] }
postconditions = [{ kind = "file_contains", path = "trail.txt", text = "step %[1]d" }]
`, i+1, more, artifacts)
	}
	return text
}

// A site is a workspace whose owners are processes.
type site struct {
	*testing.T
	*Runs
	shared string
	owners map[int]*ownerProcess // by their process ids
}

type ownerProcess struct {
	*osexec.Cmd
	in io.Closer
}

func newSite(t *testing.T, owners int) *site {
	t.Helper()
	return siteAt(t, "", owners)
}

// siteAt is a site at a service; "": that of all tests.
func siteAt(t *testing.T, address string, owners int) *site {
	t.Helper()
	r, err := OpenRuns(t.Context(), workspace(t, Config{Silence: 2 * time.Second,
		Client: client.Options{HostPort: address}}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	s := &site{T: t, Runs: r, shared: t.TempDir(), owners: map[int]*ownerProcess{}}
	if err := os.Mkdir(filepath.Join(s.shared, "contents"), 0o755); err != nil {
		t.Fatal(err)
	}
	for range owners {
		s.own()
	}
	t.Cleanup(func() {
		for pid := range s.owners {
			s.leave(pid)
		}
	})
	return s
}

// own starts one more owner.
func (s *site) own() {
	s.Helper()
	cmd := osexec.Command(os.Args[0], "-test.run=^TestOwnerProcess$")
	cmd.Env = append(os.Environ(), "PLANLOCK_TEST_OWNER="+s.shared, "PLANLOCK_TEST_WORKSPACE="+s.Workspace,
		"PLANLOCK_TEST_ADDRESS="+s.Client.HostPort, "TMPDIR="+s.TempDir())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.Fatal(err)
	}
	s.owners[cmd.Process.Pid] = &ownerProcess{cmd, in}
}

// leave tells an owner to end.
func (s *site) leave(pid int) {
	s.Helper()
	o := s.owners[pid]
	delete(s.owners, pid)
	o.in.Close()
	if err := o.Wait(); err != nil {
		s.Error(err)
	}
}

// kill kills an owner.
func (s *site) kill(pid int) {
	s.Helper()
	o := s.owners[pid]
	delete(s.owners, pid)
	if err := o.Process.Kill(); err != nil {
		s.Fatal(err)
	}
	_ = o.Wait() // killed
}

// begin starts a task, and is what was started.
func (s *site) begin(key, plan string) Task {
	s.Helper()
	blobs, err := folder.Open(s.Context(), filepath.Join(s.shared, "contents"))
	if err != nil {
		s.Fatal(err)
	}
	defer blobs.Close()
	digest, err := checkpoint.NewStore(blobs).Put(s.Context(), []byte(plan))
	t := Task{Key: key, Plan: string(digest)}
	for range 2 { // the second one does nothing
		if err == nil {
			err = s.Start(s.Context(), t)
		}
	}
	if err != nil {
		s.Fatal(err)
	}
	return t
}

// until waits until a run stands as it should.
func (s *site) until(key string, so func(State) bool) (st State) {
	s.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		var err error
		if st, err = s.State(s.Context(), key); err != nil {
			s.Fatal(err)
		}
		if so(st) {
			return st
		}
	}
	s.Fatalf("the run of %s stands %+v", key, st)
	return st
}

// ended is how a run stands when it has ended.
func (s *site) ended(key string) State {
	s.Helper()
	ctx, end := context.WithTimeout(s.Context(), 5*time.Minute) // a run that owners brought no further waits up to one
	defer end()
	st, err := s.Wait(ctx, key)
	if err != nil {
		s.Fatal(err)
	}
	return st
}

// has is the process that has the run of a task in hand.
func (s *site) has(key string) int {
	s.Helper()
	for range 500 {
		pid, _, _ := strings.Cut(s.pending(key), "@")
		if n, err := strconv.Atoi(pid); err == nil && s.owners[n] != nil {
			return n
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.Fatalf("nobody has %s", key)
	return 0
}

// pending is who goes on with the run of a task at present, or "nobody yet"; "" where
// there is nothing to do.
func (s *site) pending(key string) string {
	s.Helper()
	d, err := s.describe(s.Context(), s.id(key))
	if err != nil {
		s.Fatal(err)
	}
	for _, a := range d.GetPendingActivities() {
		return cmp.Or(a.GetLastWorkerIdentity(), "nobody yet")
	}
	return ""
}

func (s *site) workspace() exec.Workspace {
	return exec.Workspace{Runs: filelog.Runs{Dir: filepath.Join(s.shared, "runs")}}
}

// journal is what the journal of a run says, in which each step was completed once.
func (s *site) journal(run string) *history.Run {
	s.Helper()
	r, err := s.workspace().History(s.Context(), run)
	if err != nil {
		s.Fatal(err)
	}
	completed := s.facts(run, new(history.StepCompleted).Type())
	slices.Sort(completed)
	for i, step := range completed {
		if i > 0 && strings.Fields(step)[0] == strings.Fields(completed[i-1])[0] {
			s.Errorf("a step was completed twice: %s", step)
		}
	}
	return r
}

// facts are those of a kind in the journal of a run: each the step and what it says.
func (s *site) facts(run, kind string) (all []string) {
	s.Helper()
	records, err := s.workspace().Records(s.Context(), run)
	if err != nil {
		s.Fatal(err)
	}
	for _, rec := range records {
		if rec.Type == kind {
			all = append(all, fmt.Sprintf("%s %s", rec.Step, rec.Data))
		}
	}
	return all
}

// stands are the steps of a run.
func stands(r *history.Run) (all []string) {
	for _, step := range r.Steps {
		all = append(all, fmt.Sprint(step.Address, " ", step.Status))
	}
	return all
}

// TestOwnerKilled kills the owner of a run, and then tells the next one to end, while
// it is at work: others end it, with the tree of a run that nobody disturbed.
func TestOwnerKilled(t *testing.T) {
	s := newSite(t, 2)
	s.begin("calm", trail(5, false))
	calm := s.ended("calm")
	s.begin("killed", trail(5, false))
	s.until("killed", func(st State) bool { return st.Done == 1 })
	s.kill(s.has("killed"))
	killed := time.Now()
	s.until("killed", func(st State) bool { return st.Done == 2 })
	t.Logf("the next step was done %v after the kill", time.Since(killed))
	s.own()
	s.leave(s.has("killed"))
	st := s.ended("killed")
	want, got := s.journal(calm.Run), s.journal(st.Run)
	if st.Status != history.Achieved || st.Done != 5 || got.Tree.Tree != want.Tree.Tree ||
		!slices.Equal(stands(got), stands(want)) {
		t.Errorf("%+v\n%v\nwant\n%v", st, stands(got), stands(want))
	}
	if again, err := s.State(t.Context(), "killed"); err != nil || !again.Over || again.Run != st.Run {
		t.Errorf("stands %+v, %v", again, err)
	}
	if err := s.Start(t.Context(), Task{Key: "killed", Plan: "another"}); err == nil ||
		!strings.Contains(err.Error(), "another key") {
		t.Errorf("another plan: %v", err)
	}
	if _, err := s.State(t.Context(), "none"); !errors.Is(err, ErrNoTask) {
		t.Errorf("no task: %v", err)
	}
}

// TestOwnerHangs halts the owner of a run for longer than it may be silent: another one
// has the run meanwhile, and gets it when the first, which still holds the journal, has
// found out.
func TestOwnerHangs(t *testing.T) {
	s := newSite(t, 2)
	s.begin("hangs", trail(4, false))
	s.until("hangs", func(st State) bool { return st.Done == 1 })
	first := s.has("hangs")
	signal := func(name string) {
		t.Helper()
		if text, err := osexec.Command("kill", "-"+name, strconv.Itoa(first)).CombinedOutput(); err != nil {
			t.Fatal(err, string(text))
		}
	}
	signal("STOP")
	t.Cleanup(func() { signal("CONT") }) // also where it is not told before
	s.until("hangs", func(st State) bool { return strings.Contains(st.Says, "is held by") })
	signal("CONT")
	st := s.ended("hangs")
	r := s.journal(st.Run)
	if st.Status != history.Achieved || st.Done != 4 {
		t.Errorf("%+v\n%v", st, stands(r))
	}
}

// TestRunServerKilled kills the service for longer than owners go on without it: they
// let go of the run, and go on when it is back.
func TestRunServerKilled(t *testing.T) {
	server := ownServer(t)
	s := siteAt(t, server.address(), 2)
	s.begin("k", trail(6, false))
	s.until("k", func(st State) bool { return st.Done == 1 })
	server.kill()
	time.Sleep(s.Silence + time.Second)
	if err := server.start(); err != nil {
		t.Fatal(err)
	}
	st := s.ended("k")
	r := s.journal(st.Run)
	if st.Status != history.Achieved || len(s.facts(st.Run, new(history.StopRequested).Type())) == 0 {
		t.Errorf("%+v\n%v", st, stands(r))
	}
}

// TestRunAnswered: a run waits for a person and nobody has it; an answer that does not count
// is refused, and one that does has it go on, elsewhere.
func TestRunAnswered(t *testing.T) {
	s := newSite(t, 1)
	s.begin("asks", trail(3, true))
	st := s.until("asks", func(st State) bool { return st.Status == history.Waiting && s.pending("asks") == "" })
	if len(st.Questions) != 1 || st.Done != 1 || st.Steps != 3 || st.Over {
		t.Fatalf("%+v", st)
	}
	value, err := s.client.QueryWorkflow(t.Context(), s.id("asks"), "", standing)
	var asked State
	if err == nil {
		err = value.Get(&asked)
	}
	if err != nil || !reflect.DeepEqual(asked, st) {
		t.Errorf("asked for its state: %+v, %v", asked, err)
	}
	for pid := range s.owners { // the folder in which it worked is gone
		s.leave(pid)
	}
	s.own()
	open, err := (&escalator.Folder{Dir: filepath.Join(s.shared, "questions")}).Questions()
	if err != nil || len(open) != 1 {
		t.Fatalf("%v, %v", open, err)
	}
	q := open[0]
	choice, _ := q.Choice("a")
	a := ask.Answer{Question: q.ID, Attempt: q.Attempt, Choice: "a", Acknowledged: choice.Acknowledge, By: "anna",
		Reason: "it may stay"}
	for _, bad := range []func(*ask.Answer){
		func(a *ask.Answer) { a.Choice = "perhaps" },
		func(a *ask.Answer) { a.Question = "q99" },
		func(a *ask.Answer) { a.Run = "01K00000000000000000000000" },
	} {
		no := a
		bad(&no)
		if err := s.Answer(t.Context(), "asks", no); !errors.As(err, new(*ask.RefusedError)) {
			t.Errorf("%+v: %v", no, err)
		}
	}
	if err := s.Answer(t.Context(), "asks", a); err != nil {
		t.Fatal(err)
	}
	end := s.ended("asks")
	r := s.journal(end.Run)
	if end.Status != history.Achieved || r.Steps[1].Questions[0].Answer.By != "anna" {
		t.Errorf("%+v %v", end, stands(r))
	}
}

// TestRunCancelled: a run that is cancelled stands at a checkpoint, its journal has who
// wanted that, and it can be gone on with.
func TestRunCancelled(t *testing.T) {
	s := newSite(t, 1)
	task := s.begin("long", trail(4, false))
	s.until("long", func(st State) bool { return st.Done == 1 })
	if err := s.Cancel(t.Context(), "long", exec.Stop{By: "anna", Why: "enough"}); err != nil {
		t.Fatal(err)
	}
	st := s.ended("long")
	if st.Over || st.Says != "it was cancelled by anna: enough" || st.Done == 4 {
		t.Errorf("%+v", st)
	}
	r := s.journal(st.Run)
	if r.Status != history.Waiting {
		t.Errorf("%s %v", r.Status, stands(r))
	}
	if says := s.facts(st.Run, new(history.StopRequested).Type()); len(says) != 1 || !strings.Contains(says[0], "anna") {
		t.Errorf("who wanted that, by the journal: %q", says)
	}
	before, err := s.State(t.Context(), "long")
	if err != nil || before.Run != st.Run {
		t.Errorf("%+v, %v", before, err)
	}
	if err := s.GoOn(t.Context(), "long"); !errors.Is(err, ErrNoTask) {
		t.Errorf("nobody goes on with it: %v", err)
	}
	task.Run = st.Run
	if err := s.Start(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	if end := s.ended("long"); end.Status != history.Achieved || end.Run != st.Run {
		t.Errorf("%+v", end)
	}
	s.journal(st.Run)
}

// TestRunDropped: nobody goes on with a run that is dropped, also where no owner is there that
// could hear that it is cancelled.
func TestRunDropped(t *testing.T) {
	s := newSite(t, 0)
	task := s.begin("nobody's", trail(2, false))
	if err := s.Cancel(t.Context(), task.Key, exec.Stop{By: "anna", Why: "enough"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Drop(t.Context(), task.Key, "nobody has it"); err != nil {
		t.Fatal(err)
	}
	if st := s.ended(task.Key); st.Over {
		t.Errorf("%+v", st)
	}
	if err := s.Drop(t.Context(), task.Key, "nobody has it"); !errors.Is(err, ErrNoTask) {
		t.Errorf("nobody goes on with it: %v", err)
	}
}

// TestOwnersDose kills owners at random moments, of which some are those in which runs
// begin: there is one run for each task, and each ends as one that nobody disturbed.
//
//	go test -run TestOwnersDose -kills 100 -v -timeout 1h .
func TestOwnersDose(t *testing.T) {
	s := newSite(t, 3)
	const steps = 3
	s.begin("calm", trail(steps, false))
	want := s.journal(s.ended("calm").Run)
	tasks := 1
	for killed := 0; killed < *kills; {
		var keys []string
		for range 3 {
			tasks++
			keys = append(keys, fmt.Sprint("task-", tasks))
			s.begin(keys[len(keys)-1], trail(steps, false))
		}
		for ; killed < *kills && s.under(keys); killed++ {
			pause := rand.N(1500 * time.Millisecond)
			time.Sleep(pause)
			for pid := range s.owners { // any
				s.kill(pid)
				break
			}
			s.own()
		}
		for _, key := range keys {
			st := s.ended(key)
			got := s.journal(st.Run)
			if st.Status != history.Achieved || got.Tree.Tree != want.Tree.Tree || !slices.Equal(stands(got), stands(want)) {
				t.Errorf("%s: %+v\n%v\nwant\n%v", key, st, stands(got), stands(want))
			}
		}
		t.Logf("%d kills of owners so far", killed)
	}
	runs, err := s.workspace().IDs(t.Context())
	if err != nil || len(runs) != tasks {
		t.Errorf("%d runs of %d tasks (%v)", len(runs), tasks, err)
	}
}

// under reports whether one of these is under way.
func (s *site) under(keys []string) bool {
	s.Helper()
	return slices.ContainsFunc(keys, func(key string) bool {
		st, err := s.State(s.Context(), key)
		if err != nil {
			s.Fatal(err)
		}
		return !st.Over
	})
}
