// Package decidable finds, in what a plan says in words, what a machine can
// decide: commands that are to succeed, files that are to be there, and what is
// to stand in them.
//
// Only an unmistakable form counts, since a postcondition that is wrong undoes
// good work. What else is said is left to who reads it, and [Found] says which of
// it names a command that nobody runs.
package decidable

import "github.com/planlock/planlock/plan"

// Found is what a text about verifying comes to.
type Found struct {
	Checks []plan.Check
	Words  []string // lines that only a reader can judge
	// NotRun are those of them that name a command whose success would say
	// nothing, as its output is what matters: "`wc -l a` returns 5".
	NotRun []string
}

// Command is the check that a command succeeds.
func Command(run string) plan.Check { return plan.Check{Kind: "command", Run: run} }
