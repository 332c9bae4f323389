package plan

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The page of the format has the table of checks.
func TestChecksOnThePage(t *testing.T) {
	page, err := os.ReadFile("../docs/plan-format.md")
	if err != nil {
		t.Fatal(err)
	}
	if table := kindsTable(); !strings.Contains(strings.ReplaceAll(string(page), "\r\n", "\n"), table) {
		t.Errorf("the table of checks should be\n%s", table)
	}
}

func kindsTable() string {
	var b strings.Builder
	for _, k := range kinds {
		needed := k.Needed
		if len(k.One) > 0 {
			needed = append([]string{}, needed...)
			needed = append(needed, strings.Join(k.One, "` or `"))
		}
		quote := func(names []string) string {
			if len(names) == 0 {
				return ""
			}
			return "`" + strings.Join(names, "`, `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Name, quote(needed), quote(k.Free))
	}
	return b.String()
}
