package document_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/planlock/planlock/exec/document"
	"github.com/planlock/planlock/exec/exectest"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/plan/native"
)

// TestDeclarationsAreReadBack pastes what a run prints into a plan, and reads
// it.
func TestDeclarationsAreReadBack(t *testing.T) {
	const text = `schema = 1
profile = "observe"
[goal]
description = "two files"
[[tasks]]
id = "a"
description = "files"
  [[tasks.steps]]
  id = 1
  description = "writes"
  prompt = "write"
  [[tasks.steps]]
  id = 2
  description = "thinks"
  run = "true"
[[tasks]]
id = "b"
description = "changes"
  [[tasks.steps]]
  id = 1
  description = "changes"
  prompt = "change"
  [[tasks.steps]]
  id = 2
  description = "declares"
  prompt = "write"
  artifacts = { create = ["d.txt"] }
`
	if runtime.GOOS == "windows" {
		t.Skip("no name has a quote there")
	}
	run := exectest.Run(t, text, exectest.Files{"old": "1\n", "gone": ""}, exectest.Script{
		"a.1": exectest.All(exectest.Write("new \"x\".txt", "1\n2\n"), exectest.Write("old", "1\n2\n")),
		"a.2": exectest.Nothing(),
		"b.1": exectest.Remove("gone"),
		"b.2": exectest.Write("d.txt", ""),
	})
	run.Want(t, history.Partial) // nothing proves what it did
	got, err := as(document.Declarations, run.Plan, run.Report.Run)
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(got), "\n")
	want := `
[[tasks]]
id = "a"

  [[tasks.steps]]
  id = "1"
  artifacts = { create = ["new \"x\".txt"], modify = ["old"] }
  limits = { max_files = 2, max_lines = 3 }

  [[tasks.steps]]
  id = "2"
  artifacts = {} # it changed nothing

[[tasks]]
id = "b"

  [[tasks.steps]]
  id = "1"
  artifacts = { delete = ["gone"] }
  limits = { max_files = 1, max_lines = 0 }
`
	if body != want {
		t.Errorf("got\n%s\nwant\n%s", body, want)
	}
	d, err := native.Read("plan.toml", append([]byte("schema = 1\nprofile = \"observe\"\ngoal.description = \"x\"\n"),
		got...))
	if err != nil || len(d.Found) > 0 {
		t.Fatalf("%v %v", err, d.Found)
	}
	if a := d.Plan.Tasks[0].Steps[0].Artifacts; a == nil || a.Create[0] != `new "x".txt` {
		t.Errorf("read back: %+v", a)
	}
}

func TestDeclarationsOfARunThatDeclared(t *testing.T) {
	run := exectest.Run(t, "schema = 1\nprofile = \"observe\"\ngoal.description = \"x\"\n[[tasks]]\nid = 1\ndescription = \"x\"\n[[tasks.steps]]\nid = 1\ndescription = \"x\"\nprompt = \"x\"\nartifacts = { create = [\"a\"] }\n",
		nil, exectest.Script{"1.1": exectest.Write("a", "")})
	got, err := as(document.Declarations, run.Plan, run.Report.Run)
	if err != nil || !strings.Contains(string(got), "Nothing is missing") ||
		strings.Contains(string(got), "[[tasks]]") {
		t.Errorf("%s\n%v", got, err)
	}
}
