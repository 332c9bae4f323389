package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/agent"
	"github.com/planlock/planlock/exec/agent/agenttest/fake"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/gate/review"
)

// agentPlan has an agent write a file.
const agentPlan = `schema = 1
profile = "scoped"

[goal]
description = "A note about ink"

[[tasks]]
id = 1
title = "The note"
description = "A note about ink"
acceptance_criteria = ["a.txt says that ink dries"]

[[tasks.steps]]
id = 1
description = "Write a.txt"
prompt = "Write that ink dries."
critical_flag = true
on_failure = "retry"
max_retries = 2
artifacts = { create = ["a.txt"] }
`

// TestControlled: a run of the fake agents, from the lock to the report: what is
// declared is kept, a lie is told, another agent reviews, and no key
// stands in what the run leaves.
func TestControlled(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		t.Setenv("ANTHROPIC_API_KEY", key)
		t.Setenv("OPENAI_API_KEY", key)
		other := "codex"
		if name == other {
			other = "claude"
		}
		told := fake.Install(t, name,
			fake.Turn{Say: "Done with " + key}, // a lie
			fake.Turn{Write: map[string]string{"a.txt": "ink dries\n"}, Say: "Done.\nINSIGHT: ink dries"})
		fake.Install(t, other, fake.Turn{Say: strings.Replace(strings.ReplaceAll(judgement, "a.txt:1: a", "a.txt:1: ink dries"), "{", `{"digest": "{digest}", `, 1)})
		b := exectest.Around(t, agentPlan, nil, exec.Controller{
			Executors: exec.Default(worker(t, name, agent.Options{})),
			Gates:     append(builtin.Gates(), review.Work(worker(t, other, agent.Options{}).Validator())),
		})
		r := b.Run(t)
		r.Want(t, history.Achieved)
		if got := r.Read(t, "a.txt"); got != "ink dries\n" {
			t.Errorf("a.txt is %q", got)
		}
		all := told.Told()
		if len(all) != 2 || !strings.Contains(all[1].Prompt, `"a.txt"`) {
			t.Errorf("it was told %q", all[len(all)-1].Prompt)
		}
		err := filepath.WalkDir(b.Dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			if strings.Contains(string(text), key) {
				t.Errorf("the key stands in %s", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}
