package builtin_test

import (
	"context"
	"fmt"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/gate/checks"
	"github.com/planlock/planlock/gate/panel"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// The built-in gates judge a step that went over its limit.
func ExampleGates() {
	one := 1
	pass := &gate.Pass{
		Plan: &plan.Plan{Profile: plan.Strict},
		Step: &plan.Step{Address: "1.1", Limits: &plan.Limits{MaxFiles: &one, Modules: []string{"server"}}},
	}
	pass.Changes = []ledger.Change{
		{Path: "server/limit.txt", Op: ledger.Created, After: &ledger.Entry{Kind: ledger.File}},
		{Path: "notes.txt", Op: ledger.Created, After: &ledger.Entry{Kind: ledger.File}},
	}
	p := &panel.Panel{Gates: builtin.Gates(), Checks: checks.Kinds()}
	for _, j := range p.Ask(context.Background(), pass, gate.During).Blocking() {
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
