package planfile

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/plan"
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

// Detect names the format of a text by its content; where two formats look alike, the name of the file
// decides. A text that is no plan is [plan.Unknown].
func Detect(name string, text []byte) plan.Format {
	format, _ := detect(name, text)
	return format
}

// detect also returns who reads the format, nil for native plans and for what is unknown.
func detect(name string, text []byte) (plan.Format, *front) {
	if bytes.IndexByte(text, 0) >= 0 {
		return plan.Unknown, nil
	}
	isTOML := strings.EqualFold(filepath.Ext(name), ".toml")
	if isTOML && plan.SaysSchema(text) {
		return plan.Native, nil
	}
	for _, f := range fronts() {
		if format := f.detect(name, text); format != plan.Unknown {
			return format, &f
		}
	}
	return plan.Unknown, nil
}

// isJSON reports whether a text begins as JSON does, or JSON Lines.
func isJSON(text []byte) bool {
	text = bytes.TrimSpace(stripped(text))
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}
