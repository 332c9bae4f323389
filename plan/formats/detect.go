package formats

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/phase"
	"github.com/planlock/planlock/plan/formats/internal/spec"
	"github.com/planlock/planlock/plan/formats/internal/tasklist"
	"github.com/planlock/planlock/plan/native"
)

// detect names the format of a text by its content, and returns who reads it:
// nil for native plans and for a text that is no plan, which is [plan.Unknown].
// Where two formats look alike, the name of the file decides.
func detect(name string, text []byte) (plan.Format, *front) {
	if bytes.IndexByte(text, 0) >= 0 {
		return plan.Unknown, nil
	}
	if isNative(name, text) {
		return plan.Native, nil
	}
	found := plan.Unknown
	var by *front
	for _, f := range fronts(name, text) {
		switch format := f.detect(name, text); {
		case format == plan.Unknown:
		case by == nil && bare(format, name, text): // any page may be more than that
			found, by = format, &f
		case by == nil, format == tasklist.Markdown:
			return format, &f
		}
	}
	return found, by
}

// bare reports whether a text was taken for a format by its name or its heading
// Goal, and has nothing else of it: no task of its form.
func bare(format plan.Format, name string, text []byte) bool {
	switch format {
	case phase.Format:
		return !phase.Shows(text)
	case spec.Markdown:
		return !spec.Shows(name, text)
	}
	return false
}

// ours are tables and keys that no other format has.
var ours = lazyre.New(`(?m)^\s*(?:\[\[\s*(?:requirements|non_goals|invariants|assumptions)\s*\]\]|\[\s*defaults\s*\]|artifacts\s*=)`)

// isNative reports whether a text is to be judged as a native plan. One that
// does not say its schema is told so, unless it is called like the parameters of
// a SPEC, which may hold everything that a native plan may.
func isNative(name string, text []byte) bool {
	switch ext := strings.ToLower(filepath.Ext(name)); {
	case ext == ".toml":
		return native.SaysSchema(text) || strings.EqualFold(filepath.Base(name), "plan.toml") ||
			ours.Match(text) && !isParameters(name)
	case ext == ".md", ext == ".markdown", ext == ".json", ext == ".jsonl":
		return false
	}
	return !isJSON(name, text) && native.SaysSchema(text)
}
