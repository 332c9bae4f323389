package native

import (
	"fmt"
	"slices"
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
	if len(plans) != 3 {
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
	var walk func(path string, fields []keyField)
	walk = func(path string, fields []keyField) {
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
	walk("", fieldsOf())
}

// The tables of keys on the page are drawn from those of the reader.
func TestFormatPageKeys(t *testing.T) {
	const path = "../../docs/plan-format.md"
	page := readText(t, path)
	for name, drawn := range map[string]string{"keys": keyTable("", keyField{Fields: fieldsOf()}),
		"free tables": "`" + strings.Join(freeTables(), "`, `") + "`.\n"} {
		begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->\n"
		head, rest, ok := strings.Cut(page, begin)
		_, foot, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Fatalf("%s has no place for its %s", path, name)
		}
		page = head + begin + drawn + end + foot
	}
	golden(t, path, []byte(page))
}

// keyTable draws the table of a table's keys, and those of the tables in it.
func keyTable(path string, table keyField) string {
	var b, below strings.Builder
	if path != "" {
		fmt.Fprintf(&b, "### `%s`\n\n", path)
	}
	fmt.Fprint(&b, "| key | value | meaning |\n|---|---|---|\n")
	for _, f := range table.Fields {
		if f.Name == f.Older || path == "" && len(f.Fields) == 0 && f.Open {
			continue // the older name stands beside the newer one, free tables stand below
		}
		name, of, value := strings.Trim(path+"."+f.Name, "[]."), f, strings.Join(f.Types, " or ")
		if f.Items != nil {
			of, value = *f.Items, strings.Join(f.Items.Types, " or ")+" list"
		}
		switch {
		case isCheck(of):
			value = strings.Replace(value, "object", "[check](#checks)", 1)
		case path == "" && f.Name == "defaults":
			value = "keys of a step"
		case len(of.Fields) > 0:
			name = strings.ReplaceAll(name, "]]", "")
			if f.Items != nil {
				name = "[[" + name + "]]"
			}
			below.WriteString("\n" + keyTable(name, of))
			value = "table"
			if f.Items != nil {
				value = "tables"
			}
			if of.Open {
				value += ", free"
			}
		}
		if f.Format != "" {
			value = f.Format
		}
		if of.Words != nil {
			value = "`" + strings.Join(of.Words, "`, `") + "`"
		}
		key := "`" + f.Name + "`"
		if f.Older != "" {
			key += " (or `" + f.Older + "`)"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", key, value, strings.ReplaceAll(f.Doc, "|", "\\|"))
	}
	return b.String() + below.String()
}

// isCheck reports whether a table is one that a machine can decide.
func isCheck(f keyField) bool {
	return len(f.Fields) > 1 && f.Fields[0].Name == "kind" &&
		slices.ContainsFunc(f.Fields, func(f keyField) bool { return f.Name == "matches" })
}

func freeTables() (names []string) {
	for _, f := range fieldsOf() {
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
