package builtin_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/gate/checks"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/ledger/scan"
	"github.com/planlock/planlock/plan"
)

// TestFileThatWentAfterTheScan takes a file away after the tree was scanned. A
// step that a tree undoes may begin, as what is gone is found behind it and
// undone; one that lasts is refused.
func TestFileThatWentAfterTheScan(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "flag")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	tree, err := (&scan.Scanner{}).Scan(t.Context(), dir, nil)
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	for rollback, want := range map[plan.Rollback]gate.Result{"": gate.Passed, plan.Reversible: gate.Passed,
		plan.Compensatable: gate.Fail, plan.Irreversible: gate.Fail} {
		step := &plan.Step{Address: "1.1", Rollback: rollback, Preconditions: []plan.Check{{Kind: "file_exists", Path: "flag"}}}
		p := &panel.Panel{Gates: builtin.Gates(), Checks: checks.Kinds()}
		got := gate.Passed
		for _, j := range p.Ask(t.Context(), &gate.Pass{Plan: &plan.Plan{}, Step: step, Dir: dir, Before: tree,
			After: tree, Runner: forbidden{t}}, gate.Before) {
			if j.Err != nil {
				t.Errorf("%s: %v", j.Gate, j.Err)
			} else if j.Verdict.Result != gate.Passed {
				got = j.Verdict.Result
			}
		}
		if got != want {
			t.Errorf("rollback %q: the step is judged %s, want %s", rollback, got, want)
		}
	}
}
