package document

import (
	"bufio"
	"fmt"
	"io"

	"github.com/planlock/planlock/exec/history"
	"github.com/planlock/planlock/exec/safetext"
	"github.com/planlock/planlock/plan"
)

// Declarations draws what the completed steps of a run really changed as the
// TOML of a plan that declares just that: the tables of its tasks and steps
// with their ids, artifacts and limits. It serves runs under the profile
// observe, whose steps need not declare anything; a step that declared what it
// did is left out.
func Declarations(w io.Writer, rep *Model) error {
	p, b := rep.plan, bufio.NewWriter(w)
	fmt.Fprintf(b, "# What the steps of run %s changed. Copy the lines of each step into its table.\n",
		safetext.Escape(rep.Run))
	found := map[string]declaration{}
	for _, d := range rep.Declarations {
		found[d.Step] = d
	}
	task, any := "", false
	for _, s := range rep.steps {
		lines := undeclared(s, rep.Profile, found)
		if lines == nil {
			continue
		}
		owner, of, ok := p.Step(s.Address)
		if !ok {
			continue
		}
		if owner.ID != task || !any {
			task, any = owner.ID, true
			fmt.Fprintf(b, "\n[[tasks]]\nid = %s\n", tomlString(task))
		}
		fmt.Fprintf(b, "\n  [[tasks.steps]]\n  id = %s\n", tomlString(of.ID))
		for _, line := range lines {
			b.WriteString("  " + line + "\n")
		}
	}
	if !any {
		b.WriteString("# Nothing is missing: every step that was completed declared what it changed.\n")
	}
	return b.Flush()
}

// undeclared are the lines that a step lacks; nil: none.
func undeclared(s *step, profile plan.Profile, found map[string]declaration) []string {
	if d, ok := found[string(s.Address)]; ok {
		return d.toml()[1:] // the id says which step it is
	}
	e := s.account()
	if profile != plan.Observe || s.Status != history.Completed || s.Declared != nil || e == nil || len(e.Changes) > 0 {
		return nil
	}
	return []string{"artifacts = {} # it changed nothing"}
}
