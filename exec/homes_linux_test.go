package exec_test

import (
	"context"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/planlock/planlock/checkpoint/layer"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
)

// ownMounts skips the test where commands have no mounts of their own.
func ownMounts(t *testing.T) {
	t.Helper()
	if reached, err := process.Reach(process.Sandbox{}); err != nil || !reached.Mounts {
		t.Skip("commands have no mounts of their own here")
	}
}

// userHome is a home of the user, with a login in it.
func userHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("TMPDIR", t.TempDir())
	must(t, exectest.Put(home, ".agent/login", "the-login\n"))
	must(t, exectest.Put(home, ".agent.json", "the-login\n"))
	return home
}

// TestHomesAreOutOfSight lets a step of the shell, a condition, and another
// agent look for what an agent has in its home, and for what of the user's that
// was copied from.
func TestHomesAreOutOfSight(t *testing.T) {
	ownMounts(t)
	for _, layer := range []string{"overlay", "clone", "in-place"} {
		t.Run(layer, func(t *testing.T) {
			user := userHome(t)
			temp := os.Getenv("TMPDIR")
			where := ""
			own := func(mark string) exec.Func {
				return func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
					if err := exectest.Put(w.Home, "login", mark+"\n"); err != nil {
						return exec.Outcome{}, err
					}
					where = filepath.Dir(w.Home)
					o, err := privately("set -e; grep -q "+mark+" $HOME/login; echo "+mark+" >>$HOME/kept; echo x >>"+mark+
						"; test $(cat $(dirname $HOME)/*/login | grep -c login) = 1; ! cat "+user+"/.agent/login; ! grep login "+user+"/.agent.json")(ctx, w)
					if err != nil {
						return o, err
					}
					// without the word it is covered for its own commands too
					return commandIn(ctx, w, gate.Command{Run: "! cat " + w.Home + "/login && ! touch " + w.Home + "/new"})
				}
			}
			needs := exec.Needs{Home: true, Reads: []string{"~/.agent/login", "~/.agent.json"}}
			const look = "! grep -rqs login $TMPS/planlock-scratch-* && ! grep login $USERS/.agent/login && ! grep login $USERS/.agent.json"
			thief := strings.NewReplacer("$TMPS", temp, "$USERS", user).Replace(look)
			text := assigned("[sandbox]\nlayer = \""+layer+"\"\n", "one", "true", "two", "true",
				"shell", thief+" && echo x >stolen", "one", "true")
			text = strings.Replace(text, "schema = 1\n", fmt.Sprintf("schema = 1\ninvariants = [{ id = \"I\", text = \"nothing to see\", "+
				"check = { kind = \"command\", run = %q } }]\n", thief), 1)
			b := agentsBench(t, text, exectest.Files{"f": "f\n"}, &needy{"one", needs, own("one-login")},
				&needy{"two", exec.Needs{Home: true}, own("two-login")})
			r := b.Run(t)
			if r.Run == nil || r.Run.Step("4.1").Status != history.Completed {
				t.Fatalf("%v\n%v", r.Err, r.Report)
			}
			if _, err := os.Stat(where); where == "" || err == nil {
				t.Errorf("homes are left in %q: %v", where, err)
			}
			if text := r.Read(t, "stolen"); text != "x\n" {
				t.Errorf("the thief: %q", text)
			}
		})
	}
}

// TestHomesAreKeptForTheRun looks whether an agent finds in its home what it left
// there in an earlier step.
func TestHomesAreKeptForTheRun(t *testing.T) {
	userHome(t)
	b := agentsBench(t, assigned("", "one", "true", "one", "true"), nil, &needy{"one", exec.Needs{Home: true},
		func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			if w.Step.Address == "2.1" {
				return privately("test -e $HOME/session && echo y >y")(ctx, w)
			}
			return privately("touch $HOME/session && echo x >x")(ctx, w)
		}})
	b.Run(t).Want(t, history.Partial)
}

// asHost makes this test binary a controller with an agent that waits in its home
// until it is killed.
const asHost = "PLANLOCK_TEST_HOST_OF_AN_AGENT"

// TestHomesOfKilledControllersGo kills a controller whose agent has a login in its
// home, and looks what is left once another one worked.
func TestHomesOfKilledControllersGo(t *testing.T) {
	ownMounts(t)
	if dir := os.Getenv(asHost); dir != "" {
		a := &needy{"one", exec.Needs{Home: true}, func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
			if err := exectest.Put(w.Home, "login", "the-login\n"); err != nil {
				return exec.Outcome{}, err
			}
			fmt.Println("ready")
			return privately("sleep 100")(ctx, w)
		}}
		agentsBench(t, assigned("", "one", "true"), nil, a).Run(t)
		return
	}
	userHome(t)
	temp := os.Getenv("TMPDIR")
	t.Cleanup(func() { _ = layer.Discard(context.Background(), temp) }) // the child's workspace, which was killed
	self, err := os.Executable()
	must(t, err)
	cmd := osexec.Command(self, "-test.run=^TestHomesOfKilledControllersGo$")
	cmd.Env = append(os.Environ(), asHost+"=1")
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	holds := func() string {
		found, err := filepath.Glob(filepath.Join(temp, "*", "homes", "*", "login"))
		must(t, err)
		return strings.Join(found, " ")
	}
	if holds() == "" {
		t.Error("there is no login to be left behind")
	}
	// of a controller that works, too, nothing is seen
	thief := assigned("", "shell", "! grep -rqs login "+temp+"/planlock-scratch-* && echo x >x")
	agentsBench(t, thief, nil).Run(t).Want(t, history.Partial)
	must(t, cmd.Process.Signal(syscall.SIGKILL))
	_ = cmd.Wait()
	time.Sleep(10 * time.Millisecond)
	agentsBench(t, thief, nil).Run(t).Want(t, history.Partial)
	if left := holds(); left != "" {
		t.Errorf("what a killed controller had is left: %s", left)
	}
}

// TestHomesAsOrdinaryUser runs the tests of homes again without privileges.
func TestHomesAsOrdinaryUser(t *testing.T) {
	const nobody = 65534
	if os.Geteuid() != 0 {
		t.Skip("these tests are already those of an ordinary user")
	}
	dir, err := os.MkdirTemp("/tmp", "planlock-user-")
	if err != nil {
		t.Skip(err)
	}
	defer os.RemoveAll(dir)
	for _, path := range []string{dir, filepath.Join(dir, "home"), filepath.Join(dir, "tmp")} {
		must(t, os.MkdirAll(path, 0o755))
		if err := os.Chown(path, nobody, nobody); err != nil {
			t.Skip(err)
		}
	}
	self, err := os.Executable()
	must(t, err)
	text, err := os.ReadFile(self)
	must(t, err)
	binary := filepath.Join(dir, "exec.test")
	must(t, os.WriteFile(binary, text, 0o755))
	cmd := osexec.Command(binary, "-test.v", "-test.run=^Test(Homes|Private)", "-test.skip=AsOrdinaryUser")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir + "/home", "TMPDIR=" + dir + "/tmp"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	output, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(output), "--- PASS: TestHomesAreOutOfSight") {
		t.Errorf("as user %d: %v\n%s", nobody, err, output)
	}
}
