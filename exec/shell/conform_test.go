package shell_test

import (
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/internal/method"
	"github.com/planlock/planlock/exec/shell"
)

// TestConforms: the executor keeps what executors promise.
func TestConforms(t *testing.T) {
	fresh := func() exec.Work { return work(t, method.Method{ID: "primary", Run: "echo done"}) }
	fresh() // skips the test where there is no such shell
	exectest.RunExecutor(t, &shell.Executor{}, fresh)
}
