// The scripts in testdata/script call the command as a person or another
// program would, and hold the exit statuses and the texts that these rely on.
// Besides the commands of testscript they have:
//
//	exits STATUS COMMAND...   runs a command that must end with this status
//	start NAME COMMAND...     starts one in the background; its output goes to NAME.out and NAME.err
//	await FIFO                waits until somebody writes to a FIFO
//	release FIFO              writes to a FIFO, once somebody reads it
//	signal NAME SIGNAL        sends INT, TERM, HUP or KILL to a command in the background
//	finish NAME STATUS        waits for its end, which must have this status
//	flip FILE OFFSET          inverts a byte; a negative offset counts from the end
//	lines N                   the last standard output must have N lines
//	json PATH=VALUE...        one JSON document on the last standard output must have all these values
package cmd_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	signals "os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/planlock/planlock/cmd"
	"github.com/planlock/planlock/exec/agent/agenttest"
	"github.com/planlock/planlock/ledger/source/typescript"
)

// TestMain has the test program be the command too, under its name, for the
// scripts.
func TestMain(m *testing.M) {
	agenttest.Main() // a small agent, where it is started as one
	testscript.Main(m, map[string]func(){"planlock": func() { cmd.Main(cmd.With{}) }})
}

func TestScripts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the scripts need sh and FIFOs")
	}
	dir, files := "testdata/script", []string(nil)
	if testing.Short() { // a third of them, as another program starts for each line
		all, err := filepath.Glob(dir + "/*.txtar")
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(all); i += 3 {
			files = append(files, all[i])
		}
		dir = ""
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		Files:               files,
		UpdateScripts:       flag.Lookup("update").Value.String() == "true", // of the reference's test too
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PLANLOCK_STATE", filepath.Join(env.WorkDir, ".state"))
			env.Setenv("USER", "alice")
			checkout, err := filepath.Abs("..")
			if err != nil {
				return err
			}
			env.Setenv("CHECKOUT", checkout)
			env.Setenv("NODE_PATH", os.Getenv("NODE_PATH"))
			env.Setenv("GORACE", os.Getenv("GORACE"))
			home := filepath.Join(env.WorkDir, ".home")
			env.Setenv("HOME", home)
			if cache, err := os.UserCacheDir(); err == nil {
				env.Setenv("GOCACHE", cmp.Or(os.Getenv("GOCACHE"), filepath.Join(cache, "go-build")))
			}
			env.Values[procsKey{}] = procs{}
			env.Defer(func() { env.Values[procsKey{}].(procs).kill() })
			return os.MkdirAll(filepath.Join(home, "pipes"), 0o700) // FIFOs to steps
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Getuid() == 0, nil
			case "typescript":
				_, ok := typescript.Find()
				return ok, nil
			case "nohup": // whoever runs the tests has them outlive the terminal, and so do their children
				return signals.Ignored(syscall.SIGHUP), nil
			}
			return false, fmt.Errorf("there is no condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "start": start, "await": await, "release": release, "signal": signal,
			"finish": finish, "flip": flip, "extend": extend, "lines": lines, "json": jsonHolds,
		},
	})
}
