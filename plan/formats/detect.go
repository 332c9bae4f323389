package formats

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/native"
)

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

// Detect names the format of a text by its content; where two formats look
// alike, the name of the file decides. A text that is no plan is
// [plan.Unknown].
func Detect(name string, text []byte) plan.Format {
	format, _ := detect(name, text)
	return format
}

// detect also returns who reads the format, nil for native plans and for what
// is unknown.
func detect(name string, text []byte) (plan.Format, *front) {
	if bytes.IndexByte(text, 0) >= 0 {
		return plan.Unknown, nil
	}
	if isNative(name, text) {
		return plan.Native, nil
	}
	for _, f := range fronts(name) {
		if format := f.detect(name, text); format != plan.Unknown {
			return format, &f
		}
	}
	return plan.Unknown, nil
}

// ours are tables and keys that no other format has.
var ours = lazyre.New(`(?m)^\s*(?:\[\[\s*(?:requirements|non_goals|invariants|assumptions)\s*\]\]|\[\s*defaults\s*\]|artifacts\s*=)`)

// isNative reports whether a text is to be judged as a native plan. One that
// does not say its schema is told so.
func isNative(name string, text []byte) bool {
	switch ext := strings.ToLower(filepath.Ext(name)); {
	case ext == ".toml":
		return native.SaysSchema(text) || strings.EqualFold(filepath.Base(name), "plan.toml") || ours.Match(text)
	case ext == ".md", ext == ".markdown", ext == ".json", ext == ".jsonl":
		return false
	}
	return !isJSON(name, text) && native.SaysSchema(text)
}

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
