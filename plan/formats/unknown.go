package formats

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/formats/internal/page"
	"github.com/planlock/planlock/plan/native"
)

// wouldRead says what a plan can be.
const wouldRead = "what would be read: plan.toml (schema = 1), spec_NAME.md with parameters_NAME.toml, NAME-PLAN.md, pending_actions.json, " +
	"tasks.md of spec-kit, Kiro or OpenSpec, tasks.json of Task Master, issues.jsonl of beads, an ExecPlan, a superpowers plan, or any Markdown with checkboxes, a numbered list or a heading Steps, " +
	"as in  - [ ] Create `src/a.go` with the parser  on a line for each"

// unknown is the draft of a text that is no plan. TOML is judged by the native
// reader, which knows what is missing.
func unknown(name string, text []byte) (*plan.Draft, error) {
	if isTOML(name) {
		return native.Read(name, text)
	}
	found := plan.Diagnostic{Code: "not-a-plan", Severity: plan.Error,
		Pos:     plan.Position{File: name, Line: 1, Column: 1},
		Message: "this is no plan that can be read: it looks like " + look(name, text), Hint: wouldRead}
	return plan.Assemble(plan.Parts{Format: plan.Unknown, Broken: true, Files: []plan.Text{{Path: name, Text: text}},
		Found: []plan.Diagnostic{found}}), nil
}

// look says what a text looks like.
func look(name string, text []byte) string {
	text = bytes.TrimSpace(outline.Body(text))
	ext := strings.ToLower(filepath.Ext(name))
	switch {
	case len(text) == 0:
		return "an empty file"
	case bytes.IndexByte(text, 0) >= 0:
		return "a binary file"
	case !utf8.Valid(text):
		return "text that is not UTF-8"
	case text[0] == '{' || text[0] == '[' && (ext == ".json" || json.Valid(text)):
		return lookOfJSON(text)
	case bytes.HasPrefix(text, []byte("#!")):
		return "a script"
	case bytes.HasPrefix(text, []byte("<!")) && ext != ".md", bytes.HasPrefix(text,
		[]byte("<?")), bytes.HasPrefix(bytes.ToLower(text), []byte("<html")):
		return "XML or HTML"
	case ext == ".yaml" || ext == ".yml":
		return "YAML"
	case ext == ".md" || ext == ".markdown" || bytes.HasPrefix(text, []byte("#")) ||
		bytes.Contains(text, []byte("\n#")) || bytes.HasPrefix(text, []byte("---\n")):
		return lookOfMarkdown(text)
	}
	return "plain text"
}

// lookOfJSON names the first keys of a document.
func lookOfJSON(text []byte) string {
	dec := json.NewDecoder(bytes.NewReader(text))
	first, err := dec.Token()
	if err != nil {
		return "broken JSON"
	}
	if first == json.Delim('[') {
		return "a JSON list whose items are no tasks"
	}
	var keys []string
	for dec.More() && len(keys) < 6 {
		key, err := dec.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return "broken JSON"
		}
		keys = append(keys, name)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return "broken JSON"
		}
	}
	if len(keys) == 0 {
		return "an empty JSON object"
	}
	return fmt.Sprintf("a JSON object with the keys %s", strings.Join(keys, ", "))
}

// lookOfMarkdown counts what could have been tasks, and names a heading below which
// nobody looks for any.
func lookOfMarkdown(text []byte) string {
	headings, boxes, below := 0, 0, ""
	var apart string // the heading of the last section, if it is one of no tasks
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if level, title := outline.Heading(string(line)); level > 0 {
			headings++
			if apart = ""; page.RoleOf(title) != page.Open && page.RoleOf(title) != page.Work {
				apart = title
			}
		}
		if bytes.HasPrefix(line, []byte("- [")) {
			boxes++
			below = cmp.Or(below, apart)
		}
	}
	said := fmt.Sprintf("Markdown (headings: %d, checkboxes: %d) without tasks in a form that is known", headings, boxes)
	if below != "" {
		said += fmt.Sprintf("; what stands below the heading %q is not read as tasks: call it Tasks if it is", below)
	}
	if t := outline.New("", text); t.Open >= 0 && boxes > 0 {
		said += fmt.Sprintf("; what begins with %s and takes them does not end", strings.TrimSpace(t.Line(t.Open)))
	}
	return said
}
