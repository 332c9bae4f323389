package control

import (
	"github.com/planlock/planlock/internal/testfirst"
	"github.com/planlock/planlock/ledger"
	"github.com/planlock/planlock/plan"
)

// Own are the files that a check runs, and that the work itself wrote. At most a
// few are named.
func Own(c plan.Check, changes []ledger.Change) []string {
	const few = 5
	files := testfirst.Files(c, changes)
	return files[:min(few, len(files))]
}
