package exec_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// What .gitignore names when a run begins is no change of a step, unless the plan
// is strict or says itself what is accounted. It goes into the workspace with the
// work that is accepted, and nowhere with work that is not.
func TestWhatGitIgnoresIsNoChange(t *testing.T) {
	const plan = `schema = 1
profile = %q
non_goals = []
invariants = []
requirements = [{ id = "R1", text = "a says one" }]
[goal]
description = "Write a"
%s
[[tasks]]
id = 1
description = "Write a"
[[tasks.steps]]
id = 1
description = "Write a"
prompt = "Write a"
requirements = ["R1"]
rollback = "reversible"
on_failure = "block"
semantic_change = "extending"
limits = { max_files = 3, max_lines = 10 }
preconditions = []
artifacts = { create = ["a.txt"] }
postconditions = [{ kind = "file_contains", path = "a.txt", text = %q }]
`
	const left, gitignore = "web/node_modules/left/pad.js", ".gitignore"
	work, leaves := exectest.Write("a.txt", "one\n"), exectest.Write(left, "x\n")
	for name, tt := range map[string]struct {
		profile, ledger, ignore, text string
		hides                         bool // the step writes .gitignore
		want                          history.Status
	}{
		"it is named":          {"scoped", "", "node_modules/\n", "one", false, history.Achieved},
		"recorded elsewhere":   {"observe", "", "node_modules/\n", "one", false, history.Achieved},
		"nothing is named":     {"scoped", "", "*.o\n", "one", false, history.NotAchieved},
		"it is taken out":      {"scoped", "", "node_modules\n!node_modules/left/\n!node_modules\n", "one", false, history.NotAchieved},
		"the plan is strict":   {"strict", "", "node_modules/\n", "one", false, history.NotAchieved},
		"the plan says itself": {"scoped", "[ledger]\ntrack = [\"b.txt\"]\n", "node_modules/\n", "one", false, history.NotAchieved},
		"a step hides it":      {"scoped", "", "*.o\n", "one", true, history.NotAchieved},
		"the step fails":       {"scoped", "", "node_modules/\n", "two", false, history.NotAchieved},
	} {
		t.Run(name, func(t *testing.T) {
			script := exectest.All(work, leaves)
			if tt.hides {
				script = exectest.All(exectest.Write(gitignore, "node_modules/\n"), script)
			}
			run := exectest.Run(t, fmt.Sprintf(plan, tt.profile, tt.ledger, tt.text),
				exectest.Files{gitignore: tt.ignore, "b.txt": "b\n", "web/app.js": ""}, exectest.Script{"1.1": script})
			run.Want(t, tt.want)
			_, err := os.Stat(filepath.Join(run.Dir, filepath.FromSlash(left)))
			if there := err == nil; there != (tt.want == history.Achieved) {
				t.Errorf("what it left is there: %v", there)
			}
		})
	}
}
