package plan

import (
	"fmt"
	"strings"
	"testing"
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
	page := readText(t, "../docs/plan-format.md")
	plans := fences(page, "plan")
	if len(plans) != 2 {
		t.Errorf("%d plans", len(plans))
	}
	for _, text := range plans {
		for _, f := range mustRead(t, text).Check(CheckOptions{}) {
			t.Errorf("%v\n%s", f, text)
		}
	}
	for _, text := range fences(page, "piece") {
		for _, f := range mustRead(t, limitsPlan(t)+text).Check(CheckOptions{}) {
			t.Errorf("%v\n%s", f, text)
		}
	}
}

// The page names every key of every table, every kind of check and every free table.
func TestFormatPageIsComplete(t *testing.T) {
	page := readText(t, "../docs/plan-format.md")
	var walk func(path string, fields []field)
	walk = func(path string, fields []field) {
		for _, f := range fields {
			if !strings.Contains(page, f.name) {
				t.Errorf("%s.%s is not on the page", path, f.name)
			}
			s := f.shape
			if s.items != nil {
				s = *s.items
			}
			if s.fields != nil {
				below, _ := s.fields()
				walk(path+"."+f.name, below)
			}
			for _, word := range f.shape.enum {
				if !strings.Contains(page, "`"+word+"`") {
					t.Errorf("%s.%s: %q is not on the page", path, f.name, word)
				}
			}
		}
	}
	fields, _ := planKeys.fields()
	walk("", fields)
	if table := kindsTable(); !strings.Contains(page, table) {
		t.Errorf("the table of checks should be\n%s", table)
	}
	if free := "`" + strings.Join(freeTables, "`, `") + "`"; !strings.Contains(page, free) {
		t.Errorf("the free tables should be\n%s", free)
	}
}

func kindsTable() string {
	var b strings.Builder
	for _, k := range kinds {
		needed := k.needed
		if len(k.one) > 0 {
			needed = append([]string{}, needed...)
			needed = append(needed, strings.Join(k.one, "` or `"))
		}
		quote := func(names []string) string {
			if len(names) == 0 {
				return ""
			}
			return "`" + strings.Join(names, "`, `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.name, quote(needed), quote(k.free))
	}
	return b.String()
}

func TestEncodingPage(t *testing.T) {
	page := readText(t, "../docs/canonical-encoding.md")
	d := mustRead(t, readText(t, "testdata/minimal.toml"))
	for _, want := range []string{"```toml minimal\n" + readText(t, "testdata/minimal.toml") + "```", string(d.Plan.Canonical()), string(d.Plan.Digest())} {
		if !strings.Contains(page, want) {
			t.Errorf("the page should have\n%s", want)
		}
	}
}
