package formats

import (
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/intake"
	"github.com/planlock/planlock/plan/formats/phase"
	"github.com/planlock/planlock/plan/formats/spec"
	"github.com/planlock/planlock/plan/formats/tasklist"
)

// fronts lists the readers of other formats in the order in which they are
// asked: those with narrow forms first. A phase plan is known by its name or by
// headings that others have too, so its reader comes first for files called so,
// and last for all others. What is called TOML is read as nothing else.
func fronts(name string) []front {
	if isTOML(name) {
		return []front{{specFormat, spec.Read}}
	}
	return []front{
		{one(plan.PhasePlan, isNamedPhase), phase.Read},
		{intake.Detect, intake.Read},
		{specFormat, spec.Read},
		{tasklist.Detect, tasklist.Read},
		{one(plan.PhasePlan, isPhase), phase.Read},
	}
}

// isPhase reports whether a text that nobody else reads is a phase plan.
func isPhase(name string, text []byte) bool {
	return !isJSON(name, text) && phase.Detect(name, text)
}

// isNamedPhase reports whether a phase plan is called so.
func isNamedPhase(name string, text []byte) bool {
	return phase.Named(name) && isPhase(name, text)
}

// specFormat tells the halves of a SPEC apart.
func specFormat(name string, text []byte) plan.Format {
	switch {
	case isJSON(name, text) || !spec.Detect(name, text):
		return plan.Unknown
	case isTOML(name):
		return plan.SpecTOML
	}
	return plan.SpecMarkdown
}

// pair reads both halves of a SPEC.
func (l loader) pair(markdown, toml plan.Text) (*plan.Draft, error) {
	return l.draft(spec.ReadPair(markdown, toml))
}

// phases reads all NAME-PLAN.md of a folder as one plan.
func (l loader) phases(files []plan.Text) (*plan.Draft, error) {
	return l.draft(phase.ReadSet(files))
}
