package spec

import (
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
)

// A SPEC says in its Markdown, or in its parameters, which pattern it was made
// from. What the parameters say goes first.
func TestPatternOfTheMarkdown(t *testing.T) {
	const goal = "## Goal\nMove the mail\n\n"
	for name, c := range map[string]struct{ markdown, toml, want string }{
		"plain lines of the head": {"# S\n\npattern_name: token bucket\npattern_technologies: go, redis\n\n" + goal, "",
			"pattern_name=token bucket pattern_technologies=go, redis"},
		"a list": {"# S\n- **pattern_name:** `bucket`\n- Risk assessment: LOW\n\n" + goal, "", "pattern_name=bucket risk_assessment=LOW"},
		"texts of a list": {"# S\n\npattern_name: \"bucket\"\npattern_technologies: [\"go\", `redis`, 'c', 'd']\n\n" + goal, "",
			"pattern_name=bucket pattern_technologies=go, redis, c, d"},
		"a list below": {"# S\n\n- **pattern_technologies:**\n  - go\n\n  - `redis`\n- **pattern_reference:**\n- **pattern_name:** bucket\n- more\n\n" + goal, "",
			"pattern_name=bucket pattern_technologies=go, redis"},
		"a table": {"# S\n\n" + goal + "## Metadata\n\n| Field | Value |\n|---|---|\n| pattern_name | `bucket` |\n| **Risk assessment** | LOW |\n", "",
			"pattern_name=bucket risk_assessment=LOW"},
		"labels in bold":    {"# S\n\n**Pattern Name:** bucket\n\n" + goal, "", "pattern_name=bucket"},
		"a section of meta": {"# S\n### [META]\n- **Pattern confidence:** HIGH\n\n" + goal + "## Metadata\npattern_name: bucket\n", "", "pattern_confidence=HIGH pattern_name=bucket"},
		"another section":   {"# S\n\n" + goal + "## Risks\npattern_name: bucket\n", "", ""},
		"both":              {"# S\n\npattern_name: bucket\n\n" + goal, "[meta]\npattern_name = \"sieve\"\n", "pattern_name=sieve"},
		"nothing behind it": {"# S\n\npattern_name:\n\n" + goal, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := ReadPair(plan.Text{Path: "spec_mail.md", Text: []byte(c.markdown)},
				plan.Text{Path: "parameters_mail.toml", Text: []byte(c.toml + "[goal]\ndescription = \"Move the mail\"\n")})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range d.Plan.Meta.Extra {
				if s.Key != "title" {
					got = append(got, s.Key+"="+s.Value.Text)
				}
			}
			if got := strings.Join(got, " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// What a SPECLet depends on is compared in whichever way the Markdown lists it.
func TestDependsInALabelledList(t *testing.T) {
	for name, line := range map[string]string{
		"the key":          "- depends_on: [c]\n- tasks: [1]\n",
		"a label":          "- **Depends on:** c\n",
		"a label of a key": "- **depends_on:** [\"c\"]\n",
		"nested":           "- **Depends on:**\n  - SPECLet [c]\n",
		"a paragraph":      "**Depends on:** c\n",
	} {
		t.Run(name, func(t *testing.T) {
			d, err := ReadPair(plan.Text{Path: "spec_mail.md", Text: []byte("### SPECLet [a]: First\n" + line)},
				plan.Text{Path: "parameters_mail.toml", Text: []byte("[[speclets]]\nid = \"a\"\ndescription = \"First\"\ndepends_on = [\"b\"]\n")})
			if err != nil {
				t.Fatal(err)
			}
			found := d.Check(plan.CheckOptions{})
			for _, f := range found {
				if f.Code == "speclet-dep-differs" {
					return
				}
			}
			t.Errorf("nobody tells that the halves differ: %v", found)
		})
	}
}
