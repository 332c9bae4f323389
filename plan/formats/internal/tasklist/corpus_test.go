package tasklist_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/tasklist"
)

// TestCorpus compares with what people found in collected lists: the tool, and
// how many items there are.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("PLANLOCK_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "corpus")
	}
	dir = filepath.Join(dir, "f4")
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Skip("no corpus: set PLANLOCK_CORPUS")
	}
	type unit struct {
		Count    int `json:"task_count"`
		Subtasks int `json:"subtask_count"`
		Issues   int `json:"issue_count"`
		Progress int `json:"progress_items"`
		Steps    int `json:"step_count"`
		Groups   []struct{ Line int }
		Tags     []struct {
			Count    int `json:"task_count"`
			Subtasks int `json:"subtask_count"`
		}
	}
	var expected struct{ Files map[string]unit }
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	for name, want := range expected.Files {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
			continue
		}
		kind, _, _ := strings.Cut(name, "/")
		format := tasklist.Detect(name, text)
		if want.Progress == 0 && kind == "execplan" {
			continue // an index of plans
		}
		if string(format) != kind {
			t.Errorf("%s: detected as %s", name, format)
		}
		d, err := tasklist.Read(name, text)
		if err != nil {
			t.Fatal(err)
		}
		n := want.Count + want.Issues + want.Progress + want.Steps + len(want.Groups)
		for _, tag := range want.Tags {
			n += tag.Count + tag.Subtasks
		}
		got := len(d.Plan.Tasks)
		for i, task := range d.Plan.Tasks {
			if !d.Implied(i) {
				got += len(task.Steps)
			}
		}
		if got != n {
			t.Errorf("%s: %d items, want %d", name, got, n)
		}
		for _, f := range d.Check(plan.CheckOptions{}) {
			if f.Severity == plan.Error && f.Code != "task-duplicate-id" {
				t.Errorf("%s: %v", name, f)
			}
		}
	}
}
