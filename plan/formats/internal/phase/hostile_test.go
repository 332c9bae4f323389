package phase_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/phase"
)

// TestHostile gives a megabyte of what readers choke on; time and memory must
// stay small. The bounds are several times what is promised, because machines
// that test are busy.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	heads := []string{"", "---\nphase: 1\nplan: 1\n", "### Task 1: t\n**Files:** ", "<task id=\"1\">\n"}
	for _, piece := range []string{"<task type=\"auto\">\n", "<task>\n<a>\n<a>\n</a>\n</task>\n", "<task>\n<files>\n", "# \n", "```\n", "- id: a\n",
		"- id: 1\n  a: [\n", "### Task 1: x\n", "## Task 1: x\n<a>\n", "[", "a,", "`a` ", "((((", "\n", "<!-- \n", "**a:**\n", "x: y\n", "<", "</a>", "\x00", "\xff\n"} {
		for _, head := range heads {
			text := []byte(head + strings.Repeat(piece, 1<<18/len(piece)))
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			phase.Detect("x-PLAN.md", text)
			d, err := phase.Read("x-PLAN.md", text)
			took := time.Since(start)
			if err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			if took > 20*time.Second || after.TotalAlloc-before.TotalAlloc > 100<<20 {
				t.Errorf("%q + %q: %v, %d MiB allocated", head, piece, took, (after.TotalAlloc-before.TotalAlloc)>>20)
			}
			if len(d.Found) > 2000 {
				t.Errorf("%q + %q: %d diagnostics", head, piece, len(d.Found))
			}
		}
	}
}

func TestTooLarge(t *testing.T) {
	if _, err := phase.Read("x-PLAN.md", make([]byte, 16<<20+1)); err == nil {
		t.Error("read a file beyond the bound")
	}
}

func FuzzRead(f *testing.F) {
	f.Add("---\nphase: 1\nplan: \"2\n---\n<task id=\"a\" depends_on=\"b\">\n<files>a, `b` (c)</files>\n</task>\n")
	f.Add("## Task 1: A\n- **Acceptance Criteria:**\n  - [ ] x\n**Depends on:** 1\n```\n")
	f.Add("- id: T1\n  files: [a\n - b\n")
	f.Add("<task>\n<a><b></a>\n</task>\n<task/>\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := phase.Read("x-PLAN.md", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Count(text, "\n") + 1
		for _, found := range d.Check(plan.CheckOptions{}) {
			if found.Pos.Line < 1 || found.Pos.Line > lines || found.Pos.Column < 1 || found.Hint == "" ||
				found.Message == "" {
				t.Errorf("%+v in %d lines", found, lines)
			}
		}
		d.Plan.Digest()
		if _, err := phase.ReadSet([]plan.Text{{Path: "1/01-PLAN.md", Text: []byte(text)},
			{Path: "1/02-PLAN.md", Text: []byte(text)}}); err != nil {
			t.Fatal(err)
		}
	})
}

// corpus is the folder of collected plans, "" without one.
func corpus() string {
	dir := os.Getenv("PLANLOCK_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "corpus")
	}
	if _, err := os.Stat(filepath.Join(dir, "f2", "expected.json")); err != nil {
		return ""
	}
	return filepath.Join(dir, "f2")
}

// TestCorpus compares with what people found in collected plans.
func TestCorpus(t *testing.T) {
	dir := corpus()
	if dir == "" {
		t.Skip("no corpus: set PLANLOCK_CORPUS")
	}
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected struct {
		Plans map[string]struct {
			Tasks []struct {
				Line       int
				ID, Title  *string
				Type       *string
				Files      []string
				DependsOn  []string `json:"depends_on"`
				Acceptance *struct{ Count int }
			}
		}
	}
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	for name, want := range expected.Plans {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
			continue
		}
		if phase.Detect(name, text) != phase.Format {
			t.Errorf("%s is not detected", name)
		}
		d := read(t, name, string(text))
		if len(d.Plan.Tasks) != len(want.Tasks) {
			t.Errorf("%s: %d tasks, want %d", name, len(d.Plan.Tasks), len(want.Tasks))
			continue
		}
		for i, w := range want.Tasks {
			got := d.Plan.Tasks[i]
			switch {
			case w.Title != nil && strings.TrimSpace(*w.Title) != got.Title, w.ID != nil && *w.ID != got.ID,
				w.Type != nil && *w.Type != got.Kind,
				w.Files != nil && strings.Join(w.Files, "\n") != strings.Join(got.Files, "\n"),
				w.DependsOn != nil && strings.Join(w.DependsOn, "\n") != strings.Join(got.DependsOn, "\n"),
				w.Acceptance != nil && w.Acceptance.Count != len(got.AcceptanceCriteria):
				t.Errorf("%s, line %d: got %+v", name, w.Line, got)
			}
		}
	}
}
