package builtin_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/planlock/planlock/gate"
	"github.com/planlock/planlock/gate/builtin"
	"github.com/planlock/planlock/gate/checks"
)

var update = flag.Bool("update", false, "write generated files")

// docs/gates.md holds tables between marks, which are drawn from the code.
func TestDocs(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "gates.md")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := string(content)
	for mark, table := range map[string]string{"gates": gateTable(), "codes": codeTable(t), "kinds": kindTable(t)} {
		begin, end := "<!-- begin "+mark+" -->\n", "<!-- end "+mark+" -->\n"
		head, rest, ok := strings.Cut(want, begin)
		_, foot, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s has no place for the table of %s", path, mark)
		}
		want = head + begin + table + end + foot
	}
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(content)); diff != "" {
		t.Errorf("docs/gates.md is behind the code; run go test ./gate/builtin -run TestDocs -update\n%s", diff)
	}
}

func gateTable() string {
	var b strings.Builder
	b.WriteString("| gate | level | phases | what it asks |\n|---|---|---|---|\n")
	for _, g := range builtin.Gates() {
		i := g.Info()
		var phases []string
		for _, p := range i.Phases {
			phases = append(phases, string(p))
		}
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s |\n", i.Name, i.Level, strings.Join(phases, ", "), i.Doc)
	}
	return b.String()
}

// codeTable takes what a code means from the comment beside its constant.
func codeTable(t *testing.T) string {
	source, err := os.ReadFile(filepath.Join("..", "..", "internal", "code", "code.go"))
	if err != nil {
		t.Fatal(err)
	}
	meaning := map[string]string{}
	for line := range strings.Lines(string(source)) {
		_, rest, ok := strings.Cut(line, ` = "`)
		code, comment, ok2 := strings.Cut(rest, `"`)
		_, text, ok3 := strings.Cut(comment, "// ")
		if ok && ok2 && ok3 {
			meaning[code] = strings.TrimSpace(text)
		}
	}
	var b strings.Builder
	b.WriteString("| code | meaning |\n|---|---|\n")
	for _, c := range gate.Codes() {
		if meaning[c] == "" {
			t.Errorf("code %q is not explained in internal/code", c)
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", c, meaning[c])
		delete(meaning, c)
	}
	for c := range meaning {
		t.Errorf("code %q is missing in code.All", c)
	}
	return b.String()
}

func kindTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| kind | arguments | holds if |\n|---|---|---|\n")
	for _, c := range checks.Kinds() {
		d, ok := c.(interface{ Doc() (args, doc string) })
		if !ok {
			t.Fatalf("check %q says nothing about itself", c.Kind().Name)
		}
		args, doc := d.Doc()
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.Kind().Name, args, doc)
	}
	return b.String()
}
