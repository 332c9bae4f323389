// Package codestest tests the codes that a reader of plans reports. They stand
// in testdata/codes.toml beside the reader, with how grave each is, why it is
// there, a text that draws it and one that does not; docs/formats.md is drawn
// from the same files.
package codestest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan"
)

// A Code is one that a reader reports, with a text that draws it, and one that
// does not.
type Code struct {
	Severity  plan.Severity
	Why       string
	Bad, Good string
}

// Codes reads those of the reader in a folder, by name.
func Codes(t *testing.T, dir string) map[string]Code {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "testdata", "codes.toml"))
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]Code{}
	if err := toml.Unmarshal(text, &codes); err != nil {
		t.Fatal(err)
	}
	return codes
}

// A Reader is what is tested.
type Reader struct {
	Read func(t *testing.T, text string) *plan.Draft
	// TooMany draws too-many-tasks, and is too long for the file.
	TooMany string
	// Lenient lets good examples draw other codes that are no errors.
	Lenient bool
}

// reported finds the codes in the source of a reader.
var reported = lazyre.New(`"([a-z]+(?:-[a-z]+)+)", plan\.(?:Error|Warning|Note)\b`)

// Run holds that the file names the codes that the source reports, and that
// every code is drawn by its bad example, with its severity, a place and a hint,
// and not by its good one.
func Run(t *testing.T, r Reader) {
	codes := Codes(t, ".")
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range reported.FindAllStringSubmatch(string(text), -1) {
			if _, ok := codes[m[1]]; !ok && !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s reports %s, which testdata/codes.toml does not name", name, m[1])
			}
		}
	}
	for name, c := range codes {
		if name == "too-many-tasks" {
			c.Bad = r.TooMany
		}
		bad := r.Read(t, c.Bad)
		at := slices.IndexFunc(bad.Found, func(d plan.Diagnostic) bool { return d.Code == name })
		if at < 0 {
			t.Errorf("%s: not drawn by\n%.400s\n%v", name, c.Bad, bad.Found)
			continue
		}
		if d := bad.Found[at]; d.Severity != c.Severity || d.Hint == "" || d.Pos.Line < 1 || bad.Line(d.Pos) == "" {
			t.Errorf("%s: %+v", name, d)
		}
		for _, d := range r.Read(t, c.Good).Found {
			if !r.Lenient || d.Code == name || d.Severity == plan.Error {
				t.Errorf("%s: the good example draws %v", name, d)
			}
		}
	}
}

// Many repeats a line with a number, more often than is read.
func Many(line string) string {
	var b strings.Builder
	for i := range 12_001 {
		fmt.Fprintf(&b, line, i+2)
	}
	return b.String()
}
