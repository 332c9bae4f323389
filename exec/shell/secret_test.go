package shell_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/document/html"
	"github.com/planlock/planlock/exec/event"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

const leaky = `schema = 1
non_goals = []
invariants = []

[goal]
description = "Deploy"

[sandbox]
level = "none"
env = ["DEPLOY_TOKEN"]

[[requirements]]
id = "R1"
text = "It is deployed"

[[tasks]]
id = 1
description = "Deploy"

[[tasks.steps]]
id = 1
description = "Deploy with a token"
run = %q
requirements = ["R1"]
rollback = "reversible"
on_failure = "retry"
max_retries = 1
semantic_change = "extending"
artifacts = { create = ["deployed"] }
limits = { max_files = 1, max_lines = 1 }
postconditions = [{ kind = "command", run = "env; sh -xc 'true '$DEPLOY_TOKEN; grep -q yes deployed" }]
`

// TestSecretsAreNotKept is a step whose command and check print what the plan
// lets through to them, as a variable, as an argument and in an error: nothing
// that is kept or shown has the value, wherever the step succeeds or fails.
func TestSecretsAreNotKept(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands of this test are those of Unix")
	}
	const value = "s3cr3t-v4lue-of-the-test"
	t.Setenv("DEPLOY_TOKEN", value)
	for name, run := range map[string]string{
		"succeeds": "env; sh -xc 'echo '$DEPLOY_TOKEN; echo yes >deployed",
		"fails":    "env; echo cannot log in with $DEPLOY_TOKEN >&2; exit 3",
		"leaves":   "env; echo $DEPLOY_TOKEN >undeclared; exit 3",
	} {
		t.Run(name, func(t *testing.T) {
			draft, err := native.Read("plan.toml", fmt.Appendf(nil, leaky, run))
			if err != nil {
				t.Fatal(err)
			}
			locked, err := plan.Lock(draft, plan.LockOptions{Acknowledged: []string{plan.LevelCode}})
			if err != nil {
				t.Fatal(err)
			}
			var mu sync.Mutex
			var heard bytes.Buffer
			c := exec.Controller{Dir: t.TempDir(), Gates: builtin.Gates(), Executors: exec.Default(&shell.Executor{})}
			c.Observe = func(_ context.Context, e event.Event) {
				mu.Lock()
				defer mu.Unlock()
				heard.Write(e.Output)
			}
			report, err := c.Run(t.Context(), locked)
			if (err == nil) != (name == "succeeds") {
				t.Fatalf("%v\n%v", err, report)
			}
			shown := fmt.Sprint(report, err) + heard.String()
			for _, text := range exectest.Documents(t, report, append(document.All(), html.Page())) {
				shown += text
			}
			facts, err := json.Marshal(report.Run)
			if err != nil {
				t.Fatal(err)
			}
			if shown += string(facts); strings.Contains(shown, value) {
				at := strings.Index(shown, value)
				t.Errorf("the secret is shown: …%s…", shown[max(0, at-200):at])
			}
			if !strings.Contains(heard.String(), "[DEPLOY_TOKEN]") {
				t.Errorf("the output does not say what was left out: %q", heard.String())
			}
			err = filepath.WalkDir(filepath.Join(c.Dir, ".planlock"),
				func(path string, d fs.DirEntry, err error) error {
					if err != nil || d.IsDir() {
						return err
					}
					content, err := os.ReadFile(path)
					if name != "leaves" && bytes.Contains(content, []byte(value)) {
						t.Errorf("%s holds the secret", path)
					}
					return err
				})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
