package formats

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/intake"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/formats/internal/phase"
	"github.com/planlock/planlock/plan/formats/internal/spec"
	"github.com/planlock/planlock/plan/formats/internal/tasklist"
)

// A front is a reader of formats.
type front struct {
	// detect names the format of a text, or says [plan.Unknown].
	detect func(name string, text []byte) plan.Format
	read   func(name string, text []byte) (*plan.Draft, error)
}

// fronts lists the readers of other formats that a text may be for, in the order
// in which they are asked: those with narrow forms first. A phase plan is known
// by its name, or by headings that others have too, so its reader comes last
// for files that are not called so. A page that shows no mark of any comes last.
// What is called TOML is read as nothing else.
func fronts(name string, text []byte) []front {
	var (
		halves  = front{spec.Detect, spec.Read}
		phases  = front{phase.Detect, phase.Read}
		objects = front{intake.Detect, intake.Read}
		lists   = front{tasklist.Detect, tasklist.Read}
		pages   = front{tasklist.DetectMarkdown, tasklist.ReadMarkdown}
	)
	switch {
	case isTOML(name):
		return []front{halves}
	case phase.Named(name):
		return []front{phases, pages}
	case isJSON(name, text):
		return []front{objects, lists}
	}
	return []front{objects, halves, lists, phases, pages}
}

// isTOML reports whether a file is TOML by the ending of its name.
func isTOML(name string) bool { return strings.EqualFold(filepath.Ext(name), ".toml") }

// isJSON reports whether a text begins as JSON does, or JSON Lines. So do TOML
// and Markdown, by their names.
func isJSON(name string, text []byte) bool {
	if ext := strings.ToLower(filepath.Ext(name)); ext == ".toml" || ext == ".md" || ext == ".markdown" {
		return false
	}
	text = bytes.TrimSpace(outline.Body(text))
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}
