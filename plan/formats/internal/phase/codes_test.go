package phase_test

import (
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/codestest"
	"github.com/planlock/planlock/plan/formats/internal/phase"
)

// draw reads an example, of one file or of several: a line "==> NAME" comes
// before each.
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

// TestCodes holds that every code is drawn by its bad example, with a place and
// a hint, and not by its good one.
func TestCodes(t *testing.T) {
	codestest.Run(t, codestest.Reader{
		Read:    draw,
		TooMany: codestest.Many("## Task %d: x\n"),
		Lenient: true,
	})
}
