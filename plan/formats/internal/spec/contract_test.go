package spec

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// everyKey is a plan that is read as a native one, behind its schema, and as the
// parameters of a SPEC.
const everyKey = `profile = "observe"
[goal]
description = "Answer what is asked"
[[requirements]]
id = "R1"
text = "An answer"
[[assumptions]]
id = "A1"
text = "There is a question"
[[invariants]]
id = "I1"
text = "The question stays"
check = { kind = "file_exists", path = "question.txt" }
[[non_goals]]
id = "N1"
text = "Leave the question alone"
paths = ["question.txt"]
[[gates]]
name = "syntax"
[ledger]
ignore = ["*.log"]
[envelope]
tools = ["go"]
[sandbox]
memory = "1GiB"
[completion_criteria]
checks = [{ kind = "command", run = "sh test.sh", stdout_contains = "ok" }]
[components]
reader = "reads"
[constraints]
short = "one line"
[defaults]
limits = { max_files = 2 }
rollback = "reversible"
max_retries = 1
on_failure = "retry"
[[tasks]]
id = 1
title = "Answer"
kind = "checkpoint:decision"
priority = "high"
wave = 2
estimate = "1h"
complexity = 3
  [[tasks.steps]]
  id = 1
  description = "Write the answer"
  run = "echo 42 > answer.txt"
  expected_output = "An answer"
  executor = "shell"
  expect = { exit = 0, stdout_contains = "done" }
  mode = "silent"
  critical_flag = true
  timeout = "20s"
  max_retries = 2
  on_failure = "retry"
  rollback = "compensatable"
  compensate = "rm answer.txt"
  semantic_change = "extending"
  deterministic = false
  requirements = ["R1"]
  components = ["reader"]
  constraints = ["short"]
  tdd = true
  artifacts = { create = ["answer.txt"], symbols_add = [] }
  limits = { max_files = 1, max_lines = 10, modules = ["."] }
  access = { reads = ["question.txt"], writes = ["answer.txt"] }
  adjustable = ["seed"]
  preconditions = [{ kind = "file_exists", path = "question.txt" }]
  postconditions = [{ kind = "file_contains", path = "answer.txt", text = "42" }]
  evidence = ["answer.txt"]
  test_intent = { behavior = "there is an answer", test = "sh test.sh", fixed_by = "1.2" }
    [[tasks.steps.backups]]
    id = 1
    description = "Ask"
    run = "ask > answer.txt"
    executor = "shell"
    trigger_condition = "primary_failure"
  [[tasks.steps]]
  id = 2
  description = "Make it right"
  supersedes = ["1.1"]
  prompt = "Think, and correct it"
  [[tasks.steps]]
  id = 3
  description = "Tell it"
  expected_output = "It is told"
  mode = "silent"
  critical_flag = false
  tool = "post.send"
  tool_args = { to = "whoever asked" }
`

// Every key of a native step means in the parameters of a SPEC what it means in
// a native plan, and so do the tables that native plans have.
func TestKeysOfNativePlans(t *testing.T) {
	for _, name := range plan.Names(new(plan.Step).Visit) {
		if !strings.Contains(everyKey, "  "+name+" = ") && name != "prompt" && name != "backups" {
			t.Errorf("the plan of this test does not have the key %s", name)
		}
	}
	theirs, err := native.Read("plan.toml", []byte("schema = 1\n"+everyKey))
	if err != nil {
		t.Fatal(err)
	}
	ours, err := Read("parameters_answer.toml", []byte(everyKey))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range slices.Concat(theirs.Found, ours.Found) {
		if d.Code == "key-idle" || d.Code == "value-unfit" || d.Pos.File == "plan.toml" {
			t.Error(d)
		}
	}
	theirs.Plan.Meta.Name = "answer" // by the name of the file
	theirs.Plan.Execution.Extra = []plan.Setting{{Key: "preset", Value: plan.Value{Kind: "string", Text: "spec"}}}
	if diff := cmp.Diff(theirs.Plan, ours.Plan); diff != "" {
		t.Errorf("(-native +SPEC):\n%s", diff)
	}
	if at := ours.Position("tasks[0].steps[0].postconditions[0].text"); !strings.Contains(ours.Line(at), "postconditions") {
		t.Errorf("the postconditions stand at %v: %q", at, ours.Line(at))
	}
}

// What nothing acts on is told, once for each key, and kept.
func TestIdleKeys(t *testing.T) {
	d, err := Read("parameters_idle.toml", []byte(`wishes = true
[goal]
description = "Say what does nothing"
measurable = true
[[tasks]]
id = 1
description = "One"
complexity = "high"
  [[tasks.steps]]
  id = 1
  description = "One"
  colour = "red"
  artifacts = { creates = ["a"] }
  timeout = "soon"
  [[tasks.steps]]
  id = 2
  description = "Two"
  colour = "blue"
    [[tasks.steps.backups]]
    id = 1
    description = "Other"
    prio = 1
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range d.Found {
		if f.Code == "key-idle" || f.Code == "value-unfit" {
			got = append(got, f.String())
		}
	}
	want := []string{
		`parameters_idle.toml:1:1: warning: nothing acts on wishes in the parameters: the key "wishes" is not known here [key-idle]`,
		`parameters_idle.toml:4:1: warning: nothing acts on measurable in [goal]: the key "measurable" is not known here [key-idle]`,
		`parameters_idle.toml:8:1: warning: nothing acts on complexity in [[tasks]]: complexity is text, not an integer [key-idle]`,
		`parameters_idle.toml:12:3: warning: nothing acts on colour in [[tasks.steps]], 2 times: the key "colour" is not known here [key-idle]`,
		`parameters_idle.toml:13:17: error: the key "creates" is not known here [value-unfit]`,
		`parameters_idle.toml:14:13: error: timeout = "soon" is not a duration [value-unfit]`,
		`parameters_idle.toml:22:5: warning: nothing acts on prio in [[tasks.steps.backups]]: the key "prio" is not known here [key-idle]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	kept := map[string]bool{}
	for _, s := range d.Plan.Settings {
		kept[s.Key] = true
	}
	for _, key := range []string{"metadata.wishes", "metadata.goal.measurable", "metadata.tasks.1.complexity",
		"metadata.tasks.1.steps.1.colour"} {
		if !kept[key] {
			t.Errorf("%s is not kept: %v", key, kept)
		}
	}
}

// What the parameters say with the keys of native plans is held to their rules;
// what they leave out is not.
func TestRulesOfNativePlans(t *testing.T) {
	text := strings.ReplaceAll(everyKey, `profile = "observe"`, "version = \"1\"\n[verification]\ncheck_expected_outputs = true")
	text = strings.ReplaceAll(text, `{ kind = "file_exists", path = "question.txt" }`, `{ kind = "file_exist", path = "question.txt" }`)
	text = strings.ReplaceAll(text, `requirements = ["R1"]`, `requirements = ["R2"]`)
	text = strings.ReplaceAll(text, `memory = "1GiB"`, `memory = "much"`)
	text = strings.ReplaceAll(text, `fixed_by = "1.2"`, `fixed_by = "1.9"`)
	markdown := "## Goal\nAnswer what is asked\n\n### Task [1]: Answer\n- **Step [1]:** Write the answer\n" +
		"  - **Backup [1]:** Ask\n- **Step [2]:** Make it right\n- **Step [3]:** Tell it\n"
	d, err := ReadPair(plan.Text{Path: "spec_answer.md", Text: []byte(markdown)},
		plan.Text{Path: "parameters_answer.toml", Text: []byte(strings.ReplaceAll(text, "Make it right\"", "Make it right\"\n  critical_flag = false"))})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, f := range d.Check(plan.CheckOptions{}) {
		if got[f.Code] = f.Pos.Line; f.Pos.File != "parameters_answer.toml" {
			delete(got, f.Code)
		}
	}
	for _, code := range []string{"check-kind-unknown", "requirement-unknown", "sandbox-value", "fixed-by-unknown", "key-idle"} {
		if got[code] < 2 {
			t.Errorf("%s is not told with its place: %v", code, got)
		}
	}
	for _, code := range []string{"rollback-missing", "limits-missing", "artifacts-missing"} {
		if got[code] != 0 {
			t.Errorf("%s is told of what the pair does not say", code)
		}
	}
}
