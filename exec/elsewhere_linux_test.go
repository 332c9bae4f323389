package exec_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
)

// TestARepositoryElsewhereIsNotWritten has a step, whose plan lets it write
// where the repository of its further work tree lies, try to write into that.
func TestARepositoryElsewhereIsNotWritten(t *testing.T) {
	if reached, err := process.Reach(process.Sandbox{}); err != nil || !reached.Mounts || reached.Landlock == 0 {
		t.Skip("this machine shows commands no mounts of their own")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	own := filepath.Join(top, "main", ".git", "worktrees", "wt")
	must(t, os.MkdirAll(own, 0o755))
	must(t, os.WriteFile(filepath.Join(own, "commondir"), []byte("../..\n"), 0o644))
	writes := func(ctx context.Context, w exec.Work) (exec.Outcome, error) {
		r, err := w.Runner.Run(ctx, gate.Command{Run: "touch " + top + "/beside && ! touch " + own + "/index && ! touch " + top + "/main/.git/config"})
		if err == nil && r.Exit != 0 {
			t.Errorf("status %d: %s", r.Exit, r.Output)
		}
		return exec.Outcome{}, err
	}
	b := exectest.New(t, steps("sandbox = { level = \"filesystem\", writable = [\""+top+"\"] }", "a"), nil,
		exectest.Script{"1.1": exectest.All(writes, exectest.Write("a", "a\n"))})
	must(t, os.WriteFile(filepath.Join(b.Dir, ".git"), []byte("gitdir: "+own+"\n"), 0o644))
	run := b.Run(t)
	run.Want(t, history.Achieved)
	if all := strings.Join(run.Report.Run.Started.Warnings, "\n"); !strings.Contains(all, "the repository of the workspace lies at ") {
		t.Errorf("the warnings are %q", all)
	}
	for _, name := range []string{filepath.Join(own, "index"), filepath.Join(top, "main", ".git", "config")} {
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}
