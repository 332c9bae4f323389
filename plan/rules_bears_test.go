package plan_test

import (
	"slices"
	"testing"

	"github.com/planlock/planlock/plan"
)

// What is declared to be borne by a file is refused where no run could keep it.
func TestWhatFilesBear(t *testing.T) {
	const create = "artifacts = { create = [\"bin/ping\", \"lib/**\"], delete = [\"old\"], bears = ["
	for name, tt := range map[string]struct {
		bears string
		wrong bool
	}{
		"a file":           {`{ path = "bin/ping", setuid = true }`, false},
		"of a glob":        {`{ path = "lib/a/b", owner = 0 }`, false},
		"a folder":         {`{ path = "bin", setgid = true }`, false},
		"two files":        {`{ path = "bin/ping", owner = 0 }, { path = "lib/a", attributes = ["user.x"] }`, false},
		"no path":          {`{ setuid = true }`, true},
		"a glob":           {`{ path = "lib/**", owner = 0 }`, true},
		"another file":     {`{ path = "bin/pong", owner = 0 }`, true},
		"one that goes":    {`{ path = "old", owner = 0 }`, true},
		"twice":            {`{ path = "bin/ping", owner = 0 }, { path = "bin/ping", setuid = true }`, true},
		"nothing":          {`{ path = "bin/ping" }`, true},
		"no bit after all": {`{ path = "bin/ping", setuid = false }`, true},
	} {
		t.Run(name, func(t *testing.T) {
			text := twoTasks("", create+tt.bears+"] }", "", "artifacts = {}")
			if got := slices.Contains(codesOf(mustRead(t, text).Check(plan.CheckOptions{})), "bears-misplaced"); got != tt.wrong {
				t.Errorf("refused: %t, want %t", got, tt.wrong)
			}
		})
	}
}
