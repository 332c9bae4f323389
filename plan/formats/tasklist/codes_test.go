package tasklist_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/tasklist"
)

// TestCodes holds that every code is drawn by its bad example, with a place and a hint, and not by its good one.
func TestCodes(t *testing.T) {
	read := func(text string) *plan.Draft {
		d, err := tasklist.Read("tasks.md", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	codes := tasklist.Codes()
	if !slices.IsSortedFunc(codes, func(a, b plan.Code) int { return strings.Compare(a.Code, b.Code) }) {
		t.Error("not sorted")
	}
	for _, c := range codes {
		if c.Bad == "" {
			c.Bad, c.Good = many("- [ ] T%04d x\n"), "- [ ] T001 x\n"
		}
		bad := read(c.Bad)
		at := slices.IndexFunc(bad.Found, func(d plan.Diagnostic) bool { return d.Code == c.Code })
		if at < 0 {
			t.Errorf("%s: not drawn: %v", c.Code, bad.Found)
			continue
		}
		if d := bad.Found[at]; d.Severity != c.Severity || d.Hint == "" || bad.Line(d.Pos) == "" {
			t.Errorf("%s: %+v", c.Code, d)
		}
		for _, d := range read(c.Good).Found {
			t.Errorf("%s: the good example draws %v", c.Code, d)
		}
	}
}

// many repeats a line with a number, more often than is read.
func many(line string) string {
	var b strings.Builder
	for i := range 12_001 {
		fmt.Fprintf(&b, line, i+2)
	}
	return b.String()
}
