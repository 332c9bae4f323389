package spec

import (
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
)

// TestAnotherMethodIsKept: how the parameters do a step that the Markdown does
// otherwise is part of the plan, and of its digest; what both say stands once.
func TestAnotherMethodIsKept(t *testing.T) {
	markdown, toml := example(false)
	read := func(line string) *plan.Draft {
		d, err := read(texts(markdown, strings.Replace(toml, "description = \"Write the page\"",
			"description = \"Write the page\"\n"+line, 1)))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	kept := func(d *plan.Draft) string {
		for _, s := range d.Plan.Settings {
			if strings.HasPrefix(s.Key, "metadata.tasks.2.steps.1.method_in_") {
				return s.Key[len("metadata.tasks.2.steps.1."):] + " " + s.Value.Text
			}
		}
		return ""
	}
	for line, want := range map[string]string{
		`action = "Copy the design"`:         "method_in_parameters Copy the design",
		`action = "Describe the answer 429"`: "",
		`run = "make page"`:                  "method_in_markdown Describe the answer 429",
		``:                                   "",
	} {
		if got := kept(read(line)); got != want {
			t.Errorf("%s: kept %q, want %q", line, got, want)
		}
	}
}
