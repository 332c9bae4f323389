package formats

import (
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/intake"
	"github.com/planlock/planlock/plan/formats/internal/spec"
)

// notSaid is the code of what a plan does not say, most often because its
// format has no word for it. It is told once for each plan, with the line that
// says it in a native plan.
const notSaid = "not-said"

// unsaid lists what a native plan would say and this one does not.
func unsaid(d *plan.Draft) []plan.Diagnostic {
	p := &d.Plan
	if d.Format == intake.Contract || len(p.Tasks) == 0 {
		return nil
	}
	var list []plan.Diagnostic
	changing := "the steps"
	if p.Profile == plan.Scoped { // others name their files
		changing = "steps that name no files"
	}
	where := "in a native plan (convert it to one):  "
	if d.Format == spec.Pair || d.Format == spec.TOML {
		where = "in the parameters:  "
	}
	for _, k := range []struct {
		said          bool
		message, hint string
	}{
		{p.Goal != "", "the plan does not say what it is for", `[goal] description = "…"`},
		{len(p.NonGoals) > 0, "the plan does not say what must not be touched",
			`[[non_goals]] id = "N1", text = "…", paths = ["…/**"]`},
		{p.Profile == plan.Scoped && len(p.Unbound()) == 0 ||
			some(p, func(s *plan.Step) bool { return s.Artifacts != nil }),
			changing + " do not say what they change; a run records it, and keeps it", `artifacts = { create = ["…"], modify = ["…"] }  in a step; after a run under the profile observe, the declarations of its report are these lines`},
		{some(p, func(s *plan.Step) bool { return s.Limits != nil }),
			"the steps do not say how much they may change", "[defaults] limits = { max_files = 3, max_lines = 200 }"},
		{some(p, func(s *plan.Step) bool { return s.Rollback != "" }),
			"the steps do not say whether they can be undone", `[defaults] rollback = "reversible"`},
		{some(p, checked), "nothing that a machine can decide says whether a step is done",
			`postconditions = [{ kind = "file_contains", path = "…", text = "…" }]  in a step`},
	} {
		if !k.said {
			list = append(list, plan.Diagnostic{Code: notSaid, Severity: plan.Note, Pos: d.Position(""),
				Message: k.message,
				Hint:    where + k.hint})
		}
	}
	return list
}

// some reports whether a step of the plan is as asked.
func some(p *plan.Plan, is func(*plan.Step) bool) bool {
	for _, s := range p.Steps() {
		if is(s) {
			return true
		}
	}
	return false
}

// checked reports whether a machine can decide that the step is done.
func checked(s *plan.Step) bool {
	return s.Expect != nil || len(s.Postconditions) > 0 || s.TestIntent != nil
}
