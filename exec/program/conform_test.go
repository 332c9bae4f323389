package program_test

import (
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
)

// TestConforms: the executor keeps what executors promise.
func TestConforms(t *testing.T) {
	exectest.RunExecutor(t, script(t, good), func() exec.Work { return work(t) })
}
