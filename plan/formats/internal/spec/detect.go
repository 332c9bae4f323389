package spec

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/planlock/planlock/internal/lazyre"
	"github.com/planlock/planlock/plan"
	"github.com/planlock/planlock/plan/formats/internal/blocks"
	"github.com/planlock/planlock/plan/formats/internal/outline"
	"github.com/planlock/planlock/plan/formats/internal/sketch"
)

// The formats that are read here.
const (
	Pair                 = plan.SpecPair   // both halves
	Markdown plan.Format = "spec-markdown" // the half for people alone
	TOML     plan.Format = "spec-toml"     // the half for machines alone
)

// Is reports whether a format is read here.
func Is(f plan.Format) bool { return f == Pair || f == Markdown || f == TOML }

// Detect names the half of a pair that a text looks like, or says that it is
// unknown. In Markdown the sign is the heading Goal, or tasks with steps in the forms of a SPEC, without
// front matter or tags of another format; in TOML a goal or tasks without the
// schema of our own plans. The name tells the two apart, and speaks for a file
// that is called like a half and has less of this.
func Detect(name string, text []byte) plan.Format {
	switch toml := isTOML(name); {
	case toml && detectTOML(name, text):
		return TOML
	case !toml && detectMarkdown(name, text):
		return Markdown
	}
	return plan.Unknown
}

// isTOML reports whether a file is the half for machines, by its ending alone:
// a half is TOML or Markdown, and nothing in it says so better.
func isTOML(name string) bool { return strings.EqualFold(filepath.Ext(name), ".toml") }

var (
	// goalHeading is "## Goal", in bold or not.
	goalHeading = lazyre.New(`(?m)^ {0,3}#{1,3} +\**Goal:?\** *#* *\r?$`)
	// anyTask is a heading "### Task [1]: …".
	anyTask = lazyre.New(`(?m)^ {0,3}#{2,4} +\**Task +\[?[\w.-]+\]? *:`)
	// anyStep is a step in any of its forms.
	anyStep = lazyre.New(`(?m)^(?: {0,3}#{3,4} +Step +\[|\s*[-*+] +(?:\*\*Step +\[?[\w.-]+\]? *(?::\s*\*\*|\*\*\s*:)|Step +\d+\.\d+ *:))`)
	// anySPECLet is a heading "### SPECLet [id]: …".
	anySPECLet = lazyre.New(`(?m)^ {0,3}#{2,4} +(?i:speclet) +\[`)
	// tomlLink is the line that names the other half.
	tomlLink = lazyre.New(`(?m)^\*\*TOML Reference:\*\*`)
	// otherFormat is a tag of phase plans, whose tasks look alike.
	otherFormat = lazyre.New(`(?m)^\s*<tasks?\b[^>]*>\s*$`)
	// halfName is how the Markdown half is called.
	halfName = lazyre.New(`(?i)^(?:spec_.+|speclet_\d.*|.+_spec)\.md$`)
	// tomlGoal is a table that the parameters have.
	tomlGoal = lazyre.New(`(?m)^\s*\[\[?\s*(?:goal|goals|tasks|speclets)\s*\]`)
	// tomlSchema is the first key schema, or the first table, whichever comes
	// first.
	tomlSchema = lazyre.New(`(?m)^\s*(?:schema\s*=|\[)`)
)

// detectMarkdown asks for a sign that no other format has: a heading Goal, a
// SPECLet, or tasks together with steps of the form. Tasks alone are headings
// in many documents, so there the name of the file decides. Text in code
// fences does not count, since plans quote plans.
func detectMarkdown(name string, text []byte) bool {
	text = outline.Body(text)
	if len(text) > sketch.MaxSize || bytes.HasPrefix(text, []byte("---\n")) ||
		bytes.HasPrefix(text, []byte("---\r\n")) {
		return false
	}
	flat, _ := blocks.Flatten(text)
	if otherFormat.Match(flat) {
		return false
	}
	tasks := anyTask.Match(flat)
	return goalHeading.Match(flat) || anySPECLet.Match(flat) || tasks &&
		(anyStep.Match(flat) || tomlLink.Match(flat) || halfName.MatchString(filepath.Base(name)))
}

// Shows reports whether a text is called like a half, has a task, a step or a
// SPECLet in its forms, or names its other half: a heading Goal alone is not much.
func Shows(name string, text []byte) bool {
	flat, _ := blocks.Flatten(outline.Body(text))
	return halfName.MatchString(filepath.Base(name)) ||
		anyTask.Match(flat) || anyStep.Match(flat) || anySPECLet.Match(flat) || tomlLink.Match(flat)
}

// detectTOML asks for the tables that the parameters have. A file that says a
// schema above its first table is a native plan.
func detectTOML(name string, text []byte) bool {
	text = outline.Body(text)
	if top := tomlSchema.Find(text); bytes.Contains(top, []byte("schema")) {
		return false
	}
	return tomlGoal.Match(text) || strings.HasPrefix(strings.ToLower(filepath.Base(name)), "parameters_")
}
