package plan

import (
	"fmt"
	"slices"

	"github.com/planlock/planlock/ledger"
)

// Parts are what a front end makes a draft of.
type Parts struct {
	Plan   Plan
	Format Format
	Files  []Text       // the sources, in order
	Found  []Diagnostic // what reading and the format's own rules found
	Broken bool         // not read to its end, or no plan: only Found can be said of it

	// Position says where a part stands, or the nearest thing around it: at
	// least of "goal", "tasks[0]", "tasks[0].steps[1]",
	// "tasks[0].steps[1].backups[0]" and "speclets[0]"; false where nothing
	// around it is known either. That of [Places] is one; nil knows nothing.
	Position func(path string) (Position, bool)
	// Keys lists the names in a table as they are written there, and reports
	// whether there is such a part at all; nil where nobody knows.
	Keys func(path string) (names []string, written bool)

	Sides []Side // of a pair

	// Stepless says that the format has rules of its own for tasks without
	// steps: none is given one.
	Stepless bool
}

// Assemble makes a draft of what a front end read. It keeps Parts, which the
// caller must not change any more. Addresses follow from the ids.
//
// In a plan of another format than the native one, a plan without a profile is
// run under observe: its steps are recorded, not held to what they declare. A
// step without a method is given its description as its prompt. Where
// that is the profile, and unless the parts are Stepless, a task without steps
// is given one, "1", whose prompt is the task's text, its files and its
// acceptance criteria; [Draft.Implied] tells such a step from those of the
// source.
func Assemble(p Parts) *Draft {
	d := &Draft{Plan: p.Plan, Format: p.Format, Found: sortDiagnostics(slices.Clone(p.Found)), broken: p.Broken,
		sides: p.Sides, position: p.Position, names: p.Keys, texts: p.Files}
	for i := range d.texts {
		d.texts[i].index()
		d.Files = append(d.Files, Source{Path: d.texts[i].Path, Digest: ledger.Sum(d.texts[i].Text)})
	}
	if d.foreign() {
		d.Found = capped(d.Found)
		d.complete(p.Stepless)
	}
	d.Plan.readdress()
	for i := range d.sides {
		d.sides[i].Plan.readdress()
	}
	return d
}

// complete adds what a plan of another format leaves to who runs it. Tasks that
// may be stepless stay so.
func (d *Draft) complete(stepless bool) {
	p := &d.Plan
	p.Schema = SchemaVersion
	if p.Profile == "" {
		p.Profile = Observe
	}
	for i := range p.Tasks {
		t := &p.Tasks[i]
		if len(t.Steps) == 0 && !stepless && p.Profile == Observe {
			t.Steps = []Step{{ID: "1", Description: t.label(), Prompt: t.prompt(), Status: t.Status}}
			if d.implied == nil {
				d.implied = map[int]bool{}
			}
			d.implied[i] = true
		}
		for j := range t.Steps {
			if s := &t.Steps[j]; s.Run == "" && s.Prompt == "" {
				s.Prompt = s.Description
			}
		}
	}
}

// capped leaves out of what a front end found what nobody would read.
func capped(found []Diagnostic) []Diagnostic {
	if len(found) <= maxFindings {
		return found
	}
	rest := found[maxFindings:]
	f := &Diagnostics{list: slices.Clone(found[:maxFindings])}
	f.errors = maxFindings
	f.Add(Diagnostic{Code: "too-many", Pos: rest[0].Pos})
	last := &f.list[maxFindings]
	if !foundError(rest) {
		last.Severity = Warning
	}
	return f.list
}

const (
	// maxFindings bounds the errors that are reported of one plan: who wrote
	// more of them will read it again.
	maxFindings = 1000
	// maxAlike bounds the warnings, and the notes, of one code that are told
	// one by one. The others are only counted: they refuse nothing.
	maxAlike = 50
)

// Diagnostics collects what is wrong with a native plan: so much of it as
// people read. The severity of each follows from its code. The zero value is
// ready.
type Diagnostics struct {
	list   []Diagnostic
	cut    bool           // there were too many errors
	errors int            // in list
	alike  map[string]int // warnings and notes in list, by code
	rest   map[string]*rest
}

// A rest is the one diagnostic of a code that stands for all that are not told.
type rest struct{ at, count int }

// List returns what was collected, in the order in which it was added.
func (f *Diagnostics) List() []Diagnostic { return f.list }

// diagnosticsOf goes on from what was found before.
func diagnosticsOf(before []Diagnostic) *Diagnostics {
	f := &Diagnostics{list: slices.Clone(before)}
	for _, d := range before {
		f.count(d)
	}
	return f
}

// count notes that a diagnostic is in the list.
func (f *Diagnostics) count(d Diagnostic) {
	if d.Severity == Error {
		f.errors++
		f.cut = f.cut || d.Code == "too-many"
		return
	}
	if f.alike == nil {
		f.alike, f.rest = map[string]int{}, map[string]*rest{}
	}
	f.alike[d.Code]++
}

// wants reports whether a diagnostic of a code is still told. Where another one
// stands for it, it is counted there.
func (f *Diagnostics) wants(code string) bool {
	if f.cut {
		return false
	}
	r := f.rest[code]
	if r == nil {
		return true
	}
	r.count++
	f.list[r.at].Message = fmt.Sprintf("and %d more of this kind", r.count)
	return false
}

// Add takes a diagnostic, or counts it where there are enough like it.
func (f *Diagnostics) Add(d Diagnostic) {
	if !f.wants(d.Code) {
		return
	}
	d.Severity = severityOf(d.Code)
	switch {
	case d.Severity == Error && f.errors >= maxFindings:
		d = Diagnostic{Code: "too-many", Severity: Error, Pos: d.Pos,
			Message: fmt.Sprintf("more than %d errors were found; the rest is left out", maxFindings),
			Hint:    "mend these first, then check again"}
	case d.Severity != Error && f.alike[d.Code] >= maxAlike:
		d.Task, d.Step, d.Message = "", "", "and 1 more of this kind"
		f.rest[d.Code] = &rest{at: len(f.list), count: 1}
	}
	f.count(d)
	f.list = append(f.list, d)
}
