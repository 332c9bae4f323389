//go:build torture

package nethttp

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec"
	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/shell"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/ledger/scan"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

// The plan must end as planned, and must have changed what it says and nothing
// else. It compiles the tests of net/http some thirty times, which takes minutes.
func TestPlan(t *testing.T) {
	dir := workspace(t)
	before := scanned(t, dir)
	draft, err := native.ReadFile("plan.toml")
	if err != nil {
		t.Fatal(err)
	}
	locked, err := plan.Lock(draft, plan.LockOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Controller{Dir: dir, Gates: builtin.Gates(), Executors: exec.Default(&shell.Executor{})}
	report, err := c.Run(t.Context(), locked)
	if err != nil || report.Status() != history.Achieved {
		t.Fatalf("%v\n%v", err, report)
	}
	want := []string{
		"modified cookiejar/jar.go",
		"created example_retryafter_test.go",
		"modified header.go",
		"created internal/ascii/digits.go",
		"created internal/ascii/digits_test.go",
		"created retryafter.go",
		"created retryafter_test.go",
		"modified status.go",
		"created status104_test.go",
		"modified testdata/style.css",
		"created tokenboundary.go",
		"deleted triv.go",
	}
	var got []string
	for _, change := range ledger.Diff(before, scanned(t, dir)) {
		got = append(got, string(change.Op)+" "+change.Path)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("what the run changed (-want +got):\n%s", d)
	}
	// The primary method of 3.3 fails at its tests; this is what the backup
	// wrote.
	style, err := os.ReadFile(filepath.Join(dir, "testdata", "style.css"))
	if err != nil || string(style) != "html {}\n" {
		t.Errorf("style.css is %q (%v), want what the backup of 3.3 writes", style, err)
	}
}

func scanned(t *testing.T, dir string) *ledger.Tree {
	t.Helper()
	tree, err := new(scan.Scanner).Scan(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
