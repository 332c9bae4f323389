package exec_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
)

// What held after a step must hold at the end: a step that came later may not
// take it away, unless the plan says so.
func TestPostconditionsLast(t *testing.T) {
	keeps, loses := exectest.Write("a.txt", "one\ntwo\n"), exectest.Write("a.txt", "two\n")
	tests := map[string]struct {
		second string // of the plan: what is said more of the second step
		does   exec.Func
		status history.Status
	}{
		"the second step keeps it":         {"", keeps, history.Achieved},
		"the second step takes it away":    {"", loses, history.NotAchieved},
		"the plan says that it may":        {`supersedes = ["1.1"]`, loses, history.Achieved},
		"the step does not decide by much": {"critical_flag = true", loses, history.Partial},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(twoSteps(), "id = 2\n", "id = 2\n"+tt.second+"\n", 1)
			if strings.HasPrefix(tt.second, "critical") {
				text = strings.Replace(text, "id = 1\ndescription = \"Write the first", "id = 1\ncritical_flag = false\ndescription = \"Write the first", 1)
			}
			run := exectest.Run(t, text, workspace, exectest.Script{"1.1": exectest.Write("a.txt", "one\n"), "1.2": tt.does})
			run.Want(t, tt.status)
			basis, why := run.Report.Run.Standings().Of(run.Report.Run.Step("1.1"))
			if holds := tt.status == history.Achieved; holds != (basis == history.Proved) {
				t.Errorf("step 1.1 is %s: %s", basis, why)
			}
			said := slices.ContainsFunc(run.Report.Run.Ended.Reasons, func(line string) bool {
				return strings.Contains(line, "held after step 1.1") && strings.Contains(line, "1.2 changed the tree since")
			})
			if said != (tt.status != history.Achieved) {
				t.Errorf("the reasons are %q", run.Report.Run.Ended.Reasons)
			}
		})
	}
}

// Whoever changed the tree since is named in the order in which that happened.
func TestWhoChangedTheTreeSince(t *testing.T) {
	text := twoSteps() + strings.Replace(twoSteps()[strings.LastIndex(twoSteps(), "[[tasks.steps]]"):], "id = 2", "id = 3", 1)
	run := exectest.Run(t, text, workspace, exectest.Script{"1.1": exectest.Write("a.txt", "one\n"),
		"1.2": exectest.Write("a.txt", "one\ntwo\n"), "1.3": exectest.Write("a.txt", "two\n")})
	run.Want(t, history.NotAchieved)
	if got := strings.Join(run.Report.Run.Ended.Reasons, "\n"); !strings.Contains(got, "1.2, 1.3 changed the tree since") {
		t.Errorf("the reasons are %q", got)
	}
}

// A run that finishes such a one carries the step out once more.
func TestWhatDidNotLastIsDoneAgain(t *testing.T) {
	h := &half{Bench: exectest.New(t, twoSteps(), workspace, exectest.Script{"1.1": exectest.Write("a.txt", "one\n"),
		"1.2": exectest.Write("a.txt", "two\n")})}
	run := h.Run(t)
	run.Want(t, history.NotAchieved)
	h.id = run.Report.Run.Started.Run
	for name := range h.Controller.Executors {
		h.Controller.Executors[name] = h.record.Of(exectest.Script{"1.1": exectest.Write("a.txt", "one\n"),
			"1.2": exectest.Write("a.txt", "one\ntwo\n")})
	}
	again := h.finish(t)
	again.Want(t, history.Achieved)
	if got := again.Report.Run.Started.From.Anew; len(got) == 0 || !strings.Contains(got[0], "did not hold at the end") {
		t.Errorf("anew: %q", got)
	}
}

// What a step declares of artifacts, and brings about, is so at the end, unless a
// later step declares otherwise.
func TestDeclaredArtifactsLast(t *testing.T) {
	files := exectest.Files{"old.txt": "old\n", "text.txt": "before\n", "other.txt": "x\n"}
	create, modify, remove := `create = ["new.txt"]`, `modify = ["text.txt"]`, `delete = ["old.txt"]`
	makes, edits, deletes := exectest.Write("new.txt", "new\n"), exectest.Write("text.txt", "after\n"), exectest.Remove("old.txt")
	for name, tt := range map[string]struct {
		declares string
		does     exec.Func
		later    string // what the plan says of the second step
		second   exec.Func
		said     string
	}{
		"what was created is gone":         {create, makes, "", exectest.Remove("new.txt"), `file_exists path="new.txt"`},
		"and a later step deletes it":      {create, makes, `artifacts = { delete = ["new.txt"] }`, exectest.Remove("new.txt"), ""},
		"what was created is another":      {create, makes, "", exectest.Write("new.txt", "other\n"), ""},
		"what was deleted is back":         {remove, deletes, "", exectest.Write("old.txt", "x\n"), `file_absent path="old.txt"`},
		"and a later step creates it":      {remove, deletes, `artifacts = { create = ["old.txt"] }`, exectest.Write("old.txt", "x\n"), ""},
		"what was modified is as it was":   {modify, edits, "", exectest.Write("text.txt", "before\n"), `"text.txt", which at the end is as it was`},
		"and is gone":                      {modify, edits, "", exectest.Remove("text.txt"), `"text.txt", which at the end is as it was`},
		"and a later step modifies it":     {modify, edits, `artifacts = { modify = ["text.txt"] }`, exectest.Write("text.txt", "before\n"), ""},
		"and a later step supersedes this": {modify, edits, `supersedes = ["1.1"]`, exectest.Write("text.txt", "before\n"), ""},
		"what was modified is another":     {modify, edits, "", exectest.Write("text.txt", "more\n"), ""},
		"nothing of it":                    {modify, edits, "", exectest.Write("other.txt", "more\n"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := "schema = 1\nprofile = \"observe\"\ngoal.description = \"g\"\n[[tasks]]\nid = 1\n" +
				"[[tasks.steps]]\nid = 1\ndescription = \"first\"\nartifacts = { " + tt.declares + " }\n" +
				"[[tasks.steps]]\nid = 2\ndescription = \"second, of new.txt, old.txt and text.txt\"\n" + tt.later + "\n"
			run := exectest.Run(t, text, files, exectest.Script{"1.1": tt.does, "1.2": tt.second})
			reasons := strings.Join(run.Report.Run.Ended.Reasons, "\n")
			if got := strings.Contains(reasons, "postconditions: "); got != (tt.said != "") || !strings.Contains(reasons, tt.said) {
				t.Errorf("the reasons are %q", reasons)
			}
			if tt.said != "" {
				run.Want(t, history.NotAchieved)
			}
		})
	}
}
