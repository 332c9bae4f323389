package scripts_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	signals "os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what the commands print into the scripts")

// bin is the folder that holds the command under test.
var bin string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(built(m))
}

// built builds the command once for all scripts.
func built(m *testing.M) int {
	dir, err := os.MkdirTemp("", "planlock-scripts")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "planlock")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	build := exec.Command("go", "build", "-o", name, "github.com/planlock/planlock/cmd/planlock")
	build.Dir = "../../.." // the module that the command belongs to
	build.Env = append(os.Environ(), "GOWORK=off")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "building planlock:", err)
		return 1
	}
	bin = dir
	return m.Run()
}

func TestScripts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the scripts need sh and FIFOs")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
			env.Setenv("PLANLOCK_STATE", filepath.Join(env.WorkDir, ".state"))
			env.Setenv("USER", "alice")
			env.Values[procsKey{}] = procs{}
			env.Defer(func() { env.Values[procsKey{}].(procs).kill() })
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Getuid() == 0, nil
			case "nohup": // whoever runs the tests has them outlive the terminal, and so do their children
				return signals.Ignored(syscall.SIGHUP), nil
			}
			return false, fmt.Errorf("there is no condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "start": start, "await": await, "release": release, "signal": signal,
			"finish": finish, "flip": flip, "lines": lines, "json": jsonHolds,
		},
	})
}
