package tasklist_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/tasklist"
)

// TestHostile gives a megabyte of what readers choke on; the bounds are several
// times what is promised, because machines that test are busy.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	for _, head := range []string{"", "- [ ] T001 a (depends on ", "### Task 1: t\n- [ ] **Step 1: x**\n", "- [ ] 1. a\n", "{\"tasks\":[{\"id\":1,\"title\":\"a\",\"status\":\"b\"},"} {
		for _, piece := range []string{"- [ ] T001 x\n", "- [ ] 1.1 a\n", "## 1. a\n- [ ] 1.1 a\n", "1. a\n", "## Steps\n- a `b.go`\n", "###### a\n", "## Verification\n- `npm test` passes\n",
			"- [ ] 1. a\n  b\n", "  Verify: look\n", "  Verify:\n  ```sh\n  npm test\n  ```\n", "  Acceptance:\n  - `wc -l a` returns 5\n", "### Task 1: x\n- [ ] **Step 1: a**\n", "\n", "- [ ] a\n",
			"## Progress\n- [ ] a\n## Purpose\n## Context\n## Validation\n", "T001-T999, ", "(depends on T1 ", "[", "{\"a\":", "[0,", "{\"tasks\":[", "**Files:**\n- `a`, \n", "\x00", "\xff",
			`{"id":"a","title":"b","status":"open","priority":1,"issue_type":"x","dependencies":[{"depends_on_id":"a","type":"blocks"}]}` + "\n",
			`{"id":1,"title":"a","subtasks":[{"id":1,"dependencies":[1]}]},`} {
			text := []byte(head + strings.Repeat(piece, 1<<18/len(piece)))
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			tasklist.Detect("tasks.md", text)
			d, err := tasklist.Read("tasks.md", text)
			if err == nil && d.Format == plan.Unknown && tasklist.DetectMarkdown("tasks.md", text) != plan.Unknown {
				d, err = tasklist.ReadMarkdown("tasks.md", text)
			}
			took := time.Since(start)
			if err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			if took > 20*time.Second || after.TotalAlloc-before.TotalAlloc > 100<<20 || len(d.Found) > 2000 {
				t.Errorf("%q + %q: %v, %d MiB allocated, %d found", head, piece, took,
					(after.TotalAlloc-before.TotalAlloc)>>20, len(d.Found))
			}
		}
	}
}
