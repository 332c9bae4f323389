// Package codestest tests the codes that a reader of plans lists: each is drawn
// by its bad example and not by its good one.
package codestest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/planlock/planlock/plan"
)

// An Example is a text that draws a code, and one that does not.
type Example struct{ Bad, Good string }

// A Reader is what is tested.
type Reader struct {
	Codes []plan.Code
	Read  func(t *testing.T, text string) *plan.Draft
	// More are examples that are too long for testdata/codes.toml, by their
	// codes.
	More map[string]Example
	// Lenient lets good examples draw other codes that are no errors.
	Lenient bool
}

// Run holds that the codes are sorted, and that every code is drawn by its bad
// example, with its severity, a place and a hint, and not by its good one.
func Run(t *testing.T, r Reader) {
	text, err := os.ReadFile(filepath.Join("testdata", "codes.toml"))
	if err != nil {
		t.Fatal(err)
	}
	examples := map[string]Example{}
	if err := toml.Unmarshal(text, &examples); err != nil {
		t.Fatal(err)
	}
	for code, e := range r.More {
		examples[code] = e
	}
	if !slices.IsSortedFunc(r.Codes, func(a, b plan.Code) int { return strings.Compare(a.Code, b.Code) }) {
		t.Error("not sorted")
	}
	if len(examples) != len(r.Codes) {
		t.Errorf("there are %d examples of %d codes", len(examples), len(r.Codes))
	}
	for _, c := range r.Codes {
		e, ok := examples[c.Code]
		if !ok {
			t.Errorf("%s: there is no example", c.Code)
			continue
		}
		bad := r.Read(t, e.Bad)
		at := slices.IndexFunc(bad.Found, func(d plan.Diagnostic) bool { return d.Code == c.Code })
		if at < 0 {
			t.Errorf("%s: not drawn by\n%.400s\n%v", c.Code, e.Bad, bad.Found)
			continue
		}
		if d := bad.Found[at]; d.Severity != c.Severity || d.Hint == "" || d.Pos.Line < 1 || bad.Line(d.Pos) == "" {
			t.Errorf("%s: %+v", c.Code, d)
		}
		for _, d := range r.Read(t, e.Good).Found {
			if !r.Lenient || d.Code == c.Code || d.Severity == plan.Error {
				t.Errorf("%s: the good example draws %v", c.Code, d)
			}
		}
	}
}

// Many repeats a line with a number, more often than is read.
func Many(line string) string {
	var b strings.Builder
	for i := range 12_001 {
		fmt.Fprintf(&b, line, i+2)
	}
	return b.String()
}
