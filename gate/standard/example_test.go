package standard_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/gate/standard"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// The built-in gates judge a step that went over its limit.
func ExampleGates() {
	one := 1
	pass := &gate.Pass{
		Plan: &plan.Plan{Profile: plan.Strict},
		Step: &plan.Step{Address: "1.1", Limits: &plan.Limits{MaxFiles: &one, Modules: []string{"server"}}},
		Changes: []ledger.Change{
			{Path: "server/limit.txt", Op: ledger.Created, After: &ledger.Entry{Kind: ledger.File}},
			{Path: "notes.txt", Op: ledger.Created, After: &ledger.Entry{Kind: ledger.File}},
		},
	}
	p := &panel.Panel{Gates: standard.Gates(), Checks: standard.Checks()}
	for _, j := range gate.Blocking(p.Ask(context.Background(), gate.During, pass)) {
		if j.Verdict == nil {
			fmt.Println(j.Gate, "could not decide:", j.Err)
			continue
		}
		for _, f := range j.Verdict.Findings {
			fmt.Printf("%s: %s: expected %s, happened: %s\n", j.Gate, f.Code, f.Expected, f.Happened)
		}
	}
	// Output:
	// limits: limit-files: expected at most 1 file, happened: 2 files
	// limits: limit-modules: expected changes within server, happened: created
}

// Checks are decided through a pass that a panel hands out.
func ExampleChecks() {
	dir, err := os.MkdirTemp("", "checks")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.25\n"), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	p := &panel.Panel{Checks: standard.Checks()}
	pass := p.Prepare(&gate.Pass{Dir: dir})
	for _, c := range []plan.Check{
		{Kind: "file_contains", Path: "go.mod", Matches: `(?m)^go 1\.\d+$`},
		{Kind: "file_absent", Path: "go.mod"},
	} {
		v, err := pass.Decide(context.Background(), c)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(standard.Describe(c), v.Result)
	}
	// Output:
	// file_contains path="go.mod" matches="(?m)^go 1\\.\\d+$" pass
	// file_absent path="go.mod" fail
}
