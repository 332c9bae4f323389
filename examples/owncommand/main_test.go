package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/gatetest"
	"github.com/planlock/planlock/plan"
)

// TestMain has the test program be the command, too.
func TestMain(m *testing.M) {
	if os.Getenv("OWNCOMMAND") != "" {
		main()
	}
	os.Exit(m.Run())
}

// command calls the command, and returns its output and its status.
func command(t *testing.T, dir string, args ...string) (string, int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "OWNCOMMAND=1", "PLANLOCK_STATE="+filepath.Join(dir, ".planlock", "state"))
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), c.ProcessState.ExitCode()
}

// TestCommand runs the plan: the gate rejects the first way to do the step, as
// the plan wants it, and the step is done another way. A plan that configures the
// gate wrongly is refused before anything runs, and planlock itself, which has no
// such gate, refuses this one.
func TestCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the plan is for a shell with echo")
	}
	text, err := os.ReadFile("plan.toml")
	if err != nil {
		t.Fatal(err)
	}
	dir, name := t.TempDir(), filepath.Join(t.TempDir(), "plan.toml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(string(text))
	out, status := command(t, dir, "run", name)
	if status != 0 || !strings.Contains(out, `"TODO" must not stay in it`) || !strings.Contains(out, "1 of 1 step") {
		t.Errorf("the run ended with status %d:\n%s", status, out)
	}
	if note, err := os.ReadFile(filepath.Join(dir, "note.txt")); err != nil || string(note) != "All is well.\n" {
		t.Errorf("the note says %q, %v", note, err)
	}
	if out, status := command(t, dir, "verify"); status != 0 {
		t.Errorf("verify ended with status %d:\n%s", status, out)
	}
	write(strings.Replace(string(text), `reject = ["TODO", "FIXME"]`, `reject = 3`, 1))
	if out, status := command(t, dir, "check", name); status != 4 || !strings.Contains(out, "reject") {
		t.Errorf("a plan that configures it wrongly: status %d\n%s", status, out)
	}
}

// TestGate has the gate judge what it must, with gatetest.
func TestGate(t *testing.T) {
	reject := []plan.Setting{{Key: "reject", Value: plan.Value{Kind: "array", List: []plan.Value{{Kind: "string", Text: "TODO"}}}}}
	for name, c := range map[string]struct {
		before, after gatetest.Files
		args          []plan.Setting
		want          gate.Result
	}{
		"a word that is rejected": {nil, gatetest.Files{"a": "// TODO: this\n"}, reject, gate.Fail},
		"another word":            {nil, gatetest.Files{"a": "// done\n"}, reject, gate.Passed},
		"no word is named":        {nil, gatetest.Files{"a": "// TODO: this\n"}, nil, gate.Passed},
		"a word that is gone":     {gatetest.Files{"a": "TODO"}, gatetest.Files{}, reject, gate.Passed},
	} {
		pass := gatetest.Pass(t, c.before, c.after)
		pass.Plan.Gates = []plan.GateUse{{Name: "words", Args: c.args}}
		if j := gatetest.Judge(t.Context(), words, pass); j.Verdict == nil || j.Verdict.Result != c.want {
			t.Errorf("%s: got %+v, want %s", name, j, c.want)
		}
	}
}
