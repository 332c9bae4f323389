package program_test

import (
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
)

// TestConforms: the executor keeps what executors promise.
func TestConforms(t *testing.T) {
	if err := exectest.TestExecutor(script(t, good), func() exec.Work { return work(t) }); err != nil {
		t.Error(err)
	}
}
