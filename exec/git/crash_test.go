package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	planexec "github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/commit"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan"
)

// dies makes this test binary a controller that dies at a point: "POINT RUN DIR",
// where RUN is the run that it resumes, or "-".
const dies = "PLANLOCK_TEST_DIES"

const died = 3 // its exit status

// TestMain is such a controller where a test started one.
func TestMain(m *testing.M) {
	if at := os.Getenv(dies); at != "" {
		os.Args = []string{os.Args[0], "-test.run=^TestDies$"}
	}
	dir, err := os.MkdirTemp("", "planlock-git-")
	if err != nil {
		panic(err)
	}
	scratch = dir
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// scratch is a folder for all tests.
var scratch string

// TestDies is the life of a controller that dies.
func TestDies(t *testing.T) {
	words := strings.SplitN(os.Getenv(dies), " ", 3)
	if len(words) < 3 {
		t.Skip("it is for other tests")
	}
	d := around(t, planOf("a", "b"))
	d.Dir, d.Controller.Dir = words[2], words[2]
	d.Controller.Committer = &mortal{Committer: d.by, at: words[0]}
	locked := d.Lock(t)
	if words[1] == "-" {
		_, err := d.Controller.Run(context.Background(), locked)
		t.Fatal("it lives: ", err)
	}
	_, err := d.Controller.Resume(context.Background(), locked, words[1])
	t.Fatal("it lives: ", err)
}

// A mortal dies at a point of the commit of step 1.2.
type mortal struct {
	*Committer
	at string
}

func (m *mortal) die(at string, w commit.Work) {
	if m.at == at && w.Steps[0].Address == "1.2" {
		os.Exit(died)
	}
}

func (m *mortal) Commit(ctx context.Context, w commit.Work) (*commit.Made, error) {
	m.die("delivered", w)
	made, err := m.Committer.Commit(ctx, w)
	m.die("committed", w)
	return made, err
}

func (m *mortal) Find(ctx context.Context, w commit.Work) (*commit.Made, error) {
	m.die("resumed", w)
	made, err := m.Committer.Find(ctx, w)
	m.die("found", w)
	return made, err
}

// TestCrash makes each commit exactly once, wherever the controller dies.
func TestCrash(t *testing.T) {
	for name, points := range map[string][]string{
		"between delivery and commit":      {"delivered"},
		"twice there":                      {"delivered", "delivered"},
		"between commit and record":        {"committed"},
		"and again before it was found":    {"committed", "resumed"},
		"and again before it was recorded": {"committed", "found", "found"},
		"at both":                          {"delivered", "committed"},
		"while HEAD is moved":              {"moving"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, planOf("a", "b"), nil)
			first, check := d.git("rev-parse", "HEAD"), d.untouched()
			run := "-"
			for _, point := range points {
				if point == "moving" { // whoever moves HEAD kills what asked for it, once
					d.hook("reference-transaction", "test \"$1\" = prepared && git log -1 --format=%b $(cut -d' ' -f2 | head -n1) | grep -q 'Step: 1.2' && "+
						"mkdir ../once 2>/dev/null && kill -9 $(ps -o ppid= -p $PPID) $PPID; exit 0")
				}
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s", dies, point, run, d.Dir))
				out, err := cmd.CombinedOutput()
				if failed := (*exec.ExitError)(nil); !errors.As(err, &failed) || failed.ExitCode() != died && point != "moving" {
					t.Fatalf("%v\n%s", err, out)
				}
				runs, err := os.ReadDir(d.Dir + "/.planlock/runs")
				if err != nil || len(runs) != 1 {
					t.Fatal(runs, err)
				}
				run = runs[0].Name()
			}
			os.Remove(d.Dir + "/.git/refs/heads/main.lock")
			os.Remove(d.Dir + "/.git/HEAD.lock")
			report, err := d.Controller.Resume(context.Background(), d.Lock(t), run)
			if err != nil || report.Status() != history.Achieved {
				t.Fatal(report, err)
			}
			check()
			d.want(report.Run, first, "Write a: a", "Write b: b")
			if got := d.git("log", "--format=%(trailers:key=Planlock-Step,valueonly)", first+"..HEAD"); !slices.Equal(strings.Fields(got), []string{"1.2", "1.1"}) {
				t.Errorf("the steps are %q", got)
			}
		})
	}
}

// TestIndexFollows has the index hold what is committed, as after "git commit
// PATH…", wherever the controller dies, and leaves alone what somebody staged.
func TestIndexFollows(t *testing.T) {
	for _, point := range []string{"", "committed", "moved"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, planOf("a", "b"), nil)
			d.put("b", "mine\n")
			d.put("c", "mine\n")
			d.git("add", "b", "c")
			if err := os.Remove(d.Dir + "/b"); err != nil {
				t.Fatal(err)
			}
			first, locked := d.git("rev-parse", "HEAD"), d.Lock(t)
			begin := d.Controller.Run
			if point != "" {
				if point == "moved" { // HEAD is moved, and the index does not follow
					d.hook("reference-transaction", "test \"$1\" = committed && git log -1 --format=%b $(cut -d' ' -f2 | head -n1) | grep -q 'Step: 1.2' && "+
						"mkdir ../once 2>/dev/null && kill -9 $(ps -o ppid= -p $PPID) $PPID; exit 0")
				}
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s - %s", dies, point, d.Dir))
				if out, err := cmd.CombinedOutput(); err == nil {
					t.Fatalf("it lives\n%s", out)
				}
				runs, err := os.ReadDir(d.Dir + "/.planlock/runs")
				if err != nil || len(runs) != 1 {
					t.Fatal(runs, err)
				}
				begin = func(ctx context.Context, l *plan.Locked) (*planexec.Report, error) {
					return d.Controller.Resume(ctx, l, runs[0].Name())
				}
			}
			report, err := begin(context.Background(), locked)
			if err != nil {
				t.Fatal(err)
			}
			d.want(report.Run, first, "Write a: a", "Write b: b")
			if got := d.git("show", ":b"); got != "mine" {
				t.Errorf("staged is %q", got)
			}
			if got := d.git("status", "--porcelain"); got != "MM b\nA  c" {
				t.Errorf("the status is\n%s", got)
			}
			d.put("a", "More\n")
			d.git("commit", "-q", "-am", "mine")
			if got := d.commits("HEAD~1"); !slices.Equal(got, []string{"mine: a c"}) {
				t.Errorf("git commit -a makes %q", got)
			}
		})
	}
}

// TestIndexInTheWay stages nothing of a commit in the place of what somebody staged.
func TestIndexInTheWay(t *testing.T) {
	d := newDesk(t, planOf("sub/a", "b"), nil)
	d.put("sub", "mine\n")
	d.git("add", "sub")
	if err := os.Remove(d.Dir + "/sub"); err != nil {
		t.Fatal(err)
	}
	first := d.git("rev-parse", "HEAD")
	done := d.Run(t)
	d.want(done.Run, first, "Write sub/a: sub/a", "Write b: b")
	if got := d.git("ls-files"); got != ".gitignore\nREADME\nb\nsub" {
		t.Errorf("the index has\n%s", got)
	}
}
