package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
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
	start := time.Now()
	found := d.Check(CheckOptions{})
	took := time.Since(start)
	t.Logf("%v", took)
	if took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	for _, code := range []string{"artifact-twice", "acknowledgement-needed", "method-is-description"} {
		var of []Diagnostic
		for _, f := range found {
			if f.Code == code {
				of = append(of, f)
			}
		}
		if len(of) != maxAlike+1 {
			t.Errorf("%s stands %d times", code, len(of))
			continue
		}
		last := of[maxAlike]
		if want := fmt.Sprintf("and %d more of this kind", 10_000-maxAlike); last.Message != want || last.Severity != severityOf(code) || last.Step != "" ||
			last.Pos.Line <= of[maxAlike-1].Pos.Line || last.Hint == "" {
			t.Errorf("%+v", last)
		}
	}
	if i := slices.IndexFunc(found, func(f Diagnostic) bool { return f.Severity == Error }); i >= 0 {
		t.Errorf("%v", found[i])
	}
}

// Fifty and one of a kind, and errors behind many warnings.
func TestFindingsBounds(t *testing.T) {
	for n, want := range map[int]int{maxAlike: maxAlike, maxAlike + 1: maxAlike + 1, maxAlike + 9: maxAlike + 1} {
		f := findingsOf(nil)
		for range n {
			f.add("artifact-twice", Position{}, "twice", "")
		}
		if len(f.list) != want {
			t.Errorf("%d warnings became %d", n, len(f.list))
		}
	}
	f := &findings{}
	for range 5 * maxFindings {
		f.add("text-hidden", Position{}, "hidden", "")
		f.add("step-no-requirement", Position{}, "why", "")
	}
	errors := 0
	for _, d := range f.list {
		if d.Severity == Error {
			errors++
		}
	}
	if last := f.list[len(f.list)-1]; errors != maxFindings+1 || last.Code != "too-many" || !f.cut {
		t.Errorf("%d errors, the last is %+v", errors, last)
	}
	if again := findingsOf(f.list); again.wants("id-missing") {
		t.Error("what was cut off goes on")
	}
}
