package search_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/evidence"
	"github.com/planlock/planlock/gate/evidence/search"
	"github.com/planlock/planlock/plan"
)

func TestTypeOf(t *testing.T) {
	tests := map[string]evidence.TaskType{
		"Execute the baseline":                 evidence.Experimental,
		"RUN it":                               evidence.Experimental,
		"diagnostic of the sensor":             evidence.Experimental,
		"an experiment":                        evidence.Experimental,
		"on the GPU":                           evidence.Experimental,
		"train a model":                        evidence.Experimental,
		"Write a summary":                      evidence.Documentation,
		"design the schema":                    evidence.Documentation,
		"Draft of chapter 1":                   evidence.Documentation,
		"the doc of the API":                   evidence.Documentation,
		"documents":                            evidence.Documentation,
		"the paper":                            evidence.Documentation,
		"write the design of the model":        evidence.Experimental, // experiments are looked for first
		"re-execute what the paper says":       evidence.Experimental,
		"something else":                       evidence.Experimental, // by default
		"":                                     evidence.Experimental,
		"prune the tree and write it up":       evidence.Experimental, // a word counts wherever it stands
		"Re-Execute Task 1 – CLIP Integration": evidence.Experimental,
	}
	for action, want := range tests {
		if got := (&search.Policy{}).Type(&plan.Task{Title: action}); got != want {
			t.Errorf("%q is %s, want %s", action, got, want)
		}
	}
}

func TestNeeds(t *testing.T) {
	p := &search.Policy{}
	run := func(id string) evidence.Need { return evidence.Need{Kind: evidence.Run, Name: id} }
	file := func(path string) evidence.Need { return evidence.Need{Kind: evidence.File, Name: path} }
	tests := map[string]struct {
		title           string
		runs, artifacts []string
		want            []evidence.Need
	}{
		"experiment": {"run it", []string{"a", "b", "a"}, []string{"x", "x"},
			[]evidence.Need{run("a"), run("b"), file("x")}},
		"experiment without a run": {"run it", nil, []string{"x"}, []evidence.Need{run(""), file("x")}},
		"document": {"write it", []string{"a"}, []string{"x"},
			[]evidence.Need{file("x")}},
		"document without files": {"write it", nil, nil, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, p.Needs(&plan.Task{Title: test.title}, test.runs, test.artifacts)); diff != "" {
				t.Error(diff)
			}
		})
	}
	p.Further = func(*plan.Task) []evidence.Need { return []evidence.Need{{Kind: evidence.Command, Name: "true"}} }
	p.TypeOf = func(*plan.Task) evidence.TaskType { return evidence.Documentation }
	if got := p.Needs(&plan.Task{Title: "run it"}, nil, nil); len(got) != 1 || got[0].Kind != evidence.Command {
		t.Errorf("needs of a host's own policy: %v", got)
	}
}

func workspace(t *testing.T) string {
	dir := t.TempDir()
	for name, text := range map[string]string{"full": "content\n", "empty": "", "folder/file": "x"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "nothing"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

const ofFull = "sha256:434728a410a78f56fc1b5899c3593436e61ab0c731e9072d95e96db290205e53"

func TestFiles(t *testing.T) {
	dir := workspace(t)
	if err := os.Symlink(filepath.Join(dir, "..", ".."), filepath.Join(dir, "out")); err != nil {
		t.Logf("no links here: %v", err)
	}
	tests := map[string]struct {
		need  evidence.Need
		state evidence.State
		why   string
	}{
		"a file":              {evidence.Need{Kind: evidence.File, Name: "full"}, evidence.Found, ""},
		"a folder, so called": {evidence.Need{Kind: evidence.File, Name: "folder/"}, evidence.Found, ""},
		"a folder":            {evidence.Need{Kind: evidence.File, Name: "folder"}, evidence.Found, ""},
		"an empty file":       {evidence.Need{Kind: evidence.File, Name: "empty"}, evidence.Missing, "is empty"},
		"an empty folder":     {evidence.Need{Kind: evidence.File, Name: "nothing"}, evidence.Missing, "empty folder"},
		"no file":             {evidence.Need{Kind: evidence.File, Name: "none"}, evidence.Missing, "not there"},
		"no name":             {evidence.Need{Kind: evidence.File, Name: ""}, evidence.Missing, "workspace"},
		"outside":             {evidence.Need{Kind: evidence.File, Name: "../x"}, evidence.Missing, "workspace"},
		"absolute": {evidence.Need{Kind: evidence.File, Name: "/etc/passwd"}, evidence.Missing,
			"workspace"},
		"through a link": {evidence.Need{Kind: evidence.File, Name: "out/tmp"}, evidence.Missing, ""},
		"a checksum": {evidence.Need{Kind: evidence.Checksum, Name: "full", Want: ofFull}, evidence.Found,
			""},
		"large letters": {evidence.Need{Kind: evidence.Checksum, Name: "full",
			Want: "sha256:" + strings.ToUpper(ofFull[7:])}, evidence.Found, ""},
		"another checksum": {evidence.Need{Kind: evidence.Checksum, Name: "full",
			Want: "sha256:" + strings.Repeat("0", 64)}, evidence.Missing, "another content"},
		"no checksum": {evidence.Need{Kind: evidence.Checksum, Name: "full", Want: "md5:00"},
			evidence.Unverifiable, "hexadecimal"},
		"checksum of a folder": {evidence.Need{Kind: evidence.Checksum, Name: "folder", Want: ofFull},
			evidence.Missing, "no file"},
		"an unknown kind":      {evidence.Need{Kind: "rumour", Name: "x"}, evidence.Unverifiable, "no evidence of the kind"},
		"a command, no runner": {evidence.Need{Kind: evidence.Command, Name: "true"}, evidence.Unverifiable, "nothing that could run"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := (&search.Policy{}).Look(t.Context(), dir, nil, []evidence.Need{test.need})[0]
			if got.State != test.state || !strings.Contains(got.Why, test.why) {
				t.Errorf("%s (%s), want %s (…%s…)", got.State, got.Why, test.state, test.why)
			}
		})
	}
}

type runner func(c gate.Command) (gate.CommandResult, error)

func (r runner) Run(_ context.Context, c gate.Command) (gate.CommandResult, error) { return r(c) }

func TestCommands(t *testing.T) {
	for name, test := range map[string]struct {
		exit  int
		err   error
		state evidence.State
	}{"succeeds": {0, nil, evidence.Found}, "fails": {1, nil, evidence.Missing},
		"cannot run": {0, errors.New("no"), evidence.Unverifiable}} {
		t.Run(name, func(t *testing.T) {
			run := runner(func(c gate.Command) (gate.CommandResult, error) {
				if !slices.Contains(c.Env, "GOENV=off") {
					t.Errorf("what the user set with go env -w steers it: %q", c.Env)
				}
				return gate.CommandResult{Exit: test.exit}, test.err
			})
			if got := (&search.Policy{}).Look(t.Context(), "", run,
				[]evidence.Need{{Kind: evidence.Command, Name: "x"}})[0]; got.State != test.state {
				t.Errorf("%s, want %s", got.State, test.state)
			}
		})
	}
}

func ExamplePolicy() {
	dir, err := os.MkdirTemp("", "evidence")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "report.md"), []byte("# Report\n"), 0o644); err != nil {
		panic(err)
	}
	policy := &search.Policy{}
	task := &plan.Task{Title: "Write the report"}
	needs := policy.Needs(task, nil, []string{"report.md", "figures.png"})
	for _, item := range policy.Look(context.Background(), dir, nil, needs) {
		fmt.Printf("%s %s %q\n", item.Name, item.State, item.Why)
	}
	// Output:
	// report.md found ""
	// figures.png missing "\"figures.png\" is not there"
}
