package native

import (
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
)

// fences returns the pieces of a page in ```toml fences with a label behind.
func fences(page, label string) []string {
	var list []string
	for _, part := range strings.Split(page, "```toml "+label+"\n")[1:] {
		text, _, _ := strings.Cut(part, "```")
		list = append(list, text)
	}
	return list
}

func TestFormatPage(t *testing.T) {
	page := readText(t, "../../docs/plan-format.md")
	plans := fences(page, "plan")
	if len(plans) != 2 {
		t.Errorf("%d plans", len(plans))
	}
	for _, text := range plans {
		for _, f := range mustRead(t, text).Check(plan.CheckOptions{}) {
			t.Errorf("%v\n%s", f, text)
		}
	}
	for _, text := range fences(page, "piece") {
		for _, f := range mustRead(t, limitsPlan(t)+text).Check(plan.CheckOptions{}) {
			t.Errorf("%v\n%s", f, text)
		}
	}
}

// The page names every key of every table, every kind of check and every free
// table.
func TestFormatPageIsComplete(t *testing.T) {
	page := readText(t, "../../docs/plan-format.md")
	var walk func(path string, fields []Field)
	walk = func(path string, fields []Field) {
		for _, f := range fields {
			if !strings.Contains(page, f.Name) {
				t.Errorf("%s.%s is not on the page", path, f.Name)
			}
			for _, word := range f.Words {
				if !strings.Contains(page, "`"+word+"`") {
					t.Errorf("%s.%s: %q is not on the page", path, f.Name, word)
				}
			}
			if f.Items != nil {
				f = *f.Items
			}
			walk(path+"."+f.Name, f.Fields)
		}
	}
	walk("", Fields())
	if free := "`" + strings.Join(freeTables(), "`, `") + "`"; !strings.Contains(page, free) {
		t.Errorf("the free tables should be\n%s", free)
	}
}

func freeTables() (names []string) {
	for _, f := range Fields() {
		if f.Open && len(f.Fields) == 0 {
			names = append(names, f.Name)
		}
	}
	return names
}

func TestEncodingPage(t *testing.T) {
	page := readText(t, "../../docs/canonical-encoding.md")
	d := mustRead(t, readText(t, "../testdata/minimal.toml"))
	for _, want := range []string{"```toml minimal\n" + readText(t, "../testdata/minimal.toml") + "```",
		string(d.Plan.Canonical()), string(d.Plan.Digest())} {
		if !strings.Contains(page, want) {
			t.Errorf("the page should have\n%s", want)
		}
	}
}
