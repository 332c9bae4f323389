package process_test

import (
	"errors"
	"net"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/internal/process/environ"
	"github.com/planlock/planlock/plan"
)

// confined is a runner at a level in a new workspace, with a folder outside; it
// skips where the level is not reached.
func confined(t *testing.T, level process.Level) (r *process.Runner, outside string) {
	t.Helper()
	unix(t)
	box := process.Sandbox{Level: level, Writable: []string{}}
	if _, err := process.Reach(box); err != nil {
		t.Skip(err)
	}
	return &process.Runner{Dir: t.TempDir(), Sandbox: box}, t.TempDir()
}

// status runs a script and is its exit status.
func status(t *testing.T, r *process.Runner, script string, env ...string) int {
	t.Helper()
	result, err := r.Run(t.Context(), gate.Command{Run: script, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	if result.Exit != 0 {
		t.Logf("%s: exit %d: %s", script, result.Exit, result.Output)
	}
	return result.Exit
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFilesystemLevelConfinesWrites(t *testing.T) {
	for _, level := range []process.Level{process.Filesystem, process.Strict} {
		t.Run(string(level), func(t *testing.T) {
			r, outside := confined(t, level)
			write(t, filepath.Join(outside, "old"), "old")
			allowed := []string{
				"echo x >new && mkdir -p a/b && mv new a/b/ && ln -s x a/link && mkfifo f && rm -r a f",
				"echo x >/dev/null",
			}
			for _, script := range allowed {
				if status(t, r, script) != 0 {
					t.Errorf("refused in the workspace: %s", script)
				}
			}
			for _, script := range []string{
				"echo x >$OUT/new", "echo x >>$OUT/old", "rm $OUT/old", "mv $OUT/old here", "mkdir $OUT/d", "ln -s x $OUT/link",
				"mkfifo $OUT/f", "ln $OUT/old here", "ln -s $OUT out; echo x >out/new", "truncate -s 0 $OUT/old",
			} {
				if status(t, r, script, "OUT="+outside) == 0 {
					t.Errorf("let through: %s", script)
				}
			}
			content, err := os.ReadFile(filepath.Join(outside, "old"))
			if entries, _ := os.ReadDir(outside); len(entries) != 1 || string(content) != "old" || err != nil {
				t.Errorf("outside was changed: %v %q %v", entries, content, err)
			}
			write(t, filepath.Join(outside, "free"), "this process is as free as before")
		})
	}
}

func TestWritableFoldersAndWriteSets(t *testing.T) {
	r, outside := confined(t, process.Filesystem)
	r.Sandbox.Writable = []string{outside}
	if status(t, r, "echo x >$OUT/new", "OUT="+outside) != 0 {
		t.Error("a writable folder is not")
	}
	write(t, filepath.Join(r.Dir, "a", "old"), "old")
	write(t, filepath.Join(r.Dir, "b", "old"), "old")
	tests := []struct {
		writes  []string
		a, b    bool // may write below a, b
		atStart bool // may write in the workspace itself
	}{
		{nil, true, true, true},
		{[]string{}, false, false, false},
		{[]string{"a/old"}, true, false, false},
		{[]string{"a/**/*.go"}, true, false, false},
		{[]string{"a/new/folder/file"}, true, false, false},
		{[]string{"a/old", "b/x*"}, true, true, false},
		{[]string{"top"}, true, true, true},
		{[]string{"../../x"}, true, true, true}, // leads to the workspace and no further
	}
	for _, test := range tests {
		t.Run(strings.Join(test.writes, " "), func(t *testing.T) {
			r.Sandbox.Writes = test.writes
			got := []bool{status(t, r, "echo x >a/old") == 0, status(t, r, "echo x >b/old") == 0, status(t, r, "echo x >top") == 0}
			if diff := cmp.Diff([]bool{test.a, test.b, test.atStart}, got); diff != "" {
				t.Errorf("writes to a, b and the workspace (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRepositoryIsReadOnly(t *testing.T) {
	r, _ := confined(t, process.Filesystem)
	if reached, _ := process.Reach(r.Sandbox); !reached.Protected {
		t.Skip(reached.Reasons)
	}
	r.Sandbox.Protect = []string{"plan.toml"}
	for _, name := range []string{".git/HEAD", ".planlock/journal", "plan.toml", "file"} {
		write(t, filepath.Join(r.Dir, name), "old")
	}
	for _, script := range []string{
		"echo x >.git/HEAD", "rm .git/HEAD", "mv .git g", "echo x >.planlock/new", "echo x >>.planlock/journal", "echo x >plan.toml",
		"rm plan.toml", "umount .git", "mount -o remount,rw .git && echo x >.git/HEAD", "rm -rf .planlock",
	} {
		if status(t, r, script) == 0 {
			t.Errorf("let through: %s", script)
		}
	}
	if status(t, r, "cat .git/HEAD && echo x >file") != 0 {
		t.Error("reading and other writing are refused")
	}
	for _, name := range []string{".git/HEAD", ".planlock/journal", "plan.toml"} {
		if content, err := os.ReadFile(filepath.Join(r.Dir, name)); string(content) != "old" {
			t.Errorf("%s holds %q, %v", name, content, err)
		}
		write(t, filepath.Join(r.Dir, name), "this process may write it")
	}
}

func TestNoNetwork(t *testing.T) {
	unix(t)
	needs(t, "bash")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	dial := gate.Command{Args: []string{"bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/$PORT"},
		Env: []string{"PORT=" + port}}
	r := &process.Runner{Dir: t.TempDir(), Sandbox: process.Sandbox{Level: process.Process}}
	if result, err := r.Run(t.Context(), dial); err != nil || result.Exit != 0 {
		t.Fatalf("with network: %+v, %v", result, err)
	}
	r.Sandbox.NoNetwork = true
	if _, err := process.Reach(r.Sandbox); err != nil {
		t.Skip(err)
	}
	if result, err := r.Run(t.Context(), dial); err != nil || result.Exit == 0 {
		t.Errorf("without network: %+v, %v", result, err)
	}
}

// TestToolsWorkAtEveryLevel runs what steps are made of: the Go tool, with its
// tests and its loopback device, and git.
func TestToolsWorkAtEveryLevel(t *testing.T) {
	if testing.Short() {
		t.Skip("builds")
	}
	needs(t, "go")
	needs(t, "git")
	cache, err := osexec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Skip(err)
	}
	eachLevel(t, func(t *testing.T, r *process.Runner) {
		r.Sandbox.Writable = []string{t.TempDir(), strings.TrimSpace(string(cache))}
		write(t, filepath.Join(r.Dir, "go.mod"), "module example.com/x\n\ngo 1.25\n")
		write(t, filepath.Join(r.Dir, "x.go"), "package main\n\nfunc main() { println(\"hello\") }\n")
		write(t, filepath.Join(r.Dir, "x_test.go"), `package main

import ("net"; "os"; "path/filepath"; "testing")

func TestX(t *testing.T) {
	if err := os.WriteFile(filepath.Join(t.TempDir(), "f"), nil, 0o600); err != nil { t.Fatal(err) }
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil { t.Fatal(err) }
	defer l.Close()
	if os.Getenv("DIAL") == "" { return }
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil { t.Fatal(err) }
	c.Close()
}
`)
		env := []string{"TMPDIR=" + r.Sandbox.Writable[0], "GOCACHE=" + r.Sandbox.Writable[1], "CGO_ENABLED=0", "DIAL="}
		if reached, err := process.Reach(r.Sandbox); err == nil && (!reached.NoNetwork || os.Geteuid() == 0) {
			env[3] = "DIAL=1"
		}
		if status(t, r, "go build -o x . && ./x && go test .", env...) != 0 {
			t.Error("the Go tool does not work")
		}
		if status(t, r, "git init -q . && git add . && git status --short", env...) != 0 {
			t.Error("git does not work")
		}
	})
}

func TestLimits(t *testing.T) {
	eachLevel(t, func(t *testing.T, r *process.Runner) {
		if !inTurn(r.Sandbox.Level, 0) {
			t.Skip("another time: go test -tags torture")
		}
		r.Sandbox.CPU = time.Second
		result, err := r.Run(t.Context(), gate.Command{Run: "while :; do :; done"})
		if got := result.Exit; got != 128+9 && got != 128+24 || runtime.GOOS != "windows" && !errors.Is(err, process.ErrExhausted) {
			t.Errorf("a busy loop ended with %d, %v", got, err)
		}
		r.Sandbox.CPU, r.Sandbox.Memory = 0, 64<<20
		if runtime.GOOS == "linux" {
			reached, err := process.Reach(r.Sandbox)
			if err != nil {
				t.Fatal(err)
			}
			result, err := r.Run(t.Context(), gate.Command{Run: "head -c 200000000 /dev/zero | tail -c 150000000 >/dev/null"})
			if result.Exit == 0 {
				t.Errorf("a memory hog was let through: %v", err)
			}
			if grouped := reached.Memory == "control group"; errors.Is(err, process.ErrOutOfMemory) != grouped {
				t.Errorf("memory by %s: error %v", reached.Memory, err)
			}
		}
		if status(t, r, "echo small") != 0 {
			t.Error("a small command was not let through")
		}
	})
}

func TestReachRefusesWhatIsNotThere(t *testing.T) {
	for _, level := range []process.Level{process.Default, process.None, process.Process} {
		reached, err := process.Reach(process.Sandbox{Level: level})
		if err != nil || reached.Level == process.Default || level != process.Default && reached.Level != level {
			t.Errorf("level %q: %v, %v", level, reached, err)
		}
	}
	for _, level := range []process.Level{process.Filesystem, process.Strict} {
		reached, err := process.Reach(process.Sandbox{Level: level})
		var refused *process.LevelError
		if err == nil && reached.Level != level || err != nil &&
			(!errors.As(err, &refused) || len(refused.Reasons) == 0) {
			t.Errorf("level %q: %v, %v", level, reached, err)
		}
		t.Logf("%v %q %v", reached, reached.Reasons, err)
	}
}

func TestFromPlan(t *testing.T) {
	no := false
	got, output, err := process.FromPlan(plan.Sandbox{Level: "strict", Network: &no, CPU: "90s", Memory: "2GiB",
		Output: "512 kB", Writable: []string{"/x"}})
	want := process.Sandbox{Level: process.Strict, NoNetwork: true, CPU: 90 * time.Second, Memory: 2 << 30,
		Writable: []string{"/x"}}
	if diff := cmp.Diff(want, got); diff != "" || output != 512000 || err != nil {
		t.Errorf("output %d, error %v (-want +got):\n%s", output, err, diff)
	}
	for _, bad := range []plan.Sandbox{
		{Level: "high"}, {CPU: "90"}, {CPU: "-1s"}, {Memory: "much"}, {Memory: "-1"}, {Memory: "NaN"}, {Output: "1e300 TB"}, {Output: "0"},
	} {
		if got, _, err := process.FromPlan(bad); err == nil {
			t.Errorf("%+v was taken for %+v", bad, got)
		}
	}
}

// TestPlantedEnvironment plants variables that make programs load, run or trust
// something else, and asks for them by name.
func TestPlantedEnvironment(t *testing.T) {
	unix(t)
	planted := []string{
		"LD_PRELOAD", "LD_AUDIT", "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "PS4", "BASH_FUNC_ls%%",
		"DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH", "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EXEC_PATH", "GIT_SSH_COMMAND",
		"GIT_ASKPASS", "GIT_EDITOR", "GIT_PAGER", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0",
		"GIT_CONFIG_VALUE_0", "GIT_CONFIG_PARAMETERS", "GIT_TEMPLATE_DIR", "GIT_TRACE", "PLANLOCK_TREE",
	}
	for _, name := range planted {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, "/planted/value")
			r := &process.Runner{Dir: t.TempDir(), Env: environ.For([]string{name}),
				Sandbox: process.Sandbox{Level: process.Process}}
			result, err := r.Run(t.Context(), gate.Command{Args: []string{"env"}})
			if err != nil || result.Exit != 0 || strings.Contains(result.Stdout, "/planted/value") {
				t.Errorf("error %v: %s", err, result.Output)
			}
		})
	}
	t.Run("PATH into the workspace", func(t *testing.T) {
		r := &process.Runner{Dir: t.TempDir(), Sandbox: process.Sandbox{Level: process.Process}}
		write(t, filepath.Join(r.Dir, "env"), "#!/bin/sh\necho planted\n")
		if err := os.Chmod(filepath.Join(r.Dir, "env"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", ".:"+os.Getenv("PATH"))
		r.Env = environ.For(nil)
		if result, err := r.Run(t.Context(), gate.Command{Args: []string{"env"}}); err != nil ||
			strings.Contains(result.Stdout, "planted\n") {
			t.Errorf("error %v: %s", err, result.Output)
		}
	})
}
