package spec

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
)

func ExampleReadPair() {
	markdown := "## Goal\nMove the mail\n\n### Task [1]: Copy\n- **Step [1]:** Dump the mail\n  - **Expected output:** A dump\n"
	toml := "[goal]\ndescription = \"Move all mail\"\n\n[[tasks]]\nid = 1\ndescription = \"Copy\"\n"
	draft, err := ReadPair(plan.Text{Path: "spec_mail.md", Text: []byte(markdown)}, plan.Text{Path: "parameters_mail.toml", Text: []byte(toml)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range draft.Found {
		if d.Severity == plan.Error {
			fmt.Println(d)
		}
	}
	_, err = plan.Lock(draft, plan.LockOptions{})
	fmt.Println("may be locked:", err == nil)
	// Output:
	// parameters_mail.toml:2:1: error: the goal is another one than in the Markdown, which says "Move the mail" [goal-mismatch]
	// parameters_mail.toml:4:1: error: task 1 has no step [task-no-steps]
	// spec_mail.md:5:1: error: step 1.1 is not in parameters_mail.toml [step-missing-in-toml]
	// may be locked: false
}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"a.md", "# Spec\n\n## Goal\nMove\n", true},
		{"a.md", "\ufeff## Goal\r\nMove\r\n", true},
		{"a.md", "```\n## Goal\n```\n", false},
		{"a.md", "---\nphase: 1\n---\n## Goal\nMove\n", false},
		{"a.md", "## Goal\nMove\n<task type=\"auto\">\n</task>\n", false},
		{"a.md", "# Goals\n- one\n", false},
		{"a.md", "### Task [1]: T\n- **Step [1]:** S\n", true},
		{"a.md", "### Task 1: T\n- [ ] **Step 1: Write it**\n", false},
		{"a.md", "### Task 1: T\n", false},
		{"spec_a.md", "### Task 1: T\n", true},
		{"spec_a.md", "Words.\n", false},
		{"parameters_a.toml", "[execution]\n", true},
		{"a.toml", "[goal]\nstatement = \"Move\"\n", true},
		{"a.toml", "version = \"1\"\n[[tasks]]\nid = 1\n", true},
		{"a.toml", "schema = 1\n[goal]\n", false},
		{"a.toml", "[package]\nname = \"a\"\n", false},
		{"a.toml", "", false},
	} {
		if got := Detect(c.name, []byte(c.text)) != plan.Unknown; got != c.want {
			t.Errorf("%s %q: %v", c.name, c.text, got)
		}
	}
}

func TestTooLarge(t *testing.T) {
	_, err := Read("a.md", make([]byte, sketch.MaxSize+1))
	var size *plan.SizeError
	if !errors.As(err, &size) || size.Size != sketch.MaxSize+1 {
		t.Errorf("%v", err)
	}
}

// A half without a name is Markdown, and is read.
func TestNameless(t *testing.T) {
	d, err := Read("", []byte("## Goal\nMove the mail\n"))
	if err != nil || d.Plan.Goal != "Move the mail" || d.Format != "spec-markdown" {
		t.Errorf("%v %+v", err, d)
	}
	if d, err := ReadPair(plan.Text{}, plan.Text{}); err != nil || d.Format != "spec-pair" {
		t.Errorf("%v %+v", err, d)
	}
}

// What SPECLets wait for is their order, level by level, and which of them may
// run side by side is kept.
func TestStages(t *testing.T) {
	d, err := Read("parameters_mail.toml", []byte(`[goal]
description = "Move the mail"
[[speclets]]
id = "a"
[[speclets]]
id = "b"
depends_on = ["a"]
parallel_allowed = true
[[speclets]]
id = "c"
depends_on = ["a"]
parallel_allowed = true
[[speclets]]
id = "d"
depends_on = ["b", "c"]
`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"a"}, {"b", "c"}, {"d"}}, d.Plan.Graph().Stages); diff != "" {
		t.Error(diff)
	}
	for _, s := range d.Plan.Speclets {
		if beside := s.ParallelAllowed != nil && *s.ParallelAllowed; beside != (s.ID == "b" || s.ID == "c") {
			t.Errorf("%s may run beside others: %v", s.ID, beside)
		}
	}
}

// What a step reads, writes and owns is said as in native plans.
func TestAccess(t *testing.T) {
	d, err := Read("parameters_mail.toml", []byte("[[tasks]]\nid = 1\n[[tasks.steps]]\nid = 1\n"+
		"access = { reads = [\"in/**\"], writes = [\"out.txt\"], symbols = [\"mail.Send\"] }\n"+
		"[[tasks.steps]]\nid = 2\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []*plan.Access{{Reads: []string{"in/**"}, Writes: []string{"out.txt"}, Symbols: []string{"mail.Send"}}, nil}
	steps := d.Plan.Tasks[0].Steps
	if diff := cmp.Diff(want, []*plan.Access{steps[0].Access, steps[1].Access}); diff != "" {
		t.Error(diff)
	}
}

// Whatever stands in either file and has no field of its own is kept.
func TestKept(t *testing.T) {
	markdown := "# Spec: mail\n\n**Version:** 2.0\n**Purpose:** Peace\n\n## Goal\nMove the mail\n\n## Definition of Complete\n- [ ] **Mail:**\n  - all of it\n  - in order\n- [x] Signed off\n\n" +
		"## Definitions\n- **mail**: letters\n\n## Components\n- A mailbox\n\n## Constraints\n- No letter is lost\n\n## User Stories\n- As a reader, I want mail\n\n## Risks\nNone that\nwe know.\n\n## Risks\nBut one.\n\n### Task [1]: Copy\n**Research Enabled:** true (formats)\n**Note:** slowly\n- **Step [1]:** Dump\n  - **Primary method:** So\n  - **Note:** at night\n- **Verification:** Count\n"
	toml := "version = \"3.0\"\ndescriptor = \"mail\"\n[goal]\nstatement = \"Move the mail\"\nsingular = true\n[mcp_tools]\nrequired = [\"fs\"]\n[mcp_tools.verification]\ncheck_on_startup = true\n" +
		"[execution]\nmode = \"silent\"\nlevel = 2\n[error_propagation]\npropagation_enabled = true\nstrategy = \"halt_on_critical\"\n[completion_criteria]\nacceptance_criteria = [\"Sent\"]\ntested = true\n[patterns]\nused = 1979-05-27 07:32:00Z\n" +
		"[[tasks]]\nid = 1\ndescription = \"Copy\"\ntitle = \"T\"\nname = \"N\"\nmode_specific = \"A\"\nresearch_sources = [\"web\"]\n[[tasks.steps]]\nid = 1\ndescription = \"Dump\"\nprimary_method = \"So\"\nmethod = \"M\"\nname = \"N\"\npattern = \"P\"\n[[tasks.steps.backups]]\nid = 1\ndescription = \"By hand\"\naction = \"A\"\nname = \"N\"\nexecution_method = \"tool\"\ncost = 1.50\n"
	d, err := ReadPair(plan.Text{Path: "a.md", Text: []byte(markdown)}, plan.Text{Path: "a.toml", Text: []byte(toml)})
	if err != nil {
		t.Fatal(err)
	}
	p := d.Plan
	settings := map[string]string{}
	for _, s := range p.Settings {
		text := s.Value.Text
		for _, item := range s.Value.List {
			text += "|" + item.Text
		}
		settings[s.Key] = s.Value.Kind + " " + text
	}
	want := map[string]string{
		"metadata.goal.singular":                       "boolean true",
		"mcp_tools.required":                           "array |fs",
		"mcp_tools.verification.check_on_startup":      "boolean true",
		"metadata.patterns.used":                       "datetime 1979-05-27T07:32:00Z",
		"metadata.tasks.1.mode_specific":               "string A",
		"metadata.tasks.1.title":                       "string T",
		"metadata.tasks.1.name":                        "string N",
		"metadata.tasks.1.steps.1.method":              "string M",
		"metadata.tasks.1.steps.1.name":                "string N",
		"metadata.tasks.1.steps.1.backups.1.name":      "string N",
		"metadata.tasks.1.note":                        "string slowly",
		"metadata.tasks.1.research_enabled":            "string true (formats)",
		"metadata.tasks.1.steps.1.pattern":             "string P",
		"metadata.tasks.1.steps.1.backups.1.cost":      "float 1.5e+00",
		"metadata.definitions.mail":                    "string letters",
		"metadata.user_stories.items":                  "array |As a reader, I want mail",
		"metadata.sections.Components":                 "string - A mailbox",
		"metadata.described_components.items":          "array |A mailbox",
		"metadata.sections.Constraints":                "string - No letter is lost",
		"metadata.described_constraints.items":         "array |No letter is lost",
		"metadata.sections.Definitions":                "string - **mail**: letters",
		"metadata.sections.\"User Stories\"":           "string - As a reader, I want mail",
		"metadata.sections.Risks":                      "string None that\nwe know.\n\nBut one.",
		"metadata.sections.\"Definition of Complete\"": "string - [ ] **Mail:**\n  - all of it\n  - in order\n- [x] Signed off",
	}
	if diff := cmp.Diff(want, settings); diff != "" {
		t.Error(diff)
	}
	step := p.Tasks[0].Steps[0]
	got := []string{p.Meta.Name, p.Meta.Version, string(p.Execution.DefaultMode), string(p.ErrorPropagation.Strategy),
		strings.Join(p.Completion.AcceptanceCriteria, "|"),
		p.Completion.Flags[0].Key, step.Prompt, step.Backups[0].ExecutionMethod,
		strings.Join(p.Tasks[0].AcceptanceCriteria, "|"), strings.Join(p.Tasks[0].ResearchSources, "|")}
	if diff := cmp.Diff([]string{"mail", "3.0", "silent", "halt_on_critical", "Sent|Mail: all of it|Mail: in order|Signed off|tested", "tested", "So\nNote: at night", "tool", "Count", "web"}, got); diff != "" {
		t.Error(diff)
	}
	alone, err := Read("a.md", []byte(markdown))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Mail: all of it", "Mail: in order", "Signed off"},
		alone.Plan.Completion.AcceptanceCriteria); diff != "" {
		t.Error(diff)
	}
}
