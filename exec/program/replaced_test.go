package program_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

const twoSteps = `schema = 1
non_goals = []
invariants = []

[goal]
description = "Two steps by one agent"

[sandbox]
level = "none"

[[requirements]]
id = "R1"
text = "There are two files"

[[tasks]]
id = 1
description = "Write"
`

const oneOfTwo = `
[[tasks.steps]]
id = %[1]d
description = "Write file %[1]d"
prompt = "Write hello into %[1]d.txt"
requirements = ["R1"]
rollback = "reversible"
on_failure = "block"
semantic_change = "extending"
limits = { max_files = 1, max_lines = 1 }
artifacts = { create = ["%[1]d.txt"] }
postconditions = [{ kind = "file_contains", path = "%[1]d.txt", text = "hello" }]
`

// TestReplacedAgentDoesNotRun is an agent whose program becomes another one
// while its first step runs: what took its place gets no step.
func TestReplacedAgentDoesNotRun(t *testing.T) {
	for name, want := range map[string]bool{"the same": true, "another": false} {
		t.Run(name, func(t *testing.T) {
			marker := filepath.Join(t.TempDir(), "impostor ran")
			agent := script(t, "")
			path := agent.Args[1]
			text := "#!/bin/sh\nread request\ncase $request in *'\"version\"'*) echo '{\"type\":\"version\",\"name\":\"agent\",\"version\":\"1\"}'; exit;; esac\n" +
				"%s\nif test -e 1.txt; then echo hello >2.txt; else echo hello >1.txt; fi\n" + good + "\n"
			swap := ":"
			if !want {
				impostor := fmt.Sprintf(text, "touch '"+marker+"'")
				if err := os.WriteFile(path+".other", []byte(impostor), 0o755); err != nil {
					t.Fatal(err)
				}
				swap = "mv '" + path + ".other' '" + path + "'"
			}
			if err := os.WriteFile(path, fmt.Appendf(nil, text, swap), 0o755); err != nil {
				t.Fatal(err)
			}
			draft, err := native.Read("plan.toml", []byte(twoSteps+fmt.Sprintf(oneOfTwo, 1)+fmt.Sprintf(oneOfTwo, 2)))
			if err != nil {
				t.Fatal(err)
			}
			locked, err := plan.Lock(draft, plan.LockOptions{Acknowledged: []string{plan.LevelCode}})
			if err != nil {
				t.Fatal(err)
			}
			c := exec.Controller{Dir: t.TempDir(), Gates: builtin.Gates(), Executors: exec.Default(agent)}
			report, err := c.Run(t.Context(), locked)
			if done := err == nil; done != want {
				t.Errorf("done: %v, %v\n%v", done, err, report)
			}
			if !want && !strings.Contains(fmt.Sprint(report, err), "agent") {
				t.Errorf("the report does not name the agent: %v\n%v", err, report)
			}
			if _, err := os.Stat(marker); err == nil {
				// The impostor is asked for its version, to see that it is
				// another one; it must get no step.
				if _, err := os.Stat(filepath.Join(c.Dir, "2.txt")); err == nil {
					t.Error("the impostor did a step")
				}
			}
		})
	}
}
