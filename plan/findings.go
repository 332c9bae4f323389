package plan

import (
	"cmp"
	"fmt"
	"slices"
)

const (
	// maxFindings bounds the errors that are reported of one plan: who wrote more of them will read it again.
	maxFindings = 1000
	// maxAlike bounds the warnings, and the notes, of one code that are told one by one. The others are only counted: they
	// refuse nothing.
	maxAlike = 50
)

// findings collects diagnostics. The severity of each follows from its code.
type findings struct {
	list   []Diagnostic
	cut    bool           // there were too many errors
	errors int            // in list
	alike  map[string]int // warnings and notes in list, by code
	rest   map[string]*rest
}

// A rest is the one diagnostic of a code that stands for all that are not told.
type rest struct{ at, count int }

// findingsOf goes on from what was found before.
func findingsOf(before []Diagnostic) *findings {
	f := &findings{list: slices.Clone(before)}
	for _, d := range before {
		f.count(d)
	}
	return f
}

func (f *findings) count(d Diagnostic) {
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

// wants reports whether a diagnostic of a code is still told. Where another one stands for it, it is counted there.
func (f *findings) wants(code string) bool {
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

func (f *findings) add(code string, pos Position, message, hint string) {
	f.addFor(code, pos, message, hint, "", "")
}

// addFor takes a diagnostic, or counts it where there are enough like it.
func (f *findings) addFor(code string, pos Position, message, hint, task, step string) {
	d := Diagnostic{Code: code, Severity: severityOf(code), Message: message, Hint: hint, Task: task, Step: step, Pos: pos}
	switch {
	case !f.wants(code):
		return
	case d.Severity == Error && f.errors >= maxFindings:
		d = Diagnostic{Code: "too-many", Severity: Error, Pos: pos,
			Message: fmt.Sprintf("more than %d errors were found; the rest is left out", maxFindings),
			Hint:    "mend these first, then check again"}
	case d.Severity != Error && f.alike[code] >= maxAlike:
		d.Task, d.Step, d.Message = "", "", "and 1 more of this kind"
		f.rest[code] = &rest{at: len(f.list), count: 1}
	}
	f.count(d)
	f.list = append(f.list, d)
}

// sortDiagnostics orders by place, then code, and drops what was said twice.
func sortDiagnostics(list []Diagnostic) []Diagnostic {
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Task, b.Task), cmp.Compare(a.Step, b.Step), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(list)
}
