package exec_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan/native"
)

// A run ended because the second step found no ink. Once there is some, another
// run takes over what the first one completed, and carries out the rest.
func ExampleController_RunFrom() {
	dir, err := os.MkdirTemp("", "letter")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx, ink := context.Background(), false
	c := &exec.Controller{Dir: dir, Gates: builtin.Gates(),
		Executors: exec.Default(exec.Func(func(_ context.Context, w exec.Work) (exec.Outcome, error) {
			if w.Step.Address == "1.2" && !ink {
				return exec.Outcome{}, errors.New("there is no ink")
			}
			fmt.Println("carried out:", w.Step.Address)
			name := w.Step.Artifacts.Create[0]
			return exec.Outcome{}, os.WriteFile(filepath.Join(w.Dir, name), []byte("Dear reader\n"), 0o644)
		}))}
	draft, err := native.Read("letter.toml", []byte(letter+postscript))
	if err != nil {
		fmt.Println(err)
		return
	}
	locked, err := c.Lock(ctx, draft)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := c.Run(ctx, locked)
	fmt.Println(report.Status(), err != nil)

	ink = true
	if locked, err = c.Lock(ctx, draft); err != nil { // a lock serves one run
		fmt.Println(err)
		return
	}
	finished, err := c.RunFrom(ctx, locked, report.Run.Started.Run)
	over := finished.Run.Step("1.1").Carried
	fmt.Println(finished.Status(), err, over.Run == report.Run.Started.Run, over.Basis == history.Proved)
	// Output:
	// carried out: 1.1
	// NOT_ACHIEVED true
	// carried out: 1.2
	// ACHIEVED <nil> true true
}
