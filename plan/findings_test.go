package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
)

// longPlan has n steps of three warnings and notes each, and no errors.
func longPlan(t testing.TB, n int) string {
	head, _, ok := strings.Cut(limitsPlan(t), "[[tasks]]")
	if !ok {
		t.Fatal("the plan has no tasks")
	}
	var b strings.Builder
	b.WriteString("profile = \"observe\"\n" + strings.Replace(head, "profile = \"strict\"\n", "", 1) + "\n[[tasks]]\nid = 1\n")
	for i := range n {
		fmt.Fprintf(&b, "[[tasks.steps]]\nid = %d\ndescription = \"x\"\nrequirements = [\"R1\", \"R2\"]\nrollback = \"irreversible\"\nartifacts = { modify = [\"a\", \"a\"] }\n", i)
	}
	return b.String()
}

// Warnings refuse nothing, however many there are.
func TestManyWarningsAreGrouped(t *testing.T) {
	d := mustRead(t, longPlan(t, 10_000))
	found := d.Check(plan.CheckOptions{})
	for _, code := range []string{"artifact-twice", "acknowledgement-needed", "method-is-description"} {
		var of []plan.Diagnostic
		for _, f := range found {
			if f.Code == code {
				of = append(of, f)
			}
		}
		if len(of) != plan.MaxAlike+1 {
			t.Errorf("%s stands %d times", code, len(of))
			continue
		}
		last := of[plan.MaxAlike]
		if want := fmt.Sprintf("and %d more of this kind", 10_000-plan.MaxAlike); last.Message != want ||
			last.Severity != plan.SeverityOf(code) || last.Step != "" ||
			last.Pos.Line <= of[plan.MaxAlike-1].Pos.Line || last.Hint == "" {
			t.Errorf("%+v", last)
		}
	}
	if i := slices.IndexFunc(found, func(f plan.Diagnostic) bool { return f.Severity == plan.Error }); i >= 0 {
		t.Errorf("%v", found[i])
	}
}

// Fifty and one of a kind, and errors behind many warnings.
func TestFindingsBounds(t *testing.T) {
	for n, want := range map[int]int{plan.MaxAlike: plan.MaxAlike, plan.MaxAlike + 1: plan.MaxAlike + 1,
		plan.MaxAlike + 9: plan.MaxAlike + 1} {
		f := &plan.Diagnostics{}
		for range n {
			f.Add(plan.Diagnostic{Code: "artifact-twice", Message: "twice", Hint: ""})
		}
		if len(f.List()) != want {
			t.Errorf("%d warnings became %d", n, len(f.List()))
		}
	}
	f := &plan.Diagnostics{}
	for range 5 * plan.MaxFindings {
		f.Add(plan.Diagnostic{Code: "text-hidden", Message: "hidden", Hint: ""})
		f.Add(plan.Diagnostic{Code: "step-no-requirement", Message: "why", Hint: ""})
	}
	errors := 0
	for _, d := range f.List() {
		if d.Severity == plan.Error {
			errors++
		}
	}
	if last := f.List()[len(f.List())-1]; errors != plan.MaxFindings+1 || last.Code != "too-many" || !f.Cut() {
		t.Errorf("%d errors, the last is %+v", errors, last)
	}
	if again := plan.DiagnosticsOf(f.List()); again.Wants("id-missing") {
		t.Error("what was cut off goes on")
	}
}
