package plan

import (
	"bytes"
	"fmt"
	"strings"
)

const readHint = "a native plan is a TOML file that begins with  schema = 1"

// isNative reports whether a TOML document is a native plan, and says what is missing if not.
func isNative(src *source, root *node, found *findings) bool {
	if schema := root.find("schema"); schema != nil {
		if schema.kind == kindInteger && schema.text == fmt.Sprint(schemaVersion) {
			return true
		}
		found.add("schema-unsupported", src.position(root.locate("schema")),
			fmt.Sprintf("the schema is %q, and this program reads schema %d", schema.text, schemaVersion), "write  schema = 1")
		return false
	}
	for _, m := range root.keys {
		if strings.EqualFold(m.name, "schema") {
			found.add("key-case", src.position(m.offset), fmt.Sprintf("%q is spelled \"schema\"", m.name), "keys are spelled exactly so: schema")
			return false
		}
	}
	switch {
	case root.find("tasks") != nil && (root.find("goal") != nil || root.find("requirements") != nil):
		found.add("schema-missing", Position{File: src.name, Line: 1, Column: 1}, "the plan does not say which schema it has",
			"write  schema = 1  on the first line")
	case len(root.keys) == 0:
		found.add("not-a-plan", Position{File: src.name, Line: 1, Column: 1}, "the file is empty", readHint)
	default:
		found.add("not-a-plan", Position{File: src.name, Line: 1, Column: 1}, "this is TOML, but not a plan", readHint)
	}
	return false
}

// notTOML adds what a text that is no TOML looks like.
func notTOML(src *source, found *findings) {
	if looks := lookOf(src.name, src.text); looks != "" {
		found.add("not-a-plan", Position{File: src.name, Line: 1, Column: 1}, "this looks like "+looks, readHint)
	}
}

func lookOf(name string, text []byte) string {
	start := bytes.TrimSpace(text)
	switch {
	case bytes.IndexByte(text, 0) >= 0:
		return "a binary file"
	case bytes.HasPrefix(start, []byte("{")):
		return "JSON"
	case bytes.HasPrefix(start, []byte("---\n")), bytes.HasPrefix(start, []byte("---\r\n")):
		return "Markdown with front matter, or YAML"
	case strings.HasSuffix(name, ".md"):
		return "Markdown"
	case strings.HasSuffix(name, ".yaml"), strings.HasSuffix(name, ".yml"):
		return "YAML"
	case bytes.HasPrefix(start, []byte("<")):
		return "XML or HTML"
	case bytes.HasPrefix(start, []byte("#!")):
		return "a script"
	}
	return ""
}
