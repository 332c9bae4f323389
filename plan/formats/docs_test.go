package formats_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats"
	"github.com/planlock/planlock/plan/formats/internal/codestest"
)

var update = flag.Bool("update", false, "write golden files and pages")

// TestCodesPage holds that docs/formats.md lists the codes of the tables.
func TestCodesPage(t *testing.T) {
	const begin, end = "<!-- begin codes -->\n", "<!-- end codes -->\n"
	path := filepath.Join("..", "..", "docs", "formats.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("the page has no place for the codes")
	}
	var b strings.Builder
	b.WriteString("| of | code | severity | why |\n|---|---|---|---|\n")
	for _, r := range [][2]string{{"phase plans", "phase"}, {"pending actions, contracts", "intake"},
		{"task lists", "tasklist"}} {
		codes := codestest.Codes(t, filepath.Join("internal", r[1]))
		for _, name := range slices.Sorted(maps.Keys(codes)) {
			fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", r[0], name, codes[name].Severity, codes[name].Why)
		}
	}
	page := head + begin + b.String() + end + tail
	if *update {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if page != string(text) {
		t.Error("docs/formats.md is out of date: go test ./plan/formats -run TestCodesPage -update")
	}
}

// TestDocsNameEveryFormat holds docs/formats.md to what is read and reported.
func TestDocsNameEveryFormat(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "formats.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, f := range []plan.Format{plan.Native, plan.Unknown, "spec-pair", "spec-markdown", "spec-toml",
		"phase-plan", plan.PendingActions,
		"contract", "spec-kit", "kiro", "openspec", "task-master", "beads", "execplan",
		"superpowers", "markdown"} {
		if !strings.Contains(page, fmt.Sprintf("`%s`", f)) {
			t.Errorf("the page does not name the format %s", f)
		}
	}
	rules, err := os.ReadFile(filepath.Join("..", "..", "docs", "spec-rules.md"))
	if err != nil {
		t.Fatal(err)
	}
	broken := map[string]string{ // faults of each front end
		"a/01-PLAN.md":         "---\nphase: [\nplan: 01\n---\n<task depends_on=\"9\">\n<name>x</name>\n",
		"pending_actions.json": `[{"task_id":1,"priority":"SOON","action":"a","acceptance_criteria":[1],"dependencies":["z"]},{"task_id":1}]`,
		"tasks.md":             "- [ ] T001 x (depends on T009)\n- [ ] T001 y\n- [ ] z\n",
		"tasks.json":           `{"a":{"tasks":[{"id":1,"title":"x","status":"pending","dependencies":[2],"subtasks":[{"id":1,"title":"s","dependencies":[1]}]},{"id":1,"title":"y","status":"done"}]}}`,
		"issues.jsonl":         "{\"id\":\"a\",\"title\":\"x\",\"status\":\"open\",\"issue_type\":\"task\"}\n{oops\n",
		"parameters_x.toml":    "[goal]\ndescription = \"x\"\n[[tasks]]\nid = 1\n",
	}
	for name, text := range broken {
		d, err := formats.ReadBytes(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		found := d.Check(plan.CheckOptions{})
		if len(found) == 0 {
			t.Errorf("%s has no faults", name)
		}
		for _, f := range found {
			if code := fmt.Sprintf("`%s`", f.Code); !strings.Contains(page, code) && !strings.Contains(string(rules), "#"+f.Code) {
				t.Errorf("no page says what %s means (%s: %s)", f.Code, name, f.Message)
			}
		}
	}
}
