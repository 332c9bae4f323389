package exec_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/plan"
)

// overlaid skips the test where commands cannot be shown overlays.
func overlaid(t *testing.T) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil || !process.ReachBind() || !process.ReachOverlay(dir).Can {
		t.Skip("commands cannot be shown overlays here")
	}
}

// running is a plan of tasks of one step, each of which runs a command.
func running(head string, commands ...string) string {
	text := "schema = 1\nprofile = \"observe\"\ngoal.description = \"Run commands\"\n" + head
	for i, c := range commands {
		text += fmt.Sprintf("\n[[tasks]]\nid = %d\ndescription = \"Task %d\"\n[[tasks.steps]]\nid = 1\n"+
			"description = \"Step\"\nrun = %q\n", i+1, i+1, c)
	}
	return text
}

// byShell is a bench whose steps are shell commands, at a level of the sandbox.
func byShell(t *testing.T, text string, files exectest.Files) *exectest.Bench {
	return exectest.New(t, text, files, &shell.Executor{})
}

// What commands did in overlays, one step after another, is in the workspace as
// if it had been done there; whatever a step did that failed is not.
func TestOverlaysAreDelivered(t *testing.T) {
	overlaid(t)
	commands := []string{
		"echo new >new.txt && echo more >>dir/one && rm dir/two && mkdir -p a/b/c && echo deep >a/b/c/deep",
		"mv dir moved && chmod 700 moved && ln -s moved/one link",
		"rm -r a && echo file >a && mv moved/one moved/uno && echo 2 >moved/two",
		"rm a && mkdir -p a/x && mv moved a/x/again && : >empty && chmod 755 new.txt && touch -d @1000000000 a/x/again/uno",
	}
	files := exectest.Files{"dir/one": "1\n", "dir/two": "2\n", "other/kept": "kept\n", "dir/sub/three": "3\n"}
	plain := t.TempDir()
	for name, content := range files {
		must(t, exectest.Put(plain, name, content))
	}
	for _, c := range commands {
		cmd := osexec.CommandContext(t.Context(), "sh", "-c", c)
		cmd.Dir = plain
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", c, err, out)
		}
	}
	for _, layer := range []plan.Layer{plan.Overlay, plan.Clone} {
		t.Run(string(layer), func(t *testing.T) {
			text := running("[sandbox]\nlayer = \""+string(layer)+"\"\n[execution]\n", commands...)
			text += "\n[[tasks]]\nid = 9\ndescription = \"Fails\"\n[[tasks.steps]]\nid = 1\ndescription = \"Fail\"\n" +
				"run = \"rm -r other empty && echo no >other && echo no >>new.txt && exit 3\"\non_failure = \"block\"\n"
			b := byShell(t, text, files)
			r := b.Run(t)
			if failed := r.Run.Step("9.1"); failed == nil || failed.Status == history.Completed {
				t.Errorf("the step that fails did not: %v", r)
			}
			if diff := cmp.Diff(held(t, plain), held(t, b.Dir)); diff != "" {
				t.Errorf("the workspace is not as after the same commands in a plain folder: %s", diff)
			}
			a := r.Run.Step("9.1").Last()
			if a.Accounted == nil || len(a.Accounted.Changes) != 4 {
				t.Errorf("of the step that failed is known: %+v", a.Accounted)
			}
		})
	}
}

// No folder is looked at that a step did not touch, with checks that run
// commands, and steps that fail, among them; what checks write vanishes.
func TestOverlaysAreNotScanned(t *testing.T) {
	overlaid(t)
	text := "schema = 1\nprofile = \"observe\"\ngoal.description = \"Run commands\"\n[sandbox]\nlayer = \"overlay\"\n" +
		"[[tasks]]\nid = 1\ndescription = \"T\"\n"
	for i := range 12 {
		text += fmt.Sprintf("[[tasks.steps]]\nid = %d\ndescription = \"S\"\nrun = \"echo %d >out && test -e sub/f && test ! -e sub/judged\"\n"+
			"postconditions = [{ kind = \"command\", run = \"echo x >sub/judged\" }]\n", i+1, i)
	}
	b := byShell(t, text, exectest.Files{"sub/f": "text\n"})
	var count func() int
	looks := 0
	b.Controller.Executors[""] = counting{&shell.Executor{}, func(w exec.Work) {
		switch w.Step.Address {
		case "1.2":
			count = openings(t, filepath.Join(w.Dir, "sub"))
		case "1.12":
			looks = count()
		}
	}}
	b.Run(t).Want(t, history.Partial)
	if looks != 0 {
		t.Errorf("ten steps look %d times at a folder that they do not touch", looks)
	}
	if _, err := os.Stat(filepath.Join(b.Dir, "sub/judged")); err == nil {
		t.Error("what a check wrote was delivered")
	}
}

// Who takes a run up looks through its copy only where nobody noted what that
// holds: an attempt that was cut off is undone all the same.
func TestTheCopyIsNotScannedAgain(t *testing.T) {
	overlaid(t)
	for name, c := range map[string]struct {
		between func(t *testing.T, runDir string)
		looks   bool
	}{
		"noted":     {func(*testing.T, string) {}, false},
		"not noted": {func(t *testing.T, dir string) { must(t, os.Truncate(filepath.Join(dir, "clone-holds"), 0)) }, true},
		"noted otherwise": {func(t *testing.T, dir string) {
			must(t, os.WriteFile(filepath.Join(dir, "clone-holds"), []byte("sha256:"+strings.Repeat("0", 73)), 0o600))
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			text := running("[sandbox]\nlayer = \"overlay\"\n", "echo 1 >one", "echo 2 >>one; test ! -e half; echo half >half",
				"cat one half >three")
			b := byShell(t, text, many())
			settled(t, b.Dir)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			count, looks := func() int { return 0 }, 0
			b.Controller.Executors[""] = counting{&shell.Executor{}, func(w exec.Work) {
				switch {
				case w.Step.Address == "2.1" && w.Attempt == 1:
					_, err := (&shell.Executor{}).Execute(t.Context(), w) // it is done, and nobody gets to know
					must(t, err)
					stop()
				case w.Step.Address == "2.1":
					looks = count()
				}
			}}
			locked := b.Lock(t)
			report, err := b.Controller.Run(ctx, locked)
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err, report)
			}
			dir := exec.Workspace{Dir: b.Dir}.RunDir(report.Run.Started.Run)
			c.between(t, dir)
			count = openings(t, filepath.Join(dir, "clone/many"))
			report, err = b.Controller.Resume(t.Context(), locked, "")
			(&exectest.Result{Report: report, Err: err, Dir: b.Dir}).Want(t, history.Partial)
			if got := looks > 0; got != c.looks {
				t.Errorf("the folder was looked at %d times", looks)
			}
			if got := contents(t, b.Dir, "three"); got != "1\n2\nhalf\n" {
				t.Errorf("three holds %q\n%s", got, report)
			}
		})
	}
}

// counting is an executor of commands that is told of each attempt.
type counting struct {
	*shell.Executor
	before func(exec.Work)
}

func (c counting) Execute(ctx context.Context, w exec.Work) (exec.Outcome, error) {
	c.before(w)
	return c.Executor.Execute(ctx, w)
}

// Lanes of commands are layers on one clone: they run at once, and all that they
// did is joined.
func TestLanesOfCommands(t *testing.T) {
	overlaid(t)
	pipes := t.TempDir()
	one, two := filepath.Join(pipes, "one"), filepath.Join(pipes, "two")
	must(t, errors.Join(syscall.Mkfifo(one, 0o600), syscall.Mkfifo(two, 0o600)))
	text := running("[sandbox]\nlayer = \"overlay\"\nlevel = \"none\"\n[execution]\njobs = 2\n",
		fmt.Sprintf("echo 1 >one && mkdir shared && echo 1 >shared/one && echo >%s && cat %s", one, two),
		fmt.Sprintf("echo 2 >two && mkdir shared && echo 2 >shared/two && cat %s && echo >%s", one, two)) + inSpeclets(2)
	text = strings.ReplaceAll(text, "description = \"Step\"\n", "description = \"Step\"\naccess = { writes = [\"nothing\"] }\n")
	b := byShell(t, disjoint(text), nil)
	r := b.Run(t)
	r.Want(t, history.Partial)
	if len(r.Run.Groups) != 1 {
		t.Errorf("groups: %v", r.Run.Groups)
	}
	held := held(t, b.Dir)
	if _, ok := held["shared/one"]; !ok || held["shared/two"] == "" || held["one"] == "" || held["two"] == "" {
		t.Errorf("the workspace holds %v", held)
	}
}

// disjoint has the first step of a plan write what begins with o, and the second
// what begins with t, both in a folder that they share.
func disjoint(text string) string {
	text = strings.Replace(text, "\"nothing\"", "\"one\", \"shared/one\"", 1)
	return strings.Replace(text, "\"nothing\"", "\"two\", \"shared/two\"", 1)
}

// An ordinary user cannot rename folders in an overlay: the attempt is repeated
// in the copy, within the same attempt, and nothing of the first time remains.
func TestOverlayRepeatsRenames(t *testing.T) {
	const asNobody = "PLANLOCK_TEST_AS_NOBODY"
	if os.Geteuid() == 0 && os.Getenv(asNobody) == "" {
		dir, err := os.MkdirTemp("", "overlay-user-")
		must(t, err)
		defer os.RemoveAll(dir)
		program, err := os.ReadFile("/proc/self/exe")
		must(t, err)
		must(t, errors.Join(os.WriteFile(filepath.Join(dir, "exec.test"), program, 0o755), os.Chmod(dir, 0o777)))
		cmd := osexec.CommandContext(t.Context(), filepath.Join(dir, "exec.test"), "-test.run=^TestOverlayRepeatsRenames$", "-test.v")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), asNobody+"=1", "TMPDIR="+dir, "HOME="+dir)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		} else {
			t.Logf("%s", out)
		}
		return
	}
	overlaid(t)
	if _, err := osexec.LookPath("perl"); err != nil {
		t.Skip("needs a program that renames folders and does not copy them: ", err)
	}
	const rename = `echo x >>log && perl -e 'rename("dir", "moved") or die "$!\n"'`
	b := byShell(t, running("", rename), exectest.Files{"dir/one": "1\n"})
	r := b.Run(t)
	r.Want(t, history.Partial)
	s := r.Run.Step("1.1")
	if len(s.Attempts) != 1 {
		t.Errorf("%d attempts", len(s.Attempts))
	}
	text, err := os.ReadFile(filepath.Join(b.Dir, "log"))
	if held := held(t, b.Dir); err != nil || string(text) != "x\n" || held["moved/one"] == "" || held["dir"] != "" {
		t.Errorf("%q, %v: %v", text, err, held)
	}
}
