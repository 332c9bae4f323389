package intake_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/intake"
)

func show(d *plan.Draft) string {
	var b strings.Builder
	for i, t := range d.Plan.Tasks {
		fmt.Fprintf(&b, "%s@%d %q %s", t.ID, d.Position(fmt.Sprintf("tasks[%d]", i)).Line, t.Title, t.Priority)
		if t.DependsOn != nil {
			fmt.Fprintf(&b, " after=%s", strings.Join(t.DependsOn, ","))
		}
		if t.AcceptanceCriteria != nil {
			fmt.Fprintf(&b, " criteria=%d", len(t.AcceptanceCriteria))
		}
		b.WriteString("\n")
	}
	for _, f := range d.Found {
		fmt.Fprintf(&b, "%d:%d %s %s %s\n", f.Pos.Line, f.Pos.Column, f.Severity, f.Code, f.Message)
	}
	return b.String()
}

const one = `{"task_id": 1, "priority": "HIGH", "action": "Close the gate", "acceptance_criteria": ["it is shut", "it is locked"]}`

func TestRead(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"clean", "[\n  " + one + "\n]\n", "1@2 \"Close the gate\" HIGH criteria=2\n"},
		{"wrapped", "{\"context\": \"Week 1\",\n \"decisions\": [" + one + "]}", "1@2 \"Close the gate\" HIGH criteria=2\n2:2 note list-wrapped the list of tasks is wrapped in an object, at /decisions\n"},
		{"settings beside it", `{"preset": "reflective", "reviewers": ["ops"], "jobs": 2, "env_keys": ["TOKEN"],
 "limits": {"cpu": "1h", "gpu": 1, "turns": 3}, "sandbox": {"network": "no"}, "non_goals": [{"id": "N", "paths": ["a/**"]}],
 "meeting_id": 7, "colour": "red", "items": [` + one + `]}`, `1@3 "Close the gate" HIGH criteria=2
2:36 error value-unfit the key "turns" is not known here
2:72 error value-unfit network is text, not true or false
3:19 warning key-idle nothing acts on colour beside the list: the key "colour" is not known here
3:36 note list-wrapped the list of tasks is wrapped in an object, at /items
`},
		{"settings that cannot be", `{"limits": 3, "sandbox": {"env": ["A"]}, "env_keys": ["B"], "tasks": [` + one + `]}`,
			`1@1 "Close the gate" HIGH criteria=2
1:12 error value-unfit limits is a number, not an object
1:42 error value-unfit env of sandbox is said twice
1:61 note list-wrapped the list of tasks is wrapped in an object, at /tasks
`},
		{"what is missing", "[{\n \"description\": \"Sweep\",\n \"priority\": null\n}]", `1@1 "Sweep" 
1:2 warning task-field-missing /0 has no action
1:2 warning task-field-missing /0 has no task_id
1:2 warning task-no-acceptance /0 has no acceptance_criteria: nothing says when it is done
3:2 warning task-field-missing /0/priority is null
`},
		{"an empty list", "[]\n", "1:1 error no-tasks the list of tasks is empty\n"},
		{"an empty list in an object", "{\"decisions\": []}\n", "1:2 note list-wrapped the list of tasks is wrapped in an object, at /decisions\n1:15 error no-tasks the list of tasks is empty\n"},
		{"nothing to do", "[{\"task_id\": 1, \"priority\": \"LOW\", \"acceptance_criteria\": \"x\"}]", "1@1 \"\" LOW criteria=1\n1:2 error task-field-missing /0 has no action\n"},
		{"mixed ids, twice, cycle, nowhere", `[
{"task_id": "1", "priority": "SOON", "action": "a", "acceptance_criteria": [], "dependencies": ["T2", "gate"]},
{"task_id": "T2", "priority": "LOW", "action": "b", "acceptance_criteria": ["x"], "dependencies": [1]},
{"task_id": 1, "priority": "LOW", "action": "c", "acceptance_criteria": ["x"]},
7]`, `1@2 "a" SOON after=T2,gate criteria=0
T2@3 "b" LOW after=1 criteria=1
1@4 "c" LOW criteria=1
4@5 "7" 
2:30 warning priority-unknown /0/priority is "SOON": the task comes after all others
2:53 warning task-no-acceptance /0 has no acceptance_criteria: nothing says when it is done
2:96 error task-cycle tasks wait for each other: 1 → T2 → 1
2:103 warning task-dep-unknown task "1" depends on "gate", which is no task_id in this list
4:13 error task-duplicate-id /2/task_id is "1", as that of task 1 in the list
5:1 error task-field-missing /3 is a number, not a task
`},
		{"ellipsis", "[\n  " + one + ",\n  ...\n]", "3:3 error json-parse-error this is not JSON: an ellipsis stands where a value should be: something was left out\n"},
		{"comma too many", "[\n" + one + ",\n]", "3:1 error json-parse-error this is not JSON: a value is missing, or a comma is too many\n"},
		{"cut off", "[{\"task_id\": 1,\n\"action\": \"x", "2:13 error json-parse-error this is not JSON: the text ends inside double quotes\n"},
		{"empty", "[]", "1:1 error no-tasks the list of tasks is empty\n"},
		{"no list", "{\"a\": 1}", "1:1 error no-tasks there is no list of tasks\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if f := intake.Detect("pending_actions.json", []byte(c.text)); f != plan.PendingActions {
				t.Errorf("detected as %s", f)
			}
			d, err := intake.Read("pending_actions.json", []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, show(d)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, f := range d.Found {
				if f.Hint == "" {
					t.Errorf("%s has no hint", f.Code)
				}
			}
		})
	}
}

// TestWhatARunLeft: what planlock says of a task that a run left is no part of
// the task; in a list of somebody else's the same members are.
func TestWhatARunLeft(t *testing.T) {
	const own = `"reason": "it failed", "hints": ["x"], "attempts": 3, "actions": {"verify": "y"}`
	hints := map[bool]string{true: "an earlier run left it: it failed|x", false: "x|y|3"}
	for text, want := range map[string]string{
		`"hints": ["x", "y", "x", 3, null]`:                     "",
		`"description": "All of it.", "from_run": "01", ` + own: "All of it.",
		`"from_run": "01", ` + own:                              "",
		`"reason": "it is old"`:                                 "reason: it is old",
	} {
		d, err := intake.Read("pending_actions.json", []byte("["+strings.TrimSuffix(one, "}")+", "+text+"}]"))
		if err != nil || d.Plan.Tasks[0].Description != want {
			t.Errorf("%s: %q, want %q: %v", text, d.Plan.Tasks[0].Description, want, err)
		}
		if got := strings.Join(d.Plan.Tasks[0].Hints, "|"); strings.Contains(text, "hints") &&
			got != hints[strings.Contains(text, "from_run")] {
			t.Errorf("%s: %q", text, got)
		}
	}
}

func TestByPriority(t *testing.T) {
	tasks := []plan.Task{{Priority: "LOW"}, {Priority: "whenever"}, {Priority: "HIGH"}, {}, {Priority: "Medium"},
		{Priority: "HIGH"}}
	if diff := cmp.Diff([]int{2, 5, 4, 0, 1, 3}, intake.ByPriority(tasks)); diff != "" {
		t.Error(diff)
	}
}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		text string
		want plan.Format
	}{
		{`[{"id": 1, "title": "x", "action": "y"}]`, plan.Unknown},
		{`{"tasks": [{"id": 1, "title": "x", "status": "pending"}]}`, plan.Unknown},
		{`{"tasks": [{"task_id": "T04", "description": "x"}]}`, plan.PendingActions},
		{`{"todo": [{"action": "x"}]}`, plan.PendingActions},
		{`{"verdict": "APPROVE", "flags": {}}`, "contract"},
		{`{"verdict": "APPROVE"}`, plan.Unknown},
		{`# Plan`, plan.Unknown}, {``, plan.Unknown},
	} {
		if got := intake.Detect("x.json", []byte(c.text)); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

const good = `{"verdict": "APPROVE", "flags": {"critical": [], "warnings": ["slow"]}, "checks": {"ok": true}, "proposed_jobs": [{"id": "j1", "entry": "a.py", "args": {"n": 3}, "expected_artifacts": ["a.log"]}]}`

func FuzzRead(f *testing.F) {
	f.Add("[" + one + "]")
	f.Add(good)
	f.Add(`{"tasks": [{"task_id": null, "dependencies": [1, "a", []]}, 1, "x"]}`)
	f.Fuzz(func(t *testing.T, text string) {
		d, err := intake.Read("pending_actions.json", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range d.Check(plan.CheckOptions{}) {
			if found.Pos.Line < 1 || found.Pos.Column < 1 || found.Hint == "" {
				t.Errorf("%+v", found)
			}
		}
		d.Plan.Digest()
	})
}

// TestBeside holds that what stands beside a list is what it is in a native
// plan.
func TestBeside(t *testing.T) {
	d, err := intake.Read("pending_actions.json", []byte(`{"preset": "reflective", "reviewers": ["ops", "ops"], "evidence": true,
		"token_budget": 500, "execution": {"default_mode": "silent"}, "env_keys": ["TOKEN"],
		"limits": {"cpu": "1h", "memory": "2GiB", "disk": "1GiB", "gpu": 1}, "sandbox": {"level": "strict", "cpu": null},
		"goal": {"description": "a paper"}, "non_goals": [{"id": "N", "paths": ["a/**"]}], "tasks": [`+one+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	one := 1
	want := plan.Sandbox{Level: "strict", CPU: "1h", Memory: "2GiB", Disk: "1GiB", GPU: &one, Env: []string{"TOKEN"}}
	if diff := cmp.Diff(want, d.Plan.Sandbox); diff != "" {
		t.Errorf("sandbox (-want +got):\n%s", diff)
	}
	if e := d.Plan.Execution; e.DefaultMode != plan.Silent || len(e.Extra) != 4 {
		t.Errorf("execution: %+v", e)
	}
	if d.Plan.Goal != "a paper" {
		t.Errorf("goal: %q", d.Plan.Goal)
	}
	if n := d.Plan.NonGoals; len(n) != 1 || n[0].Paths[0] != "a/**" {
		t.Errorf("non-goals: %+v", n)
	}
	if len(d.Plan.Tasks[0].Steps) != 1 {
		t.Errorf("%d steps", len(d.Plan.Tasks[0].Steps))
	}
	for _, f := range d.Found {
		if f.Severity != plan.Note {
			t.Errorf("%s: %s", f.Code, f.Message)
		}
	}
}

// TestProfile holds that files that tasks name make a list scoped, unless it says
// another profile.
func TestProfile(t *testing.T) {
	const task = `"tasks": [{"task_id": 1, "priority": "LOW", "action": "a", "acceptance_criteria": ["x"], "artifacts": ["a.txt"]}]`
	for text, want := range map[string]plan.Profile{"{" + task + "}": plan.Scoped, `{"profile": "observe", ` + task + "}": plan.Observe,
		`{"profile": "strict", ` + task + "}": plan.Strict} {
		d, err := intake.Read("pending_actions.json", []byte(text))
		if err != nil || d.Plan.Profile != want {
			t.Errorf("%s: %s, %v", text, d.Plan.Profile, err)
		}
	}
}
