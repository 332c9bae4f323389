package shell_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A bench is where planlock runs as a user.
type bench struct {
	dir, binary string
	user        *syscall.Credential // nil: as this process
}

// benches are one for this user, and as root one for a user without privileges.
func benches(t *testing.T) map[string]*bench {
	t.Helper()
	if testing.Short() {
		t.Skip("builds planlock")
	}
	binary := filepath.Join(t.TempDir(), "planlock")
	if output, err := osexec.Command("go", "build", "-o", binary,
		"github.com/planlock/planlock/cmd/planlock").CombinedOutput(); err != nil {
		t.Skipf("%v\n%s", err, output)
	}
	users := map[string]*bench{"as this user": {}}
	if os.Geteuid() == 0 {
		users["without privileges"] = &bench{user: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	for _, b := range users {
		dir, err := os.MkdirTemp("/tmp", "planlock-torture-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		b.dir, b.binary = dir, filepath.Join(dir, "planlock")
		content, err := os.ReadFile(binary)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(b.binary, content, 0o755); err != nil {
			t.Fatal(err)
		}
		b.own(t, dir)
	}
	return users
}

// own gives a path to the bench's user.
func (b *bench) own(t *testing.T, path string) {
	t.Helper()
	if b.user == nil {
		return
	}
	if err := os.Chown(path, int(b.user.Uid), int(b.user.Gid)); err != nil {
		t.Fatal(err)
	}
}

const tortured = `schema = 1
non_goals = []
invariants = []

[goal]
description = "Survive"

[sandbox]
level = %q
env = ["PLANLOCK_TEST_MARK"]
writable = ["~/begun"]

[[requirements]]
id = "R1"
text = "It ends"

[[tasks]]
id = 1
description = "Torture"

[[tasks.steps]]
id = 1
description = "Torture the controller"
run = %q
requirements = ["R1"]
rollback = "reversible"
on_failure = "block"
semantic_change = "extending"
artifacts = { create = ["survived"] }
limits = { max_files = 1, max_lines = 1 }
postconditions = [{ kind = "file_contains", path = "survived", text = "yes" }]
`

// run prepares "planlock run" of a step with a script, in a workspace of its
// own.
func (b *bench) run(t *testing.T, level, script string, env ...string) *osexec.Cmd {
	t.Helper()
	dir, err := os.MkdirTemp(b.dir, "run-")
	if err != nil {
		t.Fatal(err)
	}
	workspace := filepath.Join(dir, "workspace")
	for _, path := range []string{workspace, filepath.Join(dir, "home"), filepath.Join(dir, "home", "begun"), filepath.Join(dir, "tmp")} {
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		b.own(t, path)
	}
	b.own(t, dir)
	if err := os.WriteFile(filepath.Join(workspace, "plan.toml"), fmt.Appendf(nil, tortured, level, script+"\necho yes >survived\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	cmd := osexec.Command(b.binary, "run", "plan.toml", "--ack", "sandbox:writable,sandbox:level")
	cmd.Dir = workspace
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir + "/home", "TMPDIR=" + dir + "/tmp"}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: b.user, Setpgid: true}
	return cmd
}

// TestFloodOfOutput is a step that prints 10 GB, and one that prints a line of
// 1 GB (a twentieth of that without the tag torture): the controller takes at
// most 100 MB, what it keeps is bounded, and the end of the output is there.
func TestFloodOfOutput(t *testing.T) {
	size, line := int64(200_000_000), int64(50_000_000)
	if whole {
		size, line = 10_000_000_000, 1_000_000_000
	}
	floods := []struct{ name, run string }{
		{"many lines", fmt.Sprintf("yes 'a line of some length, as programs print them' | head -c %d; echo; echo the end", size)},
		{"standard error", fmt.Sprintf("yes 'a line of some length, as programs print them' | head -c %d >&2; echo the end >&2", size)},
		{"one line", fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x; echo the end", line)},
	}
	for user, b := range benches(t) {
		for _, flood := range floods {
			t.Run(user+"/"+flood.name, func(t *testing.T) {
				cmd := b.run(t, "filesystem", flood.run)
				forgetPeak(t)
				output, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%.2000s", err, output)
				}
				usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
				if usage.Maxrss > 100_000 {
					t.Errorf("the controller took %d KiB", usage.Maxrss)
				}
				kept, found := int64(0), false
				err = filepath.WalkDir(filepath.Join(cmd.Dir, ".planlock"),
					func(path string, d fs.DirEntry, err error) error {
						if err != nil || d.IsDir() {
							return err
						}
						content, err := os.ReadFile(path)
						kept += int64(len(content))
						found = found || bytes.Contains(content, []byte("the end"))
						return err
					})
				if err != nil || kept > 8<<20 || !found {
					t.Errorf("kept %d bytes, with the end: %v; error %v", kept, found, err)
				}
				t.Logf("%d KiB of memory, %d bytes kept", usage.Maxrss, kept)
			})
		}
	}
}

// forgetPeak forgets how much memory this process had at most: the system counts
// that for the programs that it starts, too.
func forgetPeak(t *testing.T) {
	t.Helper()
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Log(err)
	}
}

// stubborn forks twice, leaves its session, ignores every polite signal, drops
// its environment where the mark says so, and never ends.
const stubborn = `trap '' TERM INT HUP QUIT
(setsid sh -c 'trap "" TERM INT HUP QUIT; (while :; do sleep 1; done) & while :; do sleep 1; done' $PLANLOCK_TEST_MARK &)
(setsid nohup sh -c 'while :; do sleep 1; done' $PLANLOCK_TEST_MARK >/dev/null 2>&1 </dev/null &)
(env -i /bin/sh -c 'trap "" TERM; while :; do sleep 1; done' $PLANLOCK_TEST_MARK &)
touch "$HOME/begun/now"
while :; do sleep 1; done`

// TestNoProcessSurvivesAnInterruptedRun interrupts runs (200 of them with the
// tag torture) by each signal at each level, and looks for what is left. A
// controller that is killed at level none cannot end anything, so that is the
// one pair that is left out.
func TestNoProcessSurvivesAnInterruptedRun(t *testing.T) {
	runs := 6
	if whole {
		runs = 200
	}
	type trial struct {
		level  string
		signal syscall.Signal
	}
	var trials []trial
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		for _, level := range []string{"filesystem", "strict", "process", "none"} {
			if level != "none" || signal != syscall.SIGKILL {
				trials = append(trials, trial{level, signal})
			}
		}
	}
	users := benches(t)
	var begun, left int
	for user, b := range users {
		t.Run(user, func(t *testing.T) {
			var group sync.WaitGroup
			turn := make(chan struct{}, 4)
			var mu sync.Mutex
			for i := range (runs + len(users) - 1) / len(users) {
				try := trials[i*5%len(trials)] // every third one is a signal of another kind
				cmd, mark := b.interrupted(t, try.level)
				turn <- struct{}{}
				group.Go(func() {
					defer func() { <-turn }()
					n, err := interrupt(cmd, mark, try.signal)
					mu.Lock()
					defer mu.Unlock()
					begun++
					left += n
					if err != nil || n > 0 {
						t.Errorf("level %s, %v: %d processes are left; %v", try.level, try.signal, n, err)
					}
				})
			}
			group.Wait()
		})
	}
	t.Logf("%d runs interrupted, %d processes left", begun, left)
}

// interrupted prepares a run of the stubborn step.
func (b *bench) interrupted(t *testing.T, level string) (cmd *osexec.Cmd, mark string) {
	mark = "mark-" + rand.Text()
	return b.run(t, level, stubborn, "PLANLOCK_TEST_MARK="+mark), mark
}

// interrupt starts a run, signals it once its step has begun, and counts the
// processes of its step that are left.
func interrupt(cmd *osexec.Cmd, mark string, signal syscall.Signal) (left int, err error) {
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer cmd.Process.Kill()
	limit := time.Now().Add(60 * time.Second)
	begun := filepath.Join(filepath.Dir(cmd.Dir), "home", "begun", "now")
	for _, err := os.Stat(begun); err != nil || len(named(mark)) < 4; _, err = os.Stat(begun) {
		if time.Now().After(limit) {
			cmd.Process.Kill()
			cmd.Wait()
			return 0, fmt.Errorf("the step never began: %s", output.String())
		}
		osexec.Command("/bin/true").Run() // lets others run
	}
	if err := cmd.Process.Signal(signal); err != nil {
		return 0, err
	}
	cmd.Wait()
	var pids []string
	for limit = time.Now().Add(10 * time.Second); ; { // after SIGKILL it is the kernel that ends them
		if pids = named(mark); len(pids) == 0 || time.Now().After(limit) {
			break
		}
		osexec.Command("/bin/true").Run()
	}
	for _, pid := range pids {
		err = errors.Join(err, fmt.Errorf("process %s", pid))
	}
	return len(pids), err
}

// named are the processes that carry mark in their environment or among their
// arguments.
func named(mark string) (pids []string) {
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, name := range names {
		environ, _ := os.ReadFile(name + "/environ")
		arguments, _ := os.ReadFile(name + "/cmdline")
		if strings.Contains(string(environ)+string(arguments), mark) {
			pids = append(pids, filepath.Base(name))
		}
	}
	return pids
}
