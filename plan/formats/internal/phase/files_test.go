package phase

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplitFiles(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{}},
		{"a.go, b.go", []string{"a.go", "b.go"}},
		{"\n    a.go\n    b.go (DELETE)\n", []string{"a.go", "b.go"}},
		{"- `a.go` - add a hook\n- `b.go` — and another, `c.go`", []string{"a.go", "b.go", "c.go"}},
		{"`a.go` (lines 1, 2), `b.go` (lines 3-4)", []string{"a.go", "b.go"}},
		{"NEW — `src/a.tsx`", []string{"src/a.tsx"}},
		{"`x/PLAN.md` (or STATE.md)", []string{"x/PLAN.md"}},
		{"Create: a.go", []string{"a.go"}},
		{"None", []string{}},
		{"N/A - only looking", []string{}},
		{"[\"a.csv\", \"b.csv\"]", []string{"a.csv", "b.csv"}},
		{"All prompts with sections", nil},
		{"app/chat.$id.tsx", []string{"app/chat.$id.tsx"}},
		{"`a.go:12-30`", []string{"a.go"}},
		{"site/", []string{"site/"}},
		{"Makefile # the build", []string{"Makefile"}},
	} {
		if diff := cmp.Diff(c.want, splitFiles(strings.Split(c.text, "\n"))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestSplitNames(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"none", []string{}}, {"Nothing (phase 1 is done)", []string{}}, {"[]", []string{}}, {"-", []string{}},
		{"T1-001, T1-002", []string{"T1-001", "T1-002"}}, {"Task 1 and Task 2", []string{"1", "2"}},
		{`["A", 'B']`, []string{"A", "B"}},
		{"`A` (for its types)", []string{"A"}}, {"the second phase", []string{"the second phase"}},
	} {
		if diff := cmp.Diff(c.want, splitNames(c.text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestFold(t *testing.T) {
	for _, c := range [][2]string{{"01", "1"}, {"04-01", "4-1"}, {"0", "0"}, {"12a", "12a"}, {"T1-001", "t1-1"},
		{"10", "10"}, {"00", "0"}} {
		if got := fold(c[0]); got != c[1] {
			t.Errorf("fold(%q) = %q, want %q", c[0], got, c[1])
		}
	}
}
