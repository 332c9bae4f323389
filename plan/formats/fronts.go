package formats

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/intake"
	"github.com/planlock/planlock/plan/formats/phase"
	"github.com/planlock/planlock/plan/formats/spec"
	"github.com/planlock/planlock/plan/formats/tasklist"
)

// fronts lists the readers of other formats in the order in which they are
// asked: those with narrow forms first. A phase plan is known by its name or by
// headings that others have too, so its reader comes first for files called so,
// and last for all others. What is called TOML is read as nothing else.
func fronts(name string) []front {
	if isTOML(name) {
		return []front{{specFormat, spec.Read}}
	}
	return []front{
		{one(plan.PhasePlan, isNamedPhase), phase.Read},
		{intake.Detect, intake.Read},
		{specFormat, spec.Read},
		{tasklist.Detect, tasklist.Read},
		{one(plan.PhasePlan, isPhase), phase.Read},
	}
}

// isPhase reports whether a text that nobody else reads is a phase plan.
func isPhase(name string, text []byte) bool {
	return !isJSON(name, text) && phase.Detect(name, text)
}

// isNamedPhase reports whether a phase plan is called so.
func isNamedPhase(name string, text []byte) bool {
	return phase.Named(name) && isPhase(name, text)
}

// specFormat tells the halves of a SPEC apart.
func specFormat(name string, text []byte) plan.Format {
	switch {
	case isJSON(name, text) || !spec.Detect(name, text):
		return plan.Unknown
	case isTOML(name):
		return plan.SpecTOML
	}
	return plan.SpecMarkdown
}

// A front is a reader of formats.
type front struct {
	// detect names the format of a text, or says [plan.Unknown].
	detect func(name string, text []byte) plan.Format
	read   func(name string, text []byte) (*plan.Draft, error)
}

// one is the detection of a front that reads one format.
func one(format plan.Format, is func(name string, text []byte) bool) func(string, []byte) plan.Format {
	return func(name string, text []byte) plan.Format {
		if is(name, text) {
			return format
		}
		return plan.Unknown
	}
}

// isTOML reports whether a file is TOML by the ending of its name.
func isTOML(name string) bool { return strings.EqualFold(filepath.Ext(name), ".toml") }

// isJSON reports whether a text begins as JSON does, or JSON Lines. So do TOML
// and Markdown, by their names.
func isJSON(name string, text []byte) bool {
	if ext := strings.ToLower(filepath.Ext(name)); ext == ".toml" || ext == ".md" || ext == ".markdown" {
		return false
	}
	text = bytes.TrimSpace(stripped(text))
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// stripped is a text without a byte order mark.
func stripped(text []byte) []byte { return bytes.TrimPrefix(text, byteOrderMark) }

var byteOrderMark = []byte("\xef\xbb\xbf")
