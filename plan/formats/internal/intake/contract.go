package intake

import (
	"github.com/planlock/planlock/internal/reviewdoc"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
)

// Contract is the format of what reviewers say of operations.
const Contract plan.Format = "contract"

// readContract shows a reviewer's contract as a draft: a document that is
// understood and has nothing to carry out.
func readContract(name string, text []byte) *plan.Draft {
	t := outline.New(name, text)
	c := reviewdoc.Read(t.Join(0, len(t.Lines)))
	var found []plan.Diagnostic
	for _, f := range c.Faults {
		severity := plan.Error
		if f.Warning {
			severity = plan.Warning
		}
		found = append(found, plan.Diagnostic{Code: f.Code, Severity: severity, Message: f.Message, Hint: f.Hint,
			Pos: t.Offset(f.Offset)})
	}
	return plan.Assemble(plan.Parts{Plan: plan.Plan{Goal: "Verdict: " + c.Verdict}, Format: Contract,
		Files: []plan.Text{{Path: name, Text: text}}, Found: found})
}
