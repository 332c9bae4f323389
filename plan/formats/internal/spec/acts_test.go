package spec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
)

// What parameters say acts: the preset of the format unless they name one,
// max_retries, criteria that a machine can decide, and files that the words of a
// step name.
func TestParametersAct(t *testing.T) {
	toml := `[goal]
description = "Move the mail"
[execution]
%s
[completion_criteria]
acceptance_criteria = ["` + "`go vet ./...`" + ` passes", "a/b.md exists", "The mail is moved"]
[[tasks]]
id = 1
description = "Copy"
critical = true
max_retries = 2
[[tasks.steps]]
id = 1
action = "Create ` + "`a/b.md`" + `"
expected_output = "it is there"
[[tasks.steps]]
id = 2
action = "Update ` + "`a/b.md`" + `"
max_retries = 0
on_failure = "ask"
postconditions = [{ kind = "file_contains", path = "a/b.md", text = "b" }]
`
	for preset, said := range map[string]string{"spec": "", "phase": `preset = "phase"`} {
		d, err := read(nil, &plan.Text{Path: "parameters_mail.toml", Text: []byte(strings.Replace(toml, "%s", said, 1))})
		if err != nil {
			t.Fatal(err)
		}
		var got string
		for _, s := range d.Plan.Execution.Extra {
			if s.Key == "preset" {
				got += s.Value.Text
			}
		}
		if got != preset {
			t.Errorf("preset %q, want %q", got, preset)
		}
		one, two := d.Plan.Tasks[0].Steps[0], d.Plan.Tasks[0].Steps[1]
		if one.OnFailure != plan.Retry || one.MaxRetries == nil || *one.MaxRetries != 2 || two.OnFailure != plan.Ask {
			t.Errorf("%q %v, %q", one.OnFailure, one.MaxRetries, two.OnFailure)
		}
		if diff := cmp.Diff([]plan.Check{{Kind: "file_exists", Path: "a/b.md", Derived: true}}, one.Postconditions); diff != "" {
			t.Errorf("step 1 (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]plan.Check{{Kind: "file_contains", Path: "a/b.md", Text: "b"}}, two.Postconditions); diff != "" {
			t.Errorf("step 2 (-want +got):\n%s", diff)
		}
		want := plan.Completion{AcceptanceCriteria: []string{"a/b.md exists", "The mail is moved"},
			Checks: []plan.Check{{Kind: "command", Run: "go vet ./..."}, {Kind: "file_exists", Path: "a/b.md", Derived: true}}}
		if diff := cmp.Diff(want, d.Plan.Completion); diff != "" {
			t.Errorf("completion (-want +got):\n%s", diff)
		}
	}
}
