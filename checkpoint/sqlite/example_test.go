package sqlite_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/checkpoint/sqlite"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan/native"
)

// A host keeps what a run needs in one file, which lies elsewhere than the
// workspace.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	store, err := sqlite.Open(ctx, filepath.Join(dir, "host.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()

	workspace := filepath.Join(dir, "workspace")
	if err := os.Mkdir(workspace, 0o755); err != nil {
		log.Fatal(err)
	}
	draft, err := native.ReadFile("../../examples/embedded/plan.toml")
	if err != nil {
		log.Fatal(err)
	}
	c := exec.Controller{
		Dir:       workspace,
		Executors: exec.Default(&shell.Executor{}),
		Gates:     builtin.Gates(),
		Blobs:     store.Blobs(),
		Runs:      store.Runs(),
	}
	locked, err := c.Lock(ctx, draft)
	if err != nil {
		log.Fatal(err)
	}
	report, err := c.Run(ctx, locked)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Status())
	// Output: ACHIEVED
}
