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

// staged has it stage what it commits.
const staged = "PLANLOCK_TEST_STAGED"

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
	d.by.OwnIndex = os.Getenv(staged) != ""
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

// TestOwnIndex stages what is committed in the index of the work tree too, where
// that is asked for, also where the controller dies before it says so.
func TestOwnIndex(t *testing.T) {
	for _, point := range []string{"", "committed"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, planOf("a", "b"), nil)
			d.by.OwnIndex = true
			first, locked := d.git("rev-parse", "HEAD"), d.Lock(t)
			run := ""
			if point != "" {
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s - %s", dies, point, d.Dir), staged+"=1")
				if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != died {
					t.Fatalf("%v\n%s", err, out)
				}
				runs, err := os.ReadDir(d.Dir + "/.planlock/runs")
				if err != nil || len(runs) != 1 {
					t.Fatal(runs, err)
				}
				run = runs[0].Name()
			}
			begin := d.Controller.Run
			if run != "" {
				begin = func(ctx context.Context, l *plan.Locked) (*planexec.Report, error) {
					return d.Controller.Resume(ctx, l, run)
				}
			}
			report, err := begin(context.Background(), locked)
			if err != nil {
				t.Fatal(err)
			}
			d.want(report.Run, first, "Write a: a", "Write b: b")
			if got := d.git("status", "--porcelain"); got != "" {
				t.Errorf("the status is\n%s", got)
			}
		})
	}
}
