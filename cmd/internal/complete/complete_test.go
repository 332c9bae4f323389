package complete

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/planlock/planlock/cmd/internal/usage"
)

// TestDraw has every shell that is here read its script.
func TestDraw(t *testing.T) {
	commands := []usage.Command{
		{Name: "run", Does: "runs a plan; it's locked first", First: "path", Flags: []usage.Flag{
			{Name: "dir", Help: "the workspace [or .]: here", Placeholder: "FOLDER"},
			{Name: "from", Help: "another run", Placeholder: "RUN"},
			{Name: "mode", Help: "who's asked", Placeholder: "MODE", Values: []string{"silent", "dynamic"}},
			{Name: "jobs", Help: "how many", Placeholder: "N"},
			{Name: "output", Short: "o", Help: "write to a file"}}},
		{Name: "status", Does: "where it stands", First: "run"},
		{Name: "new", Does: "a plan", First: "word", Words: []string{"shell", "go"}},
	}
	for _, shell := range Shells() {
		var script strings.Builder
		if err := Draw(&script, shell, commands); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"run", "status", "dir", "silent", "shell", "go"} {
			if !strings.Contains(script.String(), want) {
				t.Errorf("the script of %s does not have %q", shell, want)
			}
		}
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		check := exec.CommandContext(t.Context(), path, "-n")
		check.Stdin = strings.NewReader(script.String())
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s does not read its script: %v\n%s", shell, err, out)
		}
	}
	if err := Draw(&strings.Builder{}, "tcsh", nil); err == nil {
		t.Error("a shell without a script has one")
	}
}
