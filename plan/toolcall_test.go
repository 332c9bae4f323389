package plan_test

import (
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// The arguments of a call are a JSON object as the plan has them, whatever they
// nest, and a call is what carries its step out, whatever [defaults] says.
func TestToolCall(t *testing.T) {
	d := called(t, `tool = "files.write"
tool_args = { path = "b.txt", mode = 0o644, deep = { "a key" = [1, 2.5, { x = true }], none = {} }, since = 1979-05-27 }`)
	s := &d.Plan.Tasks[0].Steps[0]
	const want = `files.write {"deep":{"a key":[1,2.5e+00,{"x":true}],"none":{}},"mode":420,"path":"b.txt","since":"1979-05-27"}`
	if got := s.ToolCall(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if s.By() != plan.ToolCaller || !s.HasMethod() {
		t.Errorf("by %q", s.By())
	}
	if s := (&plan.Step{Executor: "agent"}); s.By() != "agent" || s.ToolCall() != "" || s.HasMethod() {
		t.Errorf("a step without a tool: by %q, %q", s.By(), s.ToolCall())
	}
	for text, want := range map[string]string{"a.b": "a|b|true", "a.b.c": "a|b.c|true", "a": "a||false", "a.": "a||false", ".b": "|b|false",
		"a.b c": "a|b c|false"} {
		server, tool, ok := plan.ToolOf(text)
		if got := strings.Join([]string{server, tool, map[bool]string{true: "true", false: "false"}[ok]}, "|"); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// Calls that nobody could make are errors, at the key.
func TestToolInvalid(t *testing.T) {
	for text, want := range map[string]string{
		`tool = "files"`:                                                                              `"files" is no tool of a server`,
		"tool = \"a.b\"\nrun = \"true\"":                                                              "a step has one method: a tool, run or prompt",
		"run = \"true\"\ntool_args = { a = 1 }":                                                       "there is no tool that the arguments are for",
		"run = \"true\"\nbackups = [{ id = 1, tool = \"write\" }]":                                    `"write" is no tool of a server`,
		"run = \"true\"\nbackups = [{ id = 1, tool = \"a.b\", tool_args = [\"x\"] }]":                 `argument "x" of a tool of a server has no name`,
		"run = \"true\"\nbackups = [{ id = 1, tool = \"a.b\", tool_path = \"c\" }]":                   "a backup has one method: a tool, run or prompt",
		"tool = \"a.b\"\nbackups = [{ id = 1, tool = \"a.c\", tool_args = [\"x=1\"] }]":               "",
		"tool = \"a.b\"\nexecutor = \"mcp\"\nbackups = [{ id = 1, run = \"x\", executor = \"mcp\" }]": `there is no executor "mcp"`,
	} {
		var found []string
		for _, d := range called(t, text).Check(plan.CheckOptions{Executors: []string{"shell"}}) {
			if d.Severity == plan.Error && (d.Code == "tool-invalid" || d.Code == "method-twice" || d.Code == "method-missing" || d.Code == "executor-unknown") {
				found = append(found, d.Message)
			}
		}
		if got := strings.Join(found, "\n"); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// called is a plan with one step that says this.
func called(t *testing.T, text string) *plan.Draft {
	t.Helper()
	d, err := native.Read("plan.toml", []byte("schema = 1\ngoal.description = \"g\"\n[[tasks]]\nid = 1\ndescription = \"t\"\n[[tasks.steps]]\nid = 1\ndescription = \"s\"\n"+text+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range d.Found {
		t.Errorf("%s: %s", text, f.Message)
	}
	return d
}
