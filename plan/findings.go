package plan

import (
	"fmt"
	"slices"
)

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
