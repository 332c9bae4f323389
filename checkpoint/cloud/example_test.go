package cloud_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/checkpoint/cloud"
	"github.com/planlock/planlock/checkpoint/filelog"
	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan/native"
)

// A host keeps contents in a bucket, and journals in a folder of its own. Instead
// of mem:// it says s3://bucket?region=eu-central-1&prefix=planlock/.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	blobs, err := cloud.Open(ctx, "mem://", cloud.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer blobs.Close()

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
		Blobs:     blobs,
		Runs:      filelog.Runs{Dir: filepath.Join(dir, "runs")},
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
