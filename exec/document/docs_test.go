package document

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// keys lists the JSON keys of a type and of all types in it.
func keys(t reflect.Type, seen map[reflect.Type]bool) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return nil
	}
	seen[t] = true
	var out []string
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			out = append(out, name)
		} else if t.Name() != "" && !f.Anonymous && !strings.HasPrefix(t.Name(), "pair[") {
			continue
		}
		out = append(out, keys(f.Type, seen)...)
	}
	return out
}

// Other programs read these documents: every key is explained.
func TestEveryKeyIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/views.md")
	if err != nil {
		t.Fatal(err)
	}
	before, after, ok := strings.Cut(string(text), "## progress_NAME.json")
	if !ok {
		t.Fatal("docs/views.md has no section progress_NAME.json")
	}
	for _, c := range []struct {
		name, text string
		of         reflect.Type
	}{
		{"report.json", before, reflect.TypeFor[Model]()},
		{"progress_NAME.json", after, reflect.TypeFor[progress]()},
	} {
		all := keys(c.of, map[reflect.Type]bool{})
		slices.Sort(all)
		all = slices.Compact(all)
		if len(all) < 60 {
			t.Errorf("%s: only %d keys found", c.name, len(all))
		}
		for _, key := range all {
			if !strings.Contains(c.text, "`"+key+"`") {
				t.Errorf("docs/views.md does not explain %s of %s", key, c.name)
			}
		}
	}
}
