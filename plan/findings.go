package plan

import (
	"cmp"
	"fmt"
	"slices"
)

// maxFindings bounds what is reported of one plan: who wrote more faults than this will read it again.
const maxFindings = 1000

// findings collects diagnostics. The severity of each follows from its code.
type findings struct {
	list []Diagnostic
	cut  bool
}

func (f *findings) add(code string, pos Position, message, hint string) {
	f.addFor(code, pos, message, hint, "", "")
}

func (f *findings) addFor(code string, pos Position, message, hint, task, step string) {
	if f.cut {
		return
	}
	if len(f.list) == maxFindings {
		f.cut = true
		f.list = append(f.list, Diagnostic{Code: "too-many", Severity: Error, Pos: pos,
			Message: fmt.Sprintf("more than %d things were found; the rest is left out", maxFindings),
			Hint:    "mend these first, then check again"})
		return
	}
	f.list = append(f.list, Diagnostic{Code: code, Severity: severityOf(code), Message: message, Hint: hint,
		Task: task, Step: step, Pos: pos})
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
