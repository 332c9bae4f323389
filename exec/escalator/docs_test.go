package escalator

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/exec/ask"
	"github.com/planlock/planlock/exec/internal/asktest"
)

// The page on escalations names exactly the kinds and fields that there are,
// and its examples work.
func TestDocs(t *testing.T) {
	data, err := os.ReadFile("../../docs/escalations.md")
	if err != nil {
		t.Fatal(err)
	}
	page := strings.ReplaceAll(string(data), "\r\n", "\n")
	section := func(title string) string {
		_, rest, ok := strings.Cut(page, title+"\n")
		if !ok {
			t.Fatalf("there is no section %q", title)
		}
		body, _, _ := strings.Cut(rest, "\n##")
		return body
	}
	first := func(title string) (cells []string) {
		for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(section(title), -1) {
			cells = append(cells, m[1])
		}
		return cells
	}
	same := func(what string, want, got []string) {
		set := func(s []string) map[string]bool {
			all := map[string]bool{}
			for _, v := range s {
				all[v] = true
			}
			return all
		}
		if diff := cmp.Diff(set(want), set(got)); diff != "" {
			t.Errorf("%s (-code +page):\n%s", what, diff)
		}
	}
	var known []string
	for _, k := range kinds {
		known = append(known, string(k))
	}
	same("kinds", known, first("## What is asked"))
	question := append(fields(reflect.TypeFor[postedQuestion](), ""),
		fields(reflect.TypeFor[ask.Choice](), "choices[].")...)
	same("question", question, first("### The question"))
	same("answer", fields(reflect.TypeFor[postedAnswer](), ""), first("### The answer"))
	same("rule", ruleKeys, first("## By rules"))

	_, block, _ := strings.Cut(section("### The answer"), "```json\n")
	block, _, _ = strings.Cut(block, "```")
	if a, err := decodeAnswer([]byte(block)); err != nil || asktest.Failed().Check(a) != nil {
		t.Errorf("the answer on the page: %v, %v", err, asktest.Failed().Check(a))
	}
	_, block, _ = strings.Cut(page, "```toml\n")
	block, _, _ = strings.Cut(block, "```")
	want, err := os.ReadFile("testdata/answers.toml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), block); diff != "" {
		t.Errorf("the rules on the page (-testdata +page):\n%s", diff)
	}
	if !strings.Contains(page, ask.Render(asktest.Failed())) {
		t.Error("the screen on the page is not what Render draws")
	}
}

// fields returns the JSON names of a struct's fields.
func fields(t reflect.Type, prefix string) (names []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			names = append(names, fields(f.Type, prefix)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, prefix+name)
	}
	return names
}
