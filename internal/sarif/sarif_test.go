package sarif

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"
)

func TestURIOf(t *testing.T) {
	tests := map[string]string{"a b/c#.md": "a%20b/c%23.md", "./x.md": "x.md", "../x.md": "../x.md"}
	if runtime.GOOS != "windows" {
		tests["/tmp/ä.md"] = "file:///tmp/%C3%A4.md"
	}
	for file, want := range tests {
		if got := uriOf(file); got != want {
			t.Errorf("%s is %s, want %s", file, got, want)
		}
	}
}

// TestNew: rules are listed once, in order, and what is not known is not there.
func TestNew(t *testing.T) {
	log := New("v1.2.3", []Finding{{Rule: "b", Level: "error", Text: "one", File: "a.go"},
		{Rule: "a", Why: "why", Level: "note", Text: "two", Address: "1.1"},
		{Rule: "b", Level: "warning", Text: "three", File: "a.go", Line: 3}, {Rule: "c", Level: "note", Text: "four"}})
	got, err := json.Marshal(log.Runs[0])
	for _, want := range []string{`"semanticVersion":"1.2.3","rules":[{"id":"a","shortDescription":{"text":"why"}},{"id":"b"},{"id":"c"}]`,
		`{"ruleId":"b","ruleIndex":1,"level":"error","message":{"text":"one"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.go"}}}]}`,
		`"ruleIndex":0,"level":"note","message":{"text":"two"},"locations":[{"logicalLocations":[{"fullyQualifiedName":"1.1"}]}]`,
		`"region":{"startLine":3}`, `"message":{"text":"four"},"locations":[]`} {
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s does not hold %s (%v)", got, want, err)
		}
	}
	for _, version := range []string{"", "devel", "v1.2", "(devel)"} {
		if v := New(version, nil).Runs[0].Tool.Driver.Version; v != "" {
			t.Errorf("%s is taken for %s", version, v)
		}
	}
}
