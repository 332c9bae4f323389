package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/planlock/planlock/plan"
)

// saysOf lists the diagnostics of a code as message | hint.
func saysOf(t *testing.T, text, code string) []string {
	t.Helper()
	var list []string
	for _, f := range mustRead(t, text).Check(plan.CheckOptions{Executors: []string{"shell"}, Servers: []string{"files"}}) {
		if f.Code == code {
			list = append(list, f.Message+" | "+f.Hint)
		}
	}
	return list
}

func change(t *testing.T, old, new string) string {
	t.Helper()
	base := limitsPlan(t)
	if strings.Count(base, old) != 1 {
		t.Fatalf("%q stands %d times in the plan", old, strings.Count(base, old))
	}
	return strings.Replace(base, old, new, 1)
}

func TestLimitsSayWhatIsMissing(t *testing.T) {
	const whole = "limits = { max_files = 1, max_lines = 20 }"
	tests := []struct {
		name, limits string
		want         []string
	}{
		{"none", "", []string{"step 2.1 changes files but declares no limits | add  limits = { max_files = 1, max_lines = 80 }  or put it once under [defaults]"}},
		{"empty", "limits = {}", []string{"the limits of step 2.1 name neither files nor lines | add  max_files = 1  and  max_lines = 80  to them"}},
		{"no lines", "limits = { max_files = 2 }", []string{"the limits of step 2.1 lack max_lines: it may change any number of lines | add  max_lines = 80  to them"}},
		{"no files", "limits = { max_lines = 2 }", []string{"the limits of step 2.1 lack max_files: it may change any number of files | add  max_files = 1  to them"}},
		{"a typo", "limits = { max_file = 1, max_lines = 20 }", nil},
		{"a typo in the table's name", "limit = { max_files = 1, max_lines = 20 }", nil},
		{"a bad value", `limits = { max_files = "one", max_lines = 20 }`, nil},
		{"no table", "limits = 3", nil},
		{"both", whole, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, saysOf(t, change(t, whole, tt.limits), "limits-missing")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLimitsThatAreTooSmall(t *testing.T) {
	text := change(t, "limits = { max_files = 1, max_lines = 20 }", "limits = { max_files = 0, max_lines = 20 }")
	want := []string{"the step declares more artifacts (1) than it may change files (0) | raise max_files, or declare less"}
	if diff := cmp.Diff(want, saysOf(t, text, "limits-too-small")); diff != "" {
		t.Error(diff)
	}
}

// What [defaults] gets wrong is said once, there; what a step gets wrong
// itself, at the step.
func TestFaultsOfDefaultsAreSaidOnce(t *testing.T) {
	const head = "[defaults]\n"
	tests := []struct {
		name, code string
		edit       func(base string) string
		want       int
		inDefaults bool
	}{
		{"requirement", "requirement-unknown", func(s string) string {
			s = strings.ReplaceAll(s, "  requirements = [\"R1\"]\n", "")
			return strings.Replace(s, head, head+"requirements = [\"R9\"]\n", 1)
		}, 1, true},
		{"requirement of a step", "requirement-unknown", func(s string) string {
			return strings.ReplaceAll(s, "  requirements = [\"R1\"]\n", "  requirements = [\"R9\"]\n")
		}, 2, false},
		{"compensate", "compensate-missing", func(s string) string {
			return strings.Replace(s, `rollback = "reversible"`, `rollback = "compensatable"`, 1)
		}, 1, true},
		{"retries", "retries-missing", func(s string) string {
			return strings.Replace(s, `on_failure = "block"`, `on_failure = "retry"`, 1)
		}, 1, true},
		{"unread rollback", "rollback-missing", func(s string) string {
			return strings.Replace(s, `rollback = "reversible"`, `rollback = "revrsible"`, 1)
		}, 0, true},
		{"misspelled rollback", "rollback-missing", func(s string) string {
			return strings.Replace(s, `rollback = "reversible"`, `roll_back = "reversible"`, 1)
		}, 0, true},
		{"unread failure", "on-failure-missing", func(s string) string {
			return strings.Replace(s, `on_failure = "block"`, `on_failure = "stop"`, 1)
		}, 0, true},
		{"unread change", "semantic-change-missing", func(s string) string {
			s = strings.ReplaceAll(s, "  semantic_change = \"extending\"\n", "")
			return strings.Replace(s, head, head+"semantic_change = \"adding\"\n", 1)
		}, 0, true},
		{"unread requirements", "step-no-requirement", func(s string) string {
			s = strings.ReplaceAll(s, "  requirements = [\"R1\"]\n", "")
			return strings.Replace(s, head, head+"requirements = 3\n", 1)
		}, 0, true},
		{"no requirements", "step-no-requirement", func(s string) string {
			s = strings.ReplaceAll(s, "  requirements = [\"R1\"]\n", "")
			return strings.Replace(s, head, head+"requirements = []\n", 1)
		}, 2, false},
		{"executor", "executor-unknown", func(s string) string {
			return strings.Replace(s, `executor = "shell"`, `executor = "nobody"`, 1)
		}, 1, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := mustRead(t, tt.edit(limitsPlan(t)))
			var found []plan.Diagnostic
			for _, f := range d.Check(plan.CheckOptions{Executors: []string{"shell"}, Servers: []string{"files"}}) {
				if f.Code == tt.code {
					found = append(found, f)
				}
			}
			if len(found) != tt.want {
				t.Fatalf("%d of them: %v", len(found), found)
			}
			if tt.want == 0 { // reading told it
				refuses(t, d)
			}
			from, to := d.Position("defaults").Line, d.Position("tasks[0]").Line
			for _, f := range found {
				if in := f.Pos.Line > from && f.Pos.Line < to; in != tt.inDefaults || in != (f.Step == "") {
					t.Errorf("%+v is said at the wrong place", f)
				}
			}
		})
	}
}

// refuses wants one error, and one of the ten questions that is answered "no",
// unless none asks for it.
func refuses(t *testing.T, d *plan.Draft) {
	t.Helper()
	var errors []string
	for _, f := range d.Check(plan.CheckOptions{}) {
		if f.Severity == plan.Error && f.Code != "requirement-unmapped" {
			errors = append(errors, f.Message)
		}
	}
	var no []string
	for _, a := range d.SelfCheck(plan.CheckOptions{}) {
		if !a.Yes {
			no = append(no, a.Question)
		}
	}
	if asked := !strings.Contains(fmt.Sprint(errors), "on_failure"); len(errors) != 1 || (len(no) == 1) != asked {
		t.Errorf("errors %q, answered no: %q", errors, no)
	}
}

func TestRetriesHint(t *testing.T) {
	const was = "max_retries = 2"
	for now, want := range map[string]string{
		"":                `on_failure is "retry" without max_retries: it is tried again once under preset contract, else as often as the preset says | add  max_retries = 2`,
		"max_retries = 0": `on_failure is "retry" and max_retries is 0: it is not tried again | write  max_retries = 2`,
	} {
		if got := saysOf(t, change(t, was, now), "retries-missing"); !slices.Equal(got, []string{want}) {
			t.Errorf("%q: got %q", now, got)
		}
	}
}

// No hint has a value that somebody must guess: what it says to add is good
// TOML.
func TestHintsHaveNoPlaceholders(t *testing.T) {
	base := limitsPlan(t)
	for code, e := range examples(t) {
		for _, f := range mustRead(t, e.bad(base)).Check(plan.CheckOptions{Executors: []string{"shell"}, Servers: []string{"files"}}) {
			if strings.Contains(f.Hint, "…") {
				t.Errorf("%s: %s: %s", code, f.Code, f.Hint)
			}
		}
	}
}

// TestHintsHaveLines holds that whatever check says is missing stands at a line of the
// plan, and says what to write.
func TestHintsHaveLines(t *testing.T) {
	base := limitsPlan(t)
	for code, e := range examples(t) {
		for _, f := range mustRead(t, e.bad(base)).Check(plan.CheckOptions{Executors: []string{"shell"}, Servers: []string{"files"}}) {
			if f.Pos.Line < 1 || f.Pos.Column < 1 || strings.TrimSpace(f.Hint) == "" {
				t.Errorf("%s: %s at %v: %s (%s)", code, f.Code, f.Pos, f.Message, f.Hint)
			}
		}
	}
}

func TestPlaceholders(t *testing.T) {
	const was = `description = "Say it in the README"`
	for value, want := range map[string]int{"…": 1, "...": 1, " … ": 1, "…/x": 1, "and so on …": 0, "./...": 0, "wait...": 0} {
		if got := saysOf(t, change(t, was, `description = "`+value+`"`), "placeholder-value"); len(got) != want {
			t.Errorf("%q: got %q", value, got)
		}
	}
	if got := saysOf(t, change(t, `modify = ["README.md"]`, `modify = ["…"]`), "placeholder-value"); len(got) != 1 {
		t.Errorf("in a list: got %q", got)
	}
}

func TestNonGoalsHintSaysWhere(t *testing.T) {
	base := limitsPlan(t)
	from, to := strings.Index(base, "[[non_goals]]"), strings.Index(base, "[components]")
	text := base[:from] + base[to:]
	got := saysOf(t, text, "non-goals-undeclared")
	if len(got) != 1 || !strings.Contains(got[0], "above the first table") {
		t.Fatalf("got %q", got)
	}
	mended := strings.Replace(text, "[meta]", "non_goals = []\n\n[meta]", 1)
	if found := mustRead(t, mended).Check(plan.CheckOptions{}); len(found) != 0 {
		t.Errorf("mended as the hint says: %v", found)
	}
}

func TestSyntaxErrorsNameWholeCharacters(t *testing.T) {
	for _, char := range []string{"é", "世", "🙂"} {
		found := mustRead(t, "schema = 1\n"+char+" = 2\n").Check(plan.CheckOptions{})
		if len(found) != 1 || found[0].Code != "toml-parse-error" || !strings.Contains(found[0].Message, char) ||
			strings.Contains(found[0].Message, "Ã") {
			t.Errorf("%s: %v", char, found)
		}
	}
}

func TestCreatedAgain(t *testing.T) {
	const again = `artifacts = { modify = ["README.md"] }`
	tests := []struct {
		name, artifacts string
		want            int
	}{
		{"again", `artifacts = { create = ["server/limit.go"] }`, 1},
		{"another", `artifacts = { create = ["server/other.go"] }`, 0},
		{"a glob", `artifacts = { create = ["server/*.md"] }`, 0},
		{"deleted here", `artifacts = { delete = ["server/limit.go"] }`, 0},
	}
	for _, tt := range tests {
		got := saysOf(t, change(t, again, tt.artifacts), "artifact-created-again")
		if len(got) != tt.want {
			t.Errorf("%s: %q", tt.name, got)
		}
		for _, g := range got {
			if !strings.Contains(g, "2.1") || !strings.Contains(g, "1.2") {
				t.Errorf("%s: it should name both steps: %s", tt.name, g)
			}
		}
	}
	text := change(t, `create = ["server/limit.go"]`, `create = ["server/limit.go"], modify = ["b.md"]`)
	text = strings.Replace(text, again, `artifacts = { create = ["b.md"] }`, 1)
	if got := saysOf(t, text, "artifact-created-again"); len(got) != 1 || !strings.Contains(got[0], "has modified it before") {
		t.Errorf("modified before: %q", got)
	}
	for _, tt := range []struct{ first, second, want string }{
		{`symbols_add = ["server.X"]`, `symbols_add = ["server.X"]`, "has added it before"},
		{`symbols_remove = ["server.X"]`, `symbols_remove = ["server.X"]`, "has removed it before"},
		{`symbols_add = ["server.X"]`, `symbols_remove = ["server.X"]`, ""},
	} {
		got := saysOf(t, "schema = 1\nprofile = \"observe\"\ngoal.description = \"g\"\n[[tasks]]\nid = 1\n[[tasks.steps]]\nid = 1\nartifacts = { "+tt.first+
			" }\n[[tasks.steps]]\nid = 2\nartifacts = { "+tt.second+" }\n", "artifact-created-again")
		if (tt.want != "") != (len(got) == 1) || len(got) == 1 && !strings.Contains(got[0], tt.want) {
			t.Errorf("%s, then %s: %q", tt.first, tt.second, got)
		}
	}
	for _, gone := range []string{"server/limit_test.go", "server/*_test.go"} {
		text := change(t, `create = ["server/limit.go"]`, `delete = ["`+gone+`"]`)
		text = strings.Replace(text, again, `artifacts = { create = ["server/limit_test.go"] }`, 1)
		if got := saysOf(t, text, "artifact-created-again"); len(got) != 0 {
			t.Errorf("deleted by %s in between: %q", gone, got)
		}
	}
}

// What an earlier step deletes cannot be modified or deleted once more, unless it
// is created in between.
func TestGone(t *testing.T) {
	for _, tt := range []struct {
		name, between, last string
		want                int
	}{
		{"modified", `modify = ["a.md"]`, `modify = ["old.md"]`, 1},
		{"deleted again", `modify = ["a.md"]`, `delete = ["old.md"]`, 1},
		{"another", `modify = ["a.md"]`, `modify = ["a.md"]`, 0},
		{"created in between", `create = ["old.md"]`, `modify = ["old.md"]`, 0},
		{"created in between by a glob", `create = ["*.md"]`, `delete = ["old.md"]`, 0},
		{"created", `modify = ["a.md"]`, `create = ["old.md"]`, 0},
		{"a glob", `modify = ["a.md"]`, `modify = ["*.md"]`, 0},
	} {
		text := string(limitsPlan(t)) + "\n[[tasks]]\nid = \"G\"\n"
		for i, artifacts := range []string{`delete = ["old.md"]`, tt.between, tt.last} {
			text += fmt.Sprintf("[[tasks.steps]]\nid = %d\nartifacts = { %s }\n", i+1, artifacts)
		}
		got := saysOf(t, text, "artifact-gone")
		if len(got) != tt.want || tt.want > 0 && (!strings.Contains(got[0], "G.3") || !strings.Contains(got[0], "G.1")) {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}

// An error that concerns none of the ten questions is told by what answers for
// everything else, and by nothing else.
func TestEverythingElse(t *testing.T) {
	for _, tt := range []struct {
		name, old, new string
		yes            bool
	}{
		{"all well", "[goal]", "[goal]", true},
		{"a question's error", "rollback = \"reversible\"\n", "", true},
		{"another error", "[goal]", "[goal]\ncolour = \"red\"", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rest := plan.EverythingElse(mustRead(t, change(t, tt.old, tt.new)).Check(plan.CheckOptions{}))
			if rest.Yes != tt.yes || len(rest.Evidence) > 0 == tt.yes {
				t.Errorf("got %+v", rest)
			}
			if !tt.yes && !strings.Contains(rest.Evidence[0], `"colour" is not known here [key-unknown]`) {
				t.Errorf("the evidence is %q", rest.Evidence)
			}
		})
	}
}
