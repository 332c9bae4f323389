package phase_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/phase"
)

// draw reads an example, of one file or of several.
func draw(t *testing.T, text string) *plan.Draft {
	t.Helper()
	if !strings.HasPrefix(text, "==> ") {
		return read(t, "x-PLAN.md", text)
	}
	var files []plan.Text
	for _, part := range strings.Split(text[len("==> "):], "==> ") {
		name, body, _ := strings.Cut(part, "\n")
		files = append(files, plan.Text{Path: name, Text: []byte(body)})
	}
	d, err := phase.ReadSet(files)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestCodes holds that every code is drawn by its bad example, with a place and a hint, and not by its good one.
func TestCodes(t *testing.T) {
	codes := phase.Codes()
	if !slices.IsSortedFunc(codes, func(a, b plan.Code) int { return strings.Compare(a.Code, b.Code) }) {
		t.Error("not sorted")
	}
	for _, c := range codes {
		if c.Bad == "" {
			c.Bad, c.Good = many("## Task %d: x\n"), "## Task 1: x\n"
		}
		bad := draw(t, c.Bad)
		at := slices.IndexFunc(bad.Found, func(d plan.Diagnostic) bool { return d.Code == c.Code })
		if at < 0 {
			t.Errorf("%s: not drawn by\n%.400s\n%v", c.Code, c.Bad, bad.Found)
			continue
		}
		if d := bad.Found[at]; d.Severity != c.Severity || d.Hint == "" || d.Pos.Line < 1 || bad.Line(d.Pos) == "" {
			t.Errorf("%s: %+v", c.Code, d)
		}
		for _, d := range draw(t, c.Good).Found {
			if d.Code == c.Code || d.Severity == plan.Error {
				t.Errorf("%s: the good example draws %v", c.Code, d)
			}
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
