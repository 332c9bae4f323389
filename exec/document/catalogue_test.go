package document_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The catalogue in docs/views.md is drawn from the table of documents.
func TestCatalogue(t *testing.T) {
	const page, begin, end = "../../docs/views.md", "<!-- documents -->\n", "<!-- end of documents -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, found := strings.Cut(rest, end)
	if !ok || !found {
		t.Fatalf("%s has no place for the catalogue", page)
	}
	var list strings.Builder
	list.WriteString("\n| file | for | when |\n|---|---|---|\n")
	for _, d := range asked() {
		when := d.When
		if when == "" {
			when = "for every run"
		}
		if d.Ahead {
			when += "; kept up to date while a run waits"
			if d.Live {
				when += ", and while it goes on"
			}
		}
		fmt.Fprintf(&list, "| `%s` | %s | %s |\n", d.Name, d.For, when)
	}
	want := before + begin + list.String() + "\n" + end + after
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(text) != want {
		t.Errorf("%s is not what the table says: run this test with -update", page)
	}
}
