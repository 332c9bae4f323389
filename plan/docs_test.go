package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/planlock/planlock/plan"
)

// The table of checks on the page of the format is drawn from their kinds.
func TestChecksOnThePage(t *testing.T) {
	const path, begin, end = "../docs/plan-format.md", "<!-- begin kinds -->\n", "<!-- end kinds -->\n"
	head, rest, ok := strings.Cut(readText(t, path), begin)
	_, foot, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the kinds of checks", path)
	}
	golden(t, path, []byte(head+begin+"| kind | arguments | optional |\n|---|---|---|\n"+kindsTable()+end+foot))
}

func kindsTable() string {
	var b strings.Builder
	for _, k := range plan.Kinds {
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
