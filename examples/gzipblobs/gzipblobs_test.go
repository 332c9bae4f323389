package gzipblobs_test

import (
	"testing"

	"github.com/planlock/planlock/checkpoint"
	"github.com/planlock/planlock/checkpoint/checkpointtest"
	"github.com/planlock/planlock/examples/gzipblobs"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// TestRules is all that a store of one's own needs as a test.
func TestRules(t *testing.T) {
	dir := t.TempDir()
	checkpointtest.RunBlobs(t, func() (checkpoint.Blobs, error) { return &gzipblobs.Blobs{Dir: dir}, nil })
}

// TestRun runs a plan on it, with a failure, so that a tree is restored from
// it.
func TestRun(t *testing.T) {
	script := exectest.Script{
		"1.1": exectest.Write("greeting.txt", "Hello\n"),
		"1.2": exectest.All(exectest.Write("greeting.txt", "Hello reader\n"), exectest.Write("junk", "j")),
	}
	bench := exectest.New(t, "../embedded/plan.toml", exectest.Files{"notes/mine": "n\n"}, script)
	bench.Controller.Blobs = &gzipblobs.Blobs{Dir: t.TempDir()}
	run := bench.Run(t)
	run.Want(t, history.NotAchieved)
	if got := run.Read(t, "greeting.txt"); got != "Hello\n" {
		t.Errorf("greeting.txt holds %q, want what the checkpoint held", got)
	}
}
