package tasklist_test

import (
	"testing"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/codestest"
	"github.com/planlock/planlock/plan/formats/internal/tasklist"
)

// TestCodes holds that every code is drawn by its bad example, with a place and
// a hint, and not by its good one.
func TestCodes(t *testing.T) {
	codestest.Run(t, codestest.Reader{
		Read: func(t *testing.T, text string) *plan.Draft {
			read := tasklist.Read
			if tasklist.Detect("tasks.md", []byte(text)) == plan.Unknown &&
				tasklist.DetectMarkdown("tasks.md", []byte(text)) != plan.Unknown {
				read = tasklist.ReadMarkdown
			}
			d, err := read("tasks.md", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			return d
		},
		TooMany: codestest.Many("- [ ] T%04d x\n"),
	})
}
