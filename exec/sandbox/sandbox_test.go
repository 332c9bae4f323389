package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/sandbox"
	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/internal/process"
	"github.com/planlock/planlock/plan"
)

// What commands write in caches and in the folder for temporary files never
// reaches the user, and what those of steps write never reaches those that
// judge.
func TestCachesArePrivate(t *testing.T) {
	reached, err := process.Reach(process.Sandbox{Level: process.Filesystem, Workspace: t.TempDir()})
	if err != nil || reached.Landlock == 0 {
		t.Skip("nothing keeps commands from writing here")
	}
	cache, temporary := t.TempDir(), t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("TMPDIR", temporary)
	commands, err := sandbox.Runner(&plan.Plan{Sandbox: plan.Sandbox{Level: "filesystem"}}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const write = `echo x >"$XDG_CACHE_HOME/planted" && echo x >"$TMPDIR/planted"`
	const look = `test -e "$XDG_CACHE_HOME/planted" && echo "there is one"`
	for _, c := range []struct {
		by   gate.CommandRunner
		run  string
		want string
	}{
		{commands, write, ""}, {commands, look, "there is one"}, {commands.Judge(), look + " || true", ""},
		{commands.Judge(), write, ""}, {commands.Judge(), look + " || true", ""},
	} {
		result, err := c.by.Run(t.Context(), gate.Command{Run: c.run})
		if err != nil || result.Exit != 0 || strings.TrimSpace(result.Output) != c.want {
			t.Errorf("%s: %+v, %v, want %q", c.run, result, err, c.want)
		}
	}
	if err := commands.Close(); err != nil {
		t.Error(err)
	}
	for _, dir := range []string{cache, temporary} {
		if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
			t.Errorf("%s holds %v, %v", filepath.Base(dir), list, err)
		}
	}
}
