package native

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
)

// Every field of the model has a key in the format, but for those that other
// formats or the controller fill.
func TestEveryFieldCanBeWritten(t *testing.T) {
	d := mustRead(t, readText(t, "../testdata/everything.toml"))
	if len(d.Found) > 0 {
		t.Fatal(d.Found)
	}
	for _, f := range d.Check(plan.CheckOptions{}) {
		if f.Severity == plan.Error {
			t.Errorf("%v", f)
		}
	}
	set := map[string]bool{}
	note(reflect.ValueOf(d.Plan), "Plan", set)
	for path, yes := range set {
		if !yes && path != "Task.Files" && path != "Task.PlanFiles" && path != "Task.Summary" && path != "Scope.Own" && path != "Setting.Value.List" &&
			!strings.HasPrefix(path, "Check.Extra") {
			t.Errorf("%s is nowhere set", path)
		}
	}
}

func note(v reflect.Value, path string, set map[string]bool) {
	set[path] = set[path] || !v.IsZero()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			note(v.Field(i), v.Type().Name()+"."+v.Type().Field(i).Name, set)
		}
	case reflect.Slice:
		for i := range v.Len() {
			note(v.Index(i), path, set)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			note(v.Elem(), path, set)
		}
	}
}

func TestPositions(t *testing.T) {
	d := mustRead(t, limitsPlan(t))
	for _, tt := range []struct{ key, want string }{
		{"schema", "schema = 1"},
		{"goal", "[goal]"},
		{"goal.description", "description = \"Limit each"},
		{"goal.nothing", "[goal]"},
		{"nothing", "schema = 1"},
		{"requirements[1].id", "id = \"R2\""},
		{"invariants[0].check.package", "package = \"./server\""},
		{"tasks[0]", "[[tasks]]"},
		{"tasks[1].depends_on[0]", "1]"},
		{"tasks[0].steps[0]", "[[tasks.steps]]"},
		{"tasks[0].steps[0].limits", "[tasks.steps.limits]"},
		{"tasks[0].steps[0].limits.max_files", "max_files = 1"},
		{"tasks[0].steps[1].limits.max_lines", "max_lines = 120"},
		{"tasks[0].steps[1].rollback", "[[tasks.steps]]"},
		{"tasks[0].steps[1].artifacts.symbols_add[1]", "\"server.Limiter.Allow\""},
		{"tasks[9].steps", "[[tasks]]"},
		{"tasks[x", "[[tasks]]"},
		{"..", "schema = 1"},
	} {
		p := d.Position(tt.key)
		line := d.Line(p)
		if p.Column < 1 || p.Column > len(line) || !strings.HasPrefix(line[p.Column-1:], tt.want) {
			t.Errorf("%s: %v is %q", tt.key, p, line)
		}
	}
	if p := d.Position("tasks[1].steps[0].description"); p.Line < d.Position("tasks[0].steps[1]").Line {
		t.Errorf("the second task is at %v", p)
	}
}

func TestDiagnosticText(t *testing.T) {
	text := "schema = 1\n[goal]\n\tdescriptoin = \"\\u001b[2J\" # x\n"
	d, _ := Read("a\x1b.toml", []byte(text))
	var b strings.Builder
	if err := d.Found[0].Format(&b, d); err != nil {
		t.Fatal(err)
	}
	want := `a\x1b.toml:3:2: error: the key "descriptoin" is not known here [key-unknown]
      3 |  descriptoin = "\u001b[2J" # x
        |  ^^^^^^^^^^^^^^^^^^^^^^^^^
  hint: did you mean "description"?
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestHints(t *testing.T) {
	for text, want := range map[string]string{
		"[sandbox]\nlevl = \"none\"":                           `did you mean "level"?`,
		"[[tasks]]\nid = 1\n[[tasks.steps]]\ntimeoot = \"1s\"": `did you mean "timeout"?`,
		"[defaults]\nrun = \"x\"":                              `known here: executor, expect`,
		"[requirments]":                                        `did you mean "requirements"?`,
		"[[tasks]]\n[[tasks.steps]]\nprimary_method = \"x\"":   `write "prompt"`,
		"[zzzzzzzzzzz]":                                        `known here: schema`,
	} {
		d := mustRead(t, "schema = 1\n"+text+"\n")
		if len(d.Found) != 1 || d.Found[0].Code != "key-unknown" || !strings.HasPrefix(d.Found[0].Hint, want) {
			t.Errorf("%q: %+v", text, d.Found)
		}
	}
}

func TestAllIsReportedSorted(t *testing.T) {
	text := "schema = 1\n[meta]\nVERSION = 1\n[goal]\nfoo = 1\nbar = 2\n[[tasks]]\nid = 1.5\n[[tasks.steps]]\ntimeout = \"-1s\"\nmax_retries = -1\n"
	var first []plan.Diagnostic
	for i := range 5 {
		found := mustRead(t, text).Check(plan.CheckOptions{})
		for k := 1; k < len(found); k++ {
			if a, b := found[k-1].Pos, found[k].Pos; a.Line > b.Line || a.Line == b.Line && a.Column > b.Column {
				t.Errorf("%v stands before %v", a, b)
			}
		}
		if i == 0 {
			first = found
		} else if !reflect.DeepEqual(first, found) {
			t.Fatal("another time, another result")
		}
	}
	for _, code := range []string{"key-case", "key-unknown", "value-type", "value-range", "goal-missing",
		"id-missing"} {
		if !strings.Contains(strings.Join(codesOf(first), " "), code) {
			t.Errorf("no %s in %q", code, codesOf(first))
		}
	}
}

func TestDefaultsAreNotShared(t *testing.T) {
	d := mustRead(t, "schema = 1\n[defaults]\nlimits = { max_files = 1, modules = [\"a\"] }\n[[tasks]]\nid = 1\n[[tasks.steps]]\nid = 1\nlimits = { max_lines = 2 }\n[[tasks.steps]]\nid = 2\n")
	a, b := &d.Plan.Tasks[0].Steps[0], &d.Plan.Tasks[0].Steps[1]
	if *a.Limits.MaxFiles != 1 || *a.Limits.MaxLines != 2 || b.Limits.MaxLines != nil || a.Address != "1.1" {
		t.Errorf("%+v %+v", a.Limits, b.Limits)
	}
	a.Limits.Modules[0] = "changed"
	if b.Limits.Modules[0] != "a" {
		t.Error("the steps share what they inherit")
	}
}

// A key and its older name are one key: both at once would leave open which
// holds.
func TestOlderNames(t *testing.T) {
	d := mustRead(t, "schema = 1\ngoal.statement = \"g\"\nexecution.mode = \"silent\"\nerror_propagation.strategy = \"continue_and_log\"\nerror_propagation.propagation_enabled = true\n")
	if p := d.Plan; len(d.Found) > 0 || p.Goal != "g" || p.Execution.DefaultMode != plan.Silent ||
		p.ErrorPropagation.Strategy != plan.ContinueAndLog || p.ErrorPropagation.Enabled == nil {
		t.Errorf("%v %+v", d.Found, p)
	}
	d = mustRead(t, "schema = 1\n[execution]\nmode = \"silent\"\ndefault_mode = \"dynamic\"\n")
	if codes := codesOf(d.Found); len(codes) != 1 || codes[0] != "key-duplicate" ||
		d.Plan.Execution.DefaultMode != plan.Dynamic {
		t.Errorf("%v %q", d.Found, d.Plan.Execution.DefaultMode)
	}
}

// TestBlanksThatAreLookedFor holds that a text which is looked for as it stands may
// be blanks alone, and no other one.
func TestBlanksThatAreLookedFor(t *testing.T) {
	const text = `schema = 1
profile = "observe"
goal.description = "g"
[[tasks]]
id = 1
description = "x"
[[tasks.steps]]
id = 1
description = "s"
run = %q
postconditions = [{ kind = "file_contains", path = "a.txt", text = "\t" }]
expect = { stdout_contains = " " }
`
	for run, want := range map[string]int{"true": 0, "  ": 1} {
		d, err := Read("plan.toml", fmt.Appendf(nil, text, run))
		if err != nil {
			t.Fatal(err)
		}
		blank := 0
		for _, f := range d.Found {
			if f.Code == "value-blank" {
				blank++
			}
		}
		if blank != want {
			t.Errorf("run = %q: %d texts are taken for blank, want %d: %v", run, blank, want, d.Found)
		}
		if s := d.Plan.Tasks[0].Steps[0]; s.Postconditions[0].Text != "\t" || s.Expect.StdoutContains != " " {
			t.Errorf("what is looked for is %q and %q", s.Postconditions[0].Text, s.Expect.StdoutContains)
		}
	}
}
